"""Traced programs: what is on a path from a parameter to the output, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from optimand import Artifact, Candidate, Example, FunctionTask
from optimand.artifacts.tracing import Parameter, parameter, traced
from optimand.core.errors import InputError
from optimand.core.record import Record
from optimand.core.run import check_storable
from optimand.tasks.program import ProgramTask

P = parameter("p", 3, doc="what is added")
RULES = parameter("rules", "be nice")


@traced
def g(x: int) -> int:
    """Double it."""
    return 2 * x


@traced
def f(a: int, b: int) -> int:
    """Add them."""
    return a + b


@traced
def unrelated(x: Any) -> list[Any]:
    return [x, x]


def run(program: Callable[[Example], Any], *parameters: Parameter, **values: Any) -> Record:
    task = ProgramTask(program, [1], lambda output, example: 0.5, parameters or (P, RULES))
    candidate = Candidate(Artifact({**task.start, **values}), "c")
    made = task.execute(candidate, task.splits["all"][0], 0)
    record = made if isinstance(made, Record) else asyncio.run(_awaited(made))
    check_storable(record, "c", task.splits["all"][0])
    return record


async def _awaited(made: Any) -> Record:
    done: Record = await made
    return done


def test_the_subgraph_has_what_leads_to_the_output_and_nothing_else() -> None:
    def program(example: Example) -> Any:
        unrelated(P)
        f(example.input, RULES.value and 5)
        return f(g(example.input), P)

    record = run(program)
    assert record.output == 5
    assert record.trace == {
        "output": "f_2",
        "omitted": 0,
        "calls": [
            {
                "name": "f_2",
                "function": "f",
                "args": {"a": "g_1", "b": "p"},
                "value": "5",
                "failed": False,
            }
        ],
        "parameters": {"p": "3"},
        "inputs": {"g_1": "2"},
        "docs": {"p": "what is added", "f": "(a: 'int', b: 'int') -> 'int': Add them."},
    }


def test_a_candidate_runs_with_its_own_values() -> None:
    assert run(lambda e: f(g(e.input), P), p=10).output == 12
    assert run(lambda e: P.value + 1, p=10).output == 11


def test_what_a_function_reads_by_itself_counts() -> None:
    @traced
    def answer(question: int) -> str:
        return f"{RULES.value}: {question}"

    trace = run(lambda e: answer(e.input), rules="short").trace
    assert trace["calls"][0]["args"] == {"question": "answer_1.question", "rules": "rules"}
    assert trace["parameters"] == {"rules": "'short'"}


def test_within_lists_mappings_and_elements_the_trace_goes_on() -> None:
    @traced
    def pair(x: int, by: int) -> dict[str, int]:
        return {"low": x - by, "high": x + by}

    @traced
    def total(values: list[int], extra: dict[str, int]) -> int:
        return sum(values) + extra["more"]

    def program(example: Example) -> Any:
        made = pair(example.input, P)
        return {"sum": total([made["low"], made["high"]], {"more": P})}

    record = run(program)
    assert record.output == {"sum": 5}
    assert [call["name"] for call in record.trace["calls"]] == [
        "pair_1",
        "pair_1['low']",
        "pair_1['high']",
        "total_1",
    ]
    assert record.trace["output"] == "[total_1]"


def test_a_call_within_a_call_is_part_of_it() -> None:
    @traced
    def outer(x: int, by: int) -> int:
        return g(x) + by

    trace = run(lambda e: outer(e.input, P)).trace
    assert [call["name"] for call in trace["calls"]] == ["outer_1"]


def test_an_async_program_is_traced() -> None:
    @traced
    async def later(x: int, by: int) -> int:
        await asyncio.sleep(0)
        return x + by

    async def program(example: Example) -> Any:
        one, other = await asyncio.gather(later(example.input, P), later(2, P))
        return f(one, other)

    record = run(program)
    assert record.output == 9
    assert [call["name"] for call in record.trace["calls"]] == ["later_1", "later_2", "f_1"]


def test_an_error_shows_the_way_to_it() -> None:
    @traced
    def divide(x: int, by: int) -> float:
        return x / by

    record = run(lambda e: f(divide(e.input, P), 1), p=0)
    assert (record.status, record.score) == ("crash", 0.0)
    assert "ZeroDivisionError" in record.feedback
    last = record.trace["calls"][-1]
    assert (last["name"], last["failed"]) == ("divide_1", True)
    assert record.trace["parameters"] == {"p": "0"}


def test_long_values_and_long_loops_are_shortened() -> None:
    @traced
    def step(text: str, by: int) -> str:
        return text + "x" * by

    def program(example: Example) -> Any:
        text: Any = ""
        for _ in range(300):
            text = step(text, P)
        return text

    trace = run(program).trace
    assert len(trace["calls"]) == 100
    assert trace["omitted"] == 200
    assert trace["calls"][-1]["name"] == "step_300"
    assert all(len(call["value"]) < 310 for call in trace["calls"])


def test_an_output_that_no_log_can_hold_is_put_in_words() -> None:
    record = run(lambda e: unrelated({1, P.value})[0])
    assert record.output == "{1, 3}"


@pytest.mark.parametrize(
    "use",
    [
        lambda node: f"{node}",
        lambda node: bool(node),
        lambda node: node == 2,
        lambda node: list(node),
        lambda node: float(node),
    ],
)
def test_a_traced_value_in_plain_code_is_told_at_once(use: Callable[[Any], Any]) -> None:
    record = run(lambda e: use(g(P)))
    assert record.status == "crash"
    assert "take its .value" in record.feedback


def test_outside_a_run_marked_functions_are_plain() -> None:
    assert f(g(2), P) == 7
    assert P.value == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("f", print), "no sandbox"),
        (("a b", 1), "plain word"),
        (("x", [1]), "text or a number"),
        (("x", float("nan")), "give it a space"),
        (("x", 5, [1, 2]), "not among the options"),
        (("x", "a", {"low": 0}), "write a list of options"),
    ],
)
def test_what_is_no_parameter_is_refused(arguments: Any, message: str) -> None:
    name, value, *space = arguments
    with pytest.raises(InputError, match=message):
        parameter(name, value, space=space[0] if space else None)


def test_a_task_says_what_is_missing() -> None:
    task = ProgramTask(g, [1], lambda output, example: 1.0, [P])
    assert task.check(Artifact({"p": 1})) == []
    assert task.check(Artifact({"q": 1})) == ["no parameter 'q'", "no value for parameter 'p'"]
    with pytest.raises(InputError, match="two parameters"):
        ProgramTask(g, [1], lambda output, example: 1.0, [P, parameter("p", "x")])
    with pytest.raises(InputError, match="make it with parameter"):
        ProgramTask(g, [1], lambda output, example: 1.0, ["p"])  # type: ignore[list-item]
    with pytest.raises(InputError, match="needs parameters"):
        ProgramTask(g, [1], lambda output, example: 1.0, [])


def test_scores_with_feedback_and_later_scores_are_read() -> None:
    async def later(output: Any, example: Example) -> Any:
        return {"score": 0.25, "feedback": f"got {output}"}

    task = ProgramTask(lambda e: f(1, P), [1], later, [P])
    made = task.execute(Candidate(Artifact(task.start), "c"), task.splits["all"][0], 0)
    record = asyncio.run(_awaited(made))
    assert (record.score, record.feedback, record.output) == (0.25, "got 4", 4)
    assert record.trace["output"] == "f_1"


def test_another_program_is_another_study() -> None:
    def other(example: Example) -> Any:
        return f(example.input, P)

    score = FunctionTask(lambda v, e, s: 1.0).function
    one, two = (ProgramTask(p, [1], score, [P]).fingerprint() for p in (g, other))
    assert one != two
