"""OPRO on the token bench."""

from __future__ import annotations

from tests.methods.benches import improved, token_editor


def test_it_climbs_and_drops_what_it_has_seen() -> None:
    result = improved("opro", 1500)
    assert result.proven
    assert result.gain is not None
    assert result.gain["estimate"] > 0.2
    assert result.reasons["proposed before"] > 0


def test_long_proposals_are_not_run() -> None:
    result = improved({"type": "opro", "longest": 12, "steps": 20}, 1500)
    assert all(len(c.artifact.parts["value"]) <= 12 for c in result.lineage)
    assert any("more than 12" in reason for reason in result.reasons)


def test_junk_replies_alone_leave_the_start() -> None:
    result = improved({"type": "opro", "steps": 5}, proposer=token_editor(junk=1.0))
    assert result.best == result.start
    assert result.certificate is None
    assert "Not certified: the search found nothing" in str(result)
