"""Blocks: only training outputs are shown, quoted and cut."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from optimand.core.errors import OptimandError
from optimand.core.example import Example
from optimand.core.proposal import Evidence
from optimand.core.record import Record
from optimand.queries.ask import prompt
from optimand.queries.blocks import LINE, failures, successes
from optimand.queries.minibatch import epochs

EXAMPLES = tuple(Example(f"e{i}", f"in {i}") for i in range(7))


def _evidence(split: str, output: str = "out") -> Evidence:
    records = (
        Record("c", "e0", score=0.0, output=output, feedback="too long"),
        Record("c", "e1", score=1.0, output="right"),
        Record("c", "e2", score=None, output="lost", status="unknown"),
    )
    return Evidence((), split, EXAMPLES[:3], records)


def test_failures_and_successes_are_apart() -> None:
    context = SimpleNamespace()
    wrong, right = (block(context, _evidence("train")) for block in (failures, successes))
    assert "in 0" in wrong
    assert "too long" in wrong
    assert "in 1" not in wrong
    assert "right" in right
    assert "in 0" not in right
    assert "lost" not in wrong + right


@pytest.mark.parametrize("split", ["val", "test"])
def test_outputs_of_other_splits_are_never_shown(split: str) -> None:
    with pytest.raises(OptimandError, match="must not see"):
        failures(SimpleNamespace(), _evidence(split))


def test_long_outputs_are_cut() -> None:
    text = failures(SimpleNamespace(), _evidence("train", "x" * 50_000))
    assert "[...]" in text
    assert len(text) < 2 * LINE


def test_what_a_model_wrote_is_no_template() -> None:
    said = prompt("edit", {"current": "{context} {nothing}", "parts": "a"}, {"failures": "{parts}"})
    assert "{context} {nothing}" in said
    assert "{parts}" in said


def test_an_epoch_shows_every_example_once() -> None:
    seen = []
    for number in range(7):
        context = SimpleNamespace(number=number, run=SimpleNamespace(seed=3))
        seen += [e.id for e in asyncio.run(epochs(context, EXAMPLES, 1))]
    assert sorted(seen) == [e.id for e in EXAMPLES]
    assert seen != sorted(seen)
