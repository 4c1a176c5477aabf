"""OptiCom on the token bench."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import pytest
from tests.methods.benches import improved, token_editor

from optimand.core.errors import InputError
from optimand.core.model import Reply, Request
from optimand.llm.scripted import Scripted


def controller(say: Callable[[random.Random], object]) -> Scripted:
    """Answers with what `say` gives, as JSON."""

    def answer(request: Request) -> Reply:
        return Reply(json.dumps(say(random.Random(request.seed))))

    return Scripted(answer, name="controller")


PACKAGE = {
    "operator": "revise",
    "scope": "errors",
    "batch": 4,
    "width": 2,
    "depth": "standard",
    "retain": "any",
}


@pytest.mark.parametrize("kind", ["rules", "fixed"])
def test_it_finds_the_tokens_and_proves_the_gain(kind: str) -> None:
    result = improved({"type": "opticom", "controller": kind}, 3000)
    assert result.proven
    assert len(set(result.best.artifact.parts["value"].split())) >= 11


def test_a_model_controls() -> None:
    clients = {"proposer": token_editor(), "controller": controller(lambda _: PACKAGE)}
    result = improved({"type": "opticom", "controller": "model"}, 3000, proposer=clients)
    assert result.proven


def test_a_package_that_is_wrong_is_never_carried_out() -> None:
    wrong = {**PACKAGE, "operator": "verify"}
    clients = {"proposer": token_editor(), "controller": controller(lambda _: wrong)}
    result = improved(
        {"type": "opticom", "controller": "model", "steps": 4}, 3000, proposer=clients
    )
    assert result.lineage[0] == result.start
    assert result.spent["rollouts"] > 0  # the rules took over


def test_drafts_displace_nobody_until_they_are_verified() -> None:
    shallow = {**PACKAGE, "depth": "shallow"}
    clients = {"proposer": token_editor(junk=0.0), "controller": controller(lambda _: shallow)}
    result = improved(
        {"type": "opticom", "controller": "model", "steps": 6, "adapter": False},
        3000,
        proposer=clients,
    )
    assert len(result.known) > 1
    assert result.best == result.start
    assert any(reason.startswith("provisional") for reason in result.reasons)


@pytest.mark.parametrize("option", [{"controller": "magic"}, {"operator": "magic"}])
def test_odd_options_are_refused(option: dict[str, str]) -> None:
    with pytest.raises(InputError, match="opticom"):
        improved({"type": "opticom", **option}, 100)
