"""A baseline through the verb: what is named, said and stored, and what is refused."""

import random

import pytest

import optimand
from optimand.core.errors import InputError
from optimand.core.verdict import Verdict
from optimand.report.sentences import headline
from optimand.report.study import view_study
from optimand.statistics.duel import DuelOptions
from optimand.strategies.pick.duel import Duel
from optimand.strategies.pick.specs import strategy_from
from optimand.tasks.study import load_study

RATES = {"old": 0.3, "new": 0.75, "newer": 0.76, "worse": 0.2}


def coin(value, example, seed):
    return float(random.Random(f"{value}{example.id}{seed}").random() < RATES[value])


def winner(a, b, example, seed):
    rate = RATES[a] / (RATES[a] + RATES[b])
    return float(random.Random(f"{a}{b}{seed}").random() < rate)


TASKS = {"race": optimand.FunctionTask(coin), "duel": optimand.DuelTask(winner)}


def pick(how, limit, **options):
    budget = optimand.Budget(rollouts=4 * limit, comparisons=3 * limit)
    return optimand.pick(list(RATES), TASKS[how], budget=budget, baseline="old", **options)


@pytest.mark.parametrize("how", ["race", "duel"])
def test_too_early_the_baseline_is_kept(how):
    result = pick(how, 3)
    assert (result.decided, result.best.name) == (False, "old")
    assert str(result).startswith("Kept old: nothing is proven better. Undecided: budget")
    assert result.verdict.gain == {"estimate": 0.0, "low": 0.0, "high": 0.0, "proven": False}
    assert result.to_json()["baseline"] == "old"


@pytest.mark.parametrize("how", ["race", "duel"])
def test_what_is_proven_better_is_named_before_the_best_is_known(how):
    result = pick(how, 60)
    gain = result.verdict.gain
    assert not result.decided
    assert result.best.name in ("new", "newer")
    assert gain["proven"]
    assert 0 <= gain["low"] < gain["estimate"] < gain["high"]
    assert f"{result.best.name} is proven better than old by" in str(result)
    assert Verdict.from_json(result.verdict.to_json()) == result.verdict


def test_a_decided_verdict_says_the_gain():
    rates = {"old": 0.2, "new": 0.9}
    task = optimand.FunctionTask(
        lambda v, e, s: float(random.Random(f"{v}{e.id}{s}").random() < rates[v])
    )
    result = optimand.pick(list(rates), task, baseline="old")
    assert result.decided
    assert "new is best: score" in str(result)
    assert "better than old by 0." in str(result)
    kept = optimand.pick(list(rates), task, baseline="new")
    assert kept.decided
    assert kept.best.name == "new"
    assert "better than" not in str(kept)


def test_the_report_says_it(tmp_path):
    from optimand.storage.connect import connect

    for limit, words in ((3, "old is kept: nothing is proven better"), (60, "better than old by")):
        store = connect(tmp_path / f"{limit}.db")
        pick("race", limit, store=store)
        info = store.studies()[0]
        assert words in headline(view_study(info, store.read(info.name)))
        store.close()


def test_gains_of_a_duel_are_win_rates_above_one_half():
    result = pick("duel", 60)
    assert result.verdict.gain["high"] <= 0.5
    assert "in win rate above one half" in str(result)


def test_without_a_baseline_nothing_is_said_of_one():
    result = optimand.pick(list(RATES), TASKS["race"], budget=optimand.Budget(rollouts=20))
    assert result.verdict.baseline is None
    assert result.verdict.gain is None


def test_a_circle_keeps_the_baseline():
    beats = {("r", "s"), ("s", "p"), ("p", "r")}

    def play(a, b, example, seed):
        return float(random.Random(seed).random() < (0.9 if (a, b) in beats else 0.1))

    careful = Duel(DuelOptions(assume="nothing"))
    result = optimand.pick(["r", "s", "p"], optimand.DuelTask(play), strategy=careful, baseline="s")
    assert result.reason == "cycle"
    assert result.best.name in ("s", "r")  # r does beat s, and that may be proven


def test_another_baseline_is_another_study():
    names = {
        optimand.picking.study_name(list(RATES), TASKS["race"], baseline=b)
        for b in (None, "old", "new")
    }
    assert len(names) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"baseline": "odl"}, "no candidate is named 'odl'. There is 'old', 'new'"),
        (
            {"baseline": "old", "strategy": strategy_from("llm-po", [], pairs=True, delta=0.05)},
            "knows no baseline",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        optimand.pick(list(RATES), TASKS["duel"], **given)


STUDY = """\
policies:
  - {name: old, prompt: "Say {input}"}
  - {name: new, prompt: "Repeat {input}"}
models: {m: openai:x}
examples: [{id: a, input: 1, target: 1}]
judge: exact
"""


def test_a_study_file_names_its_baseline(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(STUDY + "baseline: old\n")
    study = load_study(file)
    assert study.baseline == "old"
    assert study.rule().baseline == "old"
    file.write_text(STUDY + "baseline: nobody\n")
    with pytest.raises(InputError, match=r"s.yaml line 7: baseline: no candidate is named 'nob"):
        load_study(file)
