"""GEPA on the token bench."""

from __future__ import annotations

from tests.methods.benches import TOKENS, improved, token_editor


def test_it_finds_every_token_and_proves_the_gain() -> None:
    result = improved("gepa")
    assert set(TOKENS) <= set(result.best.artifact.parts["value"].split())
    assert result.proven
    assert result.lineage[0] == result.start


def test_a_child_is_kept_only_if_it_beats_its_parent_on_the_batch() -> None:
    result = improved({"type": "gepa", "steps": 30}, proposer=token_editor(seeing=0.3))
    assert any("no better than its parent" in reason for reason in result.reasons)
