"""Going on from an earlier study, through the verb."""

import random
from contextlib import closing

import pytest

import optimand
from optimand.core.errors import InputError, StorageError
from optimand.core.verdict import Verdict
from optimand.picking import study_name
from optimand.statistics.duel import DuelOptions
from optimand.storage.connect import connect
from optimand.storage.memory import MemoryStore
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.race import ScoreRace
from optimand.strategies.pick.warm import Carried

RATES = {"a": 0.8, "b": 0.5, "c": 0.4, "new": 0.45}
FIRST = ["a", "b", "c"]


def coin(value, example, seed):
    return float(random.Random(f"{value}{example.id}{seed}").random() < RATES[value])


def winner(a, b, example, seed):
    rate = RATES[a] / (RATES[a] + RATES[b])
    return float(random.Random(f"{a}{b}{seed}").random() < rate)


TASKS = {"race": optimand.FunctionTask(coin), "duel": optimand.DuelTask(winner)}
LIMIT = optimand.Budget(rollouts=24, comparisons=40)


def begun(how, store=None, **options):
    result = optimand.pick(FIRST, TASKS[how], budget=LIMIT, store=store, **options)
    assert not result.decided
    return result


def questions(count, start=0):
    return [{"id": str(i), "input": i} for i in range(start, start + count)]


@pytest.mark.parametrize("how", ["race", "duel"])
def test_it_goes_on_and_says_so(how):
    earlier = begun(how)
    result = optimand.pick(list(RATES), TASKS[how], warm_start=earlier)
    assert result.decided
    assert result.best.name == "a"
    made = earlier.verdict.used
    unit = earlier.verdict.unit
    assert f"carried on from {earlier.study}: {made} {unit}" in str(result)
    assert result.verdict.carried["evidence"]
    assert result.verdict.equal is None
    assert Verdict.from_json(result.verdict.to_json()) == result.verdict


@pytest.mark.parametrize("how", ["race", "duel"])
def test_evidence_begins_where_the_earlier_ended(how):
    earlier = begun(how)
    more = optimand.pick(
        FIRST, TASKS[how], warm_start=earlier, budget=optimand.Budget(rollouts=0, comparisons=0)
    )
    before = {s.candidate: s.evidence for s in earlier.verdict.standings}
    after = {s.candidate: s.evidence for s in more.verdict.standings}
    if how == "duel":
        assert after == before
    else:  # a race keeps a reserve, see statistics.carrying
        assert all(after[i] == pytest.approx(before[i], abs=0.3) for i in before if before[i] > 0)
    assert more.verdict.used == 0


@pytest.mark.parametrize("how", ["race", "duel"])
def test_three_studies_in_a_row_use_no_example_twice(how):
    used = []

    def noting(function):
        def noted(*args):
            used.append(args[-2].input)
            return function(*args)

        return noted

    if how == "race":
        task = optimand.FunctionTask(noting(coin), questions(400))
    else:
        task = optimand.DuelTask(noting(winner), questions(400))
    store, result, seen, made = MemoryStore(), None, [], []
    for names in (FIRST, list(RATES), list(RATES)):
        used.clear()
        small = optimand.Budget(rollouts=20, comparisons=20)
        result = optimand.pick(names, task, budget=small, store=store, warm_start=result)
        assert used
        assert not set(used) & set(seen)
        seen += used
        made.append(result.verdict.used)
    assert result.verdict.carried["used"] == sum(made[:2]) > 0


def test_examples_without_end_are_drawn_on():
    drawn = []

    def noting(a, b, example, seed):
        drawn.append(example.input)
        return winner(a, b, example, seed)

    task = optimand.DuelTask(noting)
    earlier = optimand.pick(FIRST, task, budget=LIMIT)
    first = set(drawn)
    drawn.clear()
    optimand.pick(FIRST, task, budget=LIMIT, warm_start=earlier)
    assert min(drawn) > max(first)


def test_the_log_keeps_what_was_carried(tmp_path):
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    earlier = begun("duel", old)
    options = {"warm_start": (old, earlier.study), "store": new}
    small = optimand.Budget(comparisons=5)
    begun_ = optimand.pick(list(RATES), TASKS["duel"], budget=small, **options)
    old.unlink()
    ended = optimand.pick(list(RATES), TASKS["duel"], **options)
    assert ended.study == begun_.study
    assert ended.study == study_name(list(RATES), TASKS["duel"], **options)
    whole = optimand.pick(list(RATES), TASKS["duel"], store=new, **{"warm_start": begun_})
    assert ended.decided
    assert whole.study != ended.study
    with pytest.raises(StorageError):
        optimand.pick(list(RATES), TASKS["duel"], seed=5, **options)


def test_another_past_is_another_study():
    store = MemoryStore()
    first, second = begun("duel", store), begun("duel", store, seed=1)
    names = [
        study_name(FIRST, TASKS["duel"], warm_start=past) for past in (None, first, second, first)
    ]
    assert len(set(names)) == 3
    assert names[1] == names[3]


@pytest.mark.parametrize("how", ["race", "duel"])
def test_resuming_gives_the_same(how, tmp_path):
    store = tmp_path / "s.db"
    earlier = begun(how, store)
    options = {"store": store, "warm_start": earlier}
    small = optimand.Budget(rollouts=9, comparisons=9)
    optimand.pick(list(RATES), TASKS[how], budget=small, **options)
    resumed = optimand.pick(list(RATES), TASKS[how], **options)
    straight = optimand.pick(list(RATES), TASKS[how], warm_start=earlier)
    assert resumed.verdict.standings == straight.verdict.standings


def test_with_one_missing_it_only_guides():
    result = optimand.pick(["a", "b", "new"], TASKS["duel"], warm_start=begun("duel"))
    assert not result.verdict.carried["evidence"]
    assert "only guided by" in str(result)


def test_a_report_says_it(tmp_path):
    result = optimand.pick(list(RATES), TASKS["race"], warm_start=begun("race"))
    assert "carried on from" in result.report(tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"baseline": "a"}, "baseline"),
        ({"strategy": Duel(DuelOptions(indifference=0.1))}, "indifference"),
        ({"strategy": Duel(DuelOptions(assume="nothing"))}, "assume: nothing"),
        ({"strategy": "llm-po"}, "takes none"),
        ({"strategy": ScoreRace()}, "it was a duel"),
        ({"warm_start": 5}, "warm_start is 5"),
        ({"warm_start": (MemoryStore(), "")}, "warm_start is"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_go_on_is_refused(options, words):
    options = {"warm_start": begun("duel"), **options}
    with pytest.raises(InputError, match=words):
        optimand.pick(list(RATES), TASKS["duel"], **options)


def test_another_subject_is_refused():
    other = optimand.DuelTask(lambda a, b, example, seed: float(a < b))
    with pytest.raises(InputError, match="the judge is another"):
        optimand.pick(list(RATES), other, warm_start=begun("duel"))
    with pytest.raises(InputError, match="none of its candidates"):
        optimand.pick(["x", "y"], TASKS["duel"], warm_start=begun("duel"))


def test_a_whole_population_is_refused():
    whole = optimand.FunctionTask(coin, questions(60), population="whole")
    sample = optimand.FunctionTask(coin, questions(60, 100))
    small = optimand.Budget(rollouts=9)
    with pytest.raises(InputError, match="its whole population"):
        optimand.pick(FIRST, sample, warm_start=optimand.pick(FIRST, whole, budget=small))
    with pytest.raises(InputError, match="past of a whole population"):
        optimand.pick(FIRST, whole, warm_start=optimand.pick(FIRST, sample, budget=small))


def test_no_example_left_is_refused():
    task = optimand.DuelTask(winner, questions(10))
    earlier = optimand.pick(FIRST, task)
    assert earlier.reason == "exhausted"
    with pytest.raises(InputError, match="no example is left"):
        optimand.pick(list(RATES), task, warm_start=earlier)


def test_a_study_that_has_not_ended_is_refused(tmp_path):
    def broken(a, b, example, seed):
        raise KeyboardInterrupt

    earlier = optimand.pick(FIRST, optimand.DuelTask(broken), store=tmp_path / "s.db")
    assert earlier.reason == "interrupted"
    with pytest.raises(InputError, match="ended by 'interrupted'"):
        optimand.pick(FIRST, optimand.DuelTask(broken), warm_start=earlier)


def test_an_unknown_study_is_told(tmp_path):
    begun("duel", tmp_path / "s.db")
    with pytest.raises(StorageError, match="no study 'other'"):
        optimand.pick(FIRST, TASKS["duel"], warm_start=(tmp_path / "s.db", "other"))


def test_a_damaged_past_is_told(tmp_path):
    store = connect(tmp_path / "s.db")
    earlier = begun("duel", store)
    with closing(store), closing(store.read(earlier.study)) as journal:
        left = dict(list(journal.events(("evidence",)))[-1].body)
    rule = Duel(warm=Carried("old", {**left, "arrays": {"log_e": "x"}}))
    with pytest.raises(StorageError, match="'old' left for a warm start cannot be read"):
        optimand.pick(FIRST, TASKS["duel"], strategy=rule)


@pytest.mark.parametrize("how", ["race", "duel"])
def test_many_at_a_time(how):
    wide = {
        "race": optimand.FunctionTask(coin, questions(900), width=4),
        "duel": optimand.DuelTask(winner, questions(900), width=4),
    }[how]
    earlier = optimand.pick(FIRST, wide, budget=LIMIT)
    result = optimand.pick(list(RATES), wide, warm_start=earlier)
    assert result.verdict.carried["used"] == earlier.verdict.used > 0
    assert result.best.name == "a"


def test_a_list_does_not_go_on_from_examples_without_end():
    earlier = begun("duel")
    task = optimand.DuelTask(winner, questions(50))
    with pytest.raises(InputError, match="cannot be told apart"):
        optimand.pick(list(RATES), task, warm_start=earlier)
    earlier = optimand.pick(FIRST, task, budget=LIMIT)
    with pytest.raises(InputError, match="cannot be told apart"):
        optimand.pick(list(RATES), TASKS["duel"], warm_start=earlier)


def test_a_large_race_keeps_no_bets_of_pairs():
    values = [f"v{i}" for i in range(42)]
    task = optimand.FunctionTask(lambda value, example, seed: float(value == "v0"))
    small = optimand.Budget(rollouts=2 * 42)
    earlier = optimand.pick(values, task, budget=small)
    result = optimand.pick([*values, "new"], task, warm_start=earlier)
    assert result.best.name == "v0"
