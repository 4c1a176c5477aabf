"""What a coordinator and what a single agent of a system is shown: others' failures, or its own.

A part is an agent. Where a record's objectives have the part's name, they say how that agent did;
lines of feedback that begin with an agent's name and a colon are about that agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimand.core.proposal import Context, Evidence, Query
from optimand.core.record import Record
from optimand.queries.ask import template_text
from optimand.queries.blocks import PASSED, failures, successes
from optimand.queries.query import query

__all__ = ["for_agent", "for_coordinator", "seen_by"]


def for_coordinator(context: Context, evidence: Evidence, agents: Sequence[str]) -> Evidence:
    """The failures that most agents share first, how often each agent failed, and guidance."""
    counts = {agent: sum(_failed(r, agent) for r in evidence.records) for agent in agents}
    ordered = sorted(
        evidence.records, key=lambda r: (-sum(_failed(r, a) for a in agents), r.score or 0.0)
    )
    shown = replace(evidence, records=tuple(ordered))
    lines = [f"- {agent}: {n} of {len(ordered)} cases" for agent, n in counts.items() if n]
    return _shown(context, evidence, shown, "coordinator", "\n".join(lines))


def for_agent(context: Context, evidence: Evidence, agent: str, agents: Sequence[str]) -> Evidence:
    """The agent's own failures and what went right, without what was said of other agents."""
    others = [f"{name}:" for name in agents if name != agent]
    records = tuple(
        replace(record, feedback=_without(record.feedback, others))
        for record in evidence.records
        if agent not in record.objectives or _failed(record, agent) or _passed(record)
    )
    return _shown(context, evidence, replace(evidence, records=records), "executor", "")


def _shown(
    context: Context, evidence: Evidence, seen: Evidence, role: str, counts: str
) -> Evidence:
    """The evidence with its blocks about cases written anew; what gates compare is unchanged."""
    blocks = {n: text for n, text in evidence.blocks.items() if n not in ("failures", "successes")}
    cases = {"failures": failures(context, seen), "successes": successes(context, seen)}
    if "failures" in evidence.blocks and "successes" not in evidence.blocks:
        del cases["successes"]
    written = {"your_role": template_text(role).strip(), **blocks, "agents_that_failed": counts}
    written |= cases
    return replace(evidence, blocks={name: text for name, text in written.items() if text})


def _failed(record: Record, agent: str) -> bool:
    return record.objectives.get(agent, 1.0) < PASSED


def _passed(record: Record) -> bool:
    return (record.score or 0.0) >= PASSED


def _without(feedback: str, starts: Sequence[str]) -> str:
    lines = feedback.splitlines()
    return "\n".join(x for x in lines if not x.strip().startswith(tuple(starts)))


def seen_by(
    part: str, first: str, agents: Sequence[str], look: Query | None, minibatch: int
) -> Query:
    """The query `look`, or one of its own, narrowed to what the writer of `part` should see."""

    async def carry_out(context: Context) -> Evidence:
        evidence = await look(context) if look else Evidence(context.action.parents)
        seen = evidence
        if not evidence.records:
            seen = replace(await query("train", minibatch)(context), blocks=evidence.blocks)
        if part == first:
            seen = for_coordinator(context, seen, agents)
        else:
            seen = for_agent(context, seen, part, agents)
        return replace(evidence, blocks=seen.blocks)

    return carry_out
