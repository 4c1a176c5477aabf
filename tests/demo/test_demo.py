"""The demo's study, on replies recorded from the embedded model, in twenty orders.

The table was made by `python -m benchmarks.record_demo`: every policy on every question. It gives
the truth, the mean score over all questions, and lets the race run in a second.
"""

import json
from pathlib import Path

import pytest

import optimand
from optimand.core.record import Record
from optimand.tasks.study import load_study

STUDY = Path(optimand.__file__).parent / "demo" / "study.yaml"
TABLE = Path(__file__).parent.parent / "data" / "demo_outputs.jsonl"


class Recorded:
    """The demo's task, with replies from the table."""

    def __init__(self, study):
        self._task = study.task()
        self._names = {c.id: c.name for c in study.candidates()}
        rows = map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())
        self._outputs = {(row["policy"], row["example"]): row["output"] for row in rows}
        self.executions = []

    def __getattr__(self, name):
        return getattr(self._task, name)

    def execute(self, candidate, example, seed):
        self.executions.append((candidate.id, example.id))
        output = self._outputs[self._names[candidate.id], example.id]
        return Record(candidate.id, example.id, output=output)


@pytest.fixture(scope="module")
def study():
    return load_study(STUDY)


@pytest.fixture(scope="module")
def truth(study):
    task = Recorded(study)
    means = {}
    for candidate in study.candidates():
        scores = []
        for example in task.splits["all"]:
            record = task.execute(candidate, example, 0)
            scores.append(task.judge.score(example, record, 0).value)
        means[candidate.name] = sum(scores) / len(scores)
    return means


def test_the_questions_are_many_and_of_four_kinds(study):
    assert len(study.examples) >= 120
    assert len(study.policies) >= 6


def test_the_named_best_is_truly_best(study, truth):
    right, used, undecided = 0, [], []
    for seed in range(20):
        task = Recorded(study)
        got = optimand.pick(study.candidates(), task, confidence=study.confidence, seed=seed)
        used.append(len(task.executions))
        if got.decided:
            right += truth[got.best.name] == max(truth.values())
        else:
            undecided.append((seed, got.reason))
        for candidate, standing in got.ranking:
            assert standing.low - 1e-9 <= truth[candidate.name] <= standing.high + 1e-9
    assert not undecided
    assert right >= 19
    everything = len(study.policies) * len(study.examples)
    assert sum(used) / len(used) < 0.8 * everything
