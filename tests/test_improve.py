"""The verb `improve`: certificate, held-out examples, budget, resume, bad input."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.methods.benches import improved, token_editor, tokens_task

from optimand import Budget, DuelTask, FunctionTask, improve
from optimand.core.errors import InputError
from optimand.storage.connect import connect
from optimand.tasks.splitting import search_splits


def _noise(value: Any, example: Any, seed: int) -> float:
    """A coin of its own for every candidate and example: nothing is better than anything."""
    return float(random.Random(f"{value}|{seed}").random() < 0.5)


def test_luck_is_not_certified() -> None:
    task = FunctionTask(_noise, name="noise")
    results = [
        improve(
            "start",
            task,
            method={"type": "gepa", "steps": 8},
            proposer=token_editor(junk=0.0),
            budget=Budget(rollouts=700),
            seed=seed,
        )
        for seed in range(60)
    ]
    lucky = [result for result in results if result.certificate is not None]
    assert len(lucky) >= 30  # the search liked something better than the start
    # At most 5 % each: 7 or more of 60 have a probability below 0.03.
    assert sum(result.proven for result in lucky) <= 6


def test_the_search_never_sees_the_test_examples() -> None:
    seen: list[str] = []

    def watch(value: str, example: Any, seed: int) -> float:
        seen.append(example.id)
        return 0.0

    rows = [{"id": f"e{i}", "input": i} for i in range(40)]
    task = FunctionTask(watch, rows, name="watch")
    improve("start", task, method={"type": "opro", "steps": 3}, proposer=token_editor(junk=0.0))
    held_out = {example.id for example in search_splits(task, 0)["test"]}
    search = seen[: max(i for i, id_ in enumerate(seen) if id_ not in held_out) + 1]
    assert not held_out & set(search)


@pytest.mark.parametrize("rollouts", [0, 1, 25, 60, 100])
def test_no_budget_is_overspent(rollouts: int) -> None:
    result = improved("gepa", rollouts)
    assert result.spent["rollouts"] <= rollouts


def test_the_same_call_again_repeats_nothing(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    first = improved({"type": "gepa", "steps": 20}, store=store)
    calls: list[int] = []

    def refuse(request: Any) -> str:
        calls.append(1)
        raise AssertionError("a paid call was repeated")

    editor = token_editor()
    editor._function = refuse
    again = improved({"type": "gepa", "steps": 20}, store=store, proposer=editor)
    assert not calls
    assert again.best == first.best
    assert {k: v for k, v in again.spent.items() if k != "seconds"} == {
        k: v for k, v in first.spent.items() if k != "seconds"
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "gepaa"}, "Did you mean 'gepa'"),
        ({"method": {"type": "gepa", "step": 3}}, "has no option 'step'"),
        ({"method": {"type": "gepa", "steps": -3}}, "must be a number from 0 to 1e9"),
        ({"proposer": None}, "asks a model as proposer"),
        ({"proposer": "gpt"}, "the proposer is a text"),
        ({"change": ["other"]}, "no text part"),
        ({"change": {"texts": ["value"], "limits": {"value": 2}}}, "the limit is 2"),
        ({"change": {"settings": {"value": [1]}}}, "at least two options"),
    ],
)
def test_bad_input_is_refused_before_anything_is_spent(
    arguments: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {"proposer": token_editor(), **arguments}
    with pytest.raises(InputError, match=message):
        improve("start", tokens_task(), **given)


def test_too_few_examples_are_refused() -> None:
    with pytest.raises(InputError, match="needs at least 10"):
        improve("start", tokens_task(8), proposer=token_editor())


def test_a_judge_of_pairs_is_refused() -> None:
    task = DuelTask(lambda a, b, example, seed: 0.5)
    with pytest.raises(InputError, match="needs scores"):
        improve("start", task, proposer=token_editor())


def test_only_what_scored_higher_than_the_start_is_compared() -> None:
    result = improved("opro", 300, proposer=token_editor(junk=0.0, seeing=0.0))
    value = {s.candidate: s.estimate for s in result.search.standings}
    finalists = [s.candidate for s in result.certificate.standings] if result.certificate else []
    assert all(value[i] > value[result.start.id] for i in finalists if i != result.start.id)


def test_the_log_tells_the_search_without_the_run(tmp_path: Path) -> None:
    store = connect(str(tmp_path / "runs.db"))
    call = {"method": {"type": "gepa", "steps": 12}, "store": store}
    result = improved(**call)
    improved(**call)
    with closing(store.read(result.study)) as journal:
        events = list(journal.events())
    made = [e.body["id"] for e in events if e.kind == "candidate"]
    assert sorted(made) == sorted(set(result.known) - {result.start.id})
    steps = [e.body for e in events if e.kind == "step"]
    assert [body["number"] for body in steps] == list(range(len(steps)))
    assert sum(t["candidate"] is None for body in steps for t in body["trials"]) > 0
    times = [e.at for e in events if e.kind != "examples"]  # which have none
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("tpe", "setting"),
        ({"type": "opticom", "operator": "magic"}, "no operator 'magic'"),
        ({"type": "cepo", "coordinator": "boss"}, "no part that may change"),
        ({"type": "prefpo", "labels": "false"}, "true or false"),
    ],
)
def test_what_a_method_cannot_use_is_said_before_anything_is_run(method: Any, said: str) -> None:
    ran: list[str] = []

    def watch(value: str, example: Any, seed: int) -> float:
        ran.append(example.id)
        return 0.0

    task = FunctionTask(watch, [{"id": f"e{i}", "input": i} for i in range(40)], name="watch")
    with pytest.raises(InputError, match=said):
        improve("start", task, method=method, proposer=token_editor())
    assert not ran


def test_crashes_are_said() -> None:
    def broken(value: str, example: Any, seed: int) -> float:
        raise ValueError("no such field")

    task = FunctionTask(broken, [{"id": f"e{i}", "input": i} for i in range(60)], name="broken")
    method = {"type": "gepa", "steps": 3}
    result = improve("start", task, method=method, proposer=token_editor(junk=0.0))
    said = str(result)
    assert "runs crashed" in said
    assert "no such field" in said
    assert result.to_json()["search"]["failures"]["status"]["crash"] > 0


def test_a_budget_that_is_used_up_at_once_is_no_failed_search() -> None:
    assert "used up before anything was proposed" in str(improved("gepa", 1))


@pytest.mark.parametrize("option", ["minibatch"])
def test_sizes_of_nothing_are_refused(option: str) -> None:
    with pytest.raises(InputError, match="from 1 to"):
        improved({"type": "gepa", option: 0}, 100)


def test_a_function_tasks_own_splits_are_kept() -> None:
    seen: set[str] = set()
    names = {"train": range(12), "val": range(12, 24), "test": range(24, 60)}

    def has(value: str, example: Any, seed: int) -> tuple[float, str]:
        seen.add(example.id)
        need = f"t{example.input % 12}"
        return float(need in value.split()), f"missing {need}"

    rows = {n: [{"id": f"{n}{i}", "input": i} for i in places] for n, places in names.items()}
    task = FunctionTask(has, rows, name="split")
    assert {name: len(split) for name, split in task.splits.items()} == {
        "train": 12,
        "val": 12,
        "test": 36,
    }
    result = improve("start", task, method={"type": "gepa"}, proposer=token_editor(junk=0.0))
    assert result.proven
    assert any(id_.startswith("test") for id_ in seen)
    assert result.front
    with pytest.raises(InputError, match="splits are 'train', 'dev'"):
        FunctionTask(has, {"train": [1], "dev": [2]})
