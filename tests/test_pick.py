"""The verb pick, through its public door."""

import asyncio
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest

import optimand
from optimand.core.errors import InputError, SetupError, StudyBusy
from optimand.core.record import Judgement, Usage


def coin(rates):
    def score(value, example, seed):
        return float(random.Random(f"{value}{example.id}{seed}").random() < rates[value])

    return score


def race(rates, **options):
    return optimand.pick(list(rates), optimand.FunctionTask(coin(rates)), **options)


def duel(rates, **options):
    def compare(a, b, example, seed):
        return float(random.Random(f"{a}{b}{seed}").random() < rates[a] / (rates[a] + rates[b]))

    return optimand.pick(list(rates), optimand.DuelTask(compare), **options)


@pytest.mark.parametrize("how", [race, duel])
def test_the_best_is_found_and_said(how):
    result = how({"low": 0.2, "high": 0.9, "mid": 0.3})
    assert result.decided
    assert result.best.name == "high"
    assert result.confidence >= 0.95
    assert result.reason == "separated"
    assert "high is best" in str(result)
    assert result.to_frame()["name"][0] == "high"


def test_race_error_rate_is_within_delta_on_near_ties():
    wrong = 0
    for seed in range(60):
        result = race(
            {"a": 0.5, "b": 0.55, "c": 0.5},
            seed=seed,
            confidence=0.8,
            budget=optimand.Budget(rollouts=600),
        )
        wrong += result.decided and result.best.name != "b"
    assert wrong <= 18  # 60 runs at 0.2: mean 12 at the limit, 18 is its 97 % point


def test_budget_ends_in_an_undecided_verdict():
    result = race({"a": 0.5, "b": 0.5}, budget=optimand.Budget(rollouts=40))
    assert not result.decided
    assert result.reason == "budget"
    assert result.spent["rollouts"] <= 40


def test_bad_input_is_said_before_anything_runs():
    with pytest.raises(InputError, match="at least 2"):
        race({"a": 0.5})
    with pytest.raises(InputError, match="confidence"):
        race({"a": 0.5, "b": 0.1}, confidence=1.5)
    with pytest.raises(InputError, match="same"):
        optimand.pick(["a", "a"], optimand.FunctionTask(coin({"a": 0.5})))


def test_inside_a_running_event_loop():
    async def notebook():
        return race({"a": 0.1, "b": 0.9})

    assert asyncio.run(notebook()).best.name == "b"


def test_a_finished_study_resumes_without_a_call(tmp_path, monkeypatch):
    store = tmp_path / "s.db"
    first = race({"a": 0.2, "b": 0.8}, store=store)

    def never(self, candidate, example, seed):
        raise AssertionError("a paid call was repeated")

    task = optimand.FunctionTask(coin({"a": 0.2, "b": 0.8}))
    monkeypatch.setattr(type(task), "execute", never)
    again = optimand.pick(["a", "b"], task, store=store)
    assert again.verdict == first.verdict


SCRIPT = """
import random, sys, time, optimand
def score(value, example, seed):
    with open(sys.argv[2], "a") as calls:
        calls.write(f"{value} {example.id}\\n")
    time.sleep(0.002)
    rate = {"a": .4, "b": .6, "c": .5}[value]
    return float(random.Random(f"{value}{example.id}{seed}").random() < rate)
r = optimand.pick(["a", "b", "c"], optimand.FunctionTask(score), store=sys.argv[1])
print(r)
"""


def test_kill_nine_and_resume(tmp_path):
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent(SCRIPT))

    def command(name):
        return [sys.executable, str(script), str(tmp_path / f"{name}.db"), str(tmp_path / name)]

    straight = subprocess.run(command("x"), capture_output=True, text=True, check=True).stdout
    rng = random.Random(3)
    for _ in range(5):
        process = subprocess.Popen(command("y"), stdout=subprocess.DEVNULL)
        try:
            process.wait(0.4 + 0.4 * rng.random())
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    resumed = subprocess.run(command("y"), capture_output=True, text=True, check=True).stdout
    assert resumed == straight
    calls, paid = ((tmp_path / n).read_text().splitlines() for n in ("y", "x"))
    assert set(calls) == set(paid)
    assert len(calls) - len(set(calls)) <= 5  # only a call that had not returned when killed


def test_a_second_writer_is_refused(tmp_path):
    from optimand.storage.sqlite import SqliteStore

    store = SqliteStore(tmp_path / "s.db")
    journal = store.write("study", {})
    with pytest.raises(StudyBusy, match=r"being written by process \d+"):
        SqliteStore(tmp_path / "s.db").write("study", {})
    journal.close()
    store.write("study", {}).close()
    store.close()


def test_the_verb_stays_a_function_whatever_was_imported_before():
    code = "import optimand.picking, optimand.cli.running, optimand; assert callable(optimand.pick)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_cannot_be_priced_is_said(tmp_path):
    from optimand.core.amounts import cost
    from optimand.core.record import Record, Usage

    class Charged(optimand.FunctionTask):
        def execute(self, candidate, example, seed):
            return Record(candidate.id, example.id, score=1.0, usage=Usage(1, 2, 3, 0.004, 1))

    task = Charged(lambda value, example, seed: 1.0, ["x"])
    got = optimand.pick(["a", "b"], task)
    assert "2 rollouts, at least $0.008." in str(got)
    assert cost({"usd": 0.0, "unpriced": 0}) == ""
    assert cost({"usd": 0.0, "unpriced": 7}) == "price unknown"
    assert cost({"usd": 0.5, "unpriced": 0}) == "$0.50"


class Mumbling:
    """A pairwise judge whose answer can be read only every `readable`-th time (never with 0)."""

    name, kind, needs_outputs = "mumbling", "pair", False

    def __init__(self, readable):
        self.readable, self.asked = readable, 0

    def fingerprint(self):
        return "mumbling"

    def compare(self, example, a, b, seed):
        self.asked += 1
        if self.readable and self.asked % self.readable == 0:
            return Judgement(0.5)
        return Judgement(None, "no verdict", status="invalid")


@pytest.mark.parametrize(
    ("readable", "reason", "asked"), [(0, "unavailable", 20), (2, "budget", 60)]
)
def test_a_judge_that_cannot_be_read_is_not_paid_for_long(readable, reason, asked):
    task = optimand.DuelTask(lambda a, b, example, seed: 0.5)
    task.judge = Mumbling(readable)
    got = optimand.pick(["a", "b"], task, budget=optimand.Budget(comparisons=60))
    assert (got.decided, got.reason, task.judge.asked) == (False, reason, asked)
    if reason == "unavailable":
        assert "could not be read: no verdict" in got.verdict.detail


def test_pairs_that_need_no_judge_do_not_hide_one_that_cannot_be_read():
    class Asked(Mumbling):
        def compare(self, example, a, b, seed):
            judgement = super().compare(example, a, b, seed)
            return replace(judgement, usage=Usage(int(judgement.status == "invalid")))

    task = optimand.DuelTask(lambda a, b, example, seed: 0.5)
    task.judge = Asked(2)
    got = optimand.pick(["a", "b"], task, budget=optimand.Budget(comparisons=60))
    assert (got.reason, task.judge.asked) == ("unavailable", 39)


def test_candidates_may_be_a_mapping_from_names():
    task = optimand.FunctionTask(lambda value, example, seed: {"x": 0.2, "y": 0.8}[value])
    result = optimand.pick({"first": "x", "second": "y"}, task)
    assert result.best.name == "second"
    assert result.best.artifact.parts["value"] == "y"
    with pytest.raises(InputError, match="names must be text"):
        optimand.pick({1: "x", 2: "y"}, task)


def test_confidence_on_a_whole_population_is_that_of_whoever_was_ruled_out_early():
    hits = {"a": 40, "b": 38, "c": 5}
    examples = [optimand.Example(str(i), i) for i in range(60)]
    score = {v: random.Random(v).sample(range(60), n) for v, n in hits.items()}
    task = optimand.FunctionTask(
        lambda value, example, seed: float(example.input in score[value]),
        examples,
        population="whole",
    )
    result = optimand.pick(list(hits), task, confidence=0.9)
    standing = {c.name: s for c, s in result.ranking}
    assert (result.decided, result.best.name) == (True, "a")
    assert standing["a"].runs == standing["b"].runs == 60
    assert not standing["c"].alive
    assert standing["c"].runs < 60
    assert result.confidence == pytest.approx(1 - math.exp(-standing["c"].evidence))


def test_an_undecided_sentence_names_the_best_so_far_first():
    task = optimand.FunctionTask(lambda value, example, seed: {"x": 0.4, "y": 0.6}[value])
    result = optimand.pick(["x", "y"], task, budget=optimand.Budget(rollouts=5))
    text = str(result)
    assert "Best so far: y, score 0.600 [" in text
    assert f"confidence {result.confidence:.3f}. Not separated" in text
    assert "Not separated: y, x. 4 rollouts (1 more was under way)." in text


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    task = optimand.FunctionTask(lambda value, example, seed: value)
    result = optimand.pick([0.1, 0.9], task)
    with pytest.raises(SetupError, match=r"pip install 'optimand\[frame\]'"):
        result.to_frame()
