"""A look at what the search has tried so far, in the words of a model."""

from __future__ import annotations

from optimand.core.artifact import Candidate
from optimand.core.example import endless
from optimand.core.proposal import Context, Evidence
from optimand.operators.critique import Study
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import PASSED, cases, cut, render
from optimand.queries.query import with_block

__all__ = ["summary"]

EACH = 2_000
"""Characters of one candidate with its two cases."""
WHOLE = 4_000
"""Characters of the model's summary that are shown."""
KNOWN = 1_000
"""Training examples among which a record's input is looked up."""


def summary(count: int = 20, role: str = "summarizer", *, into: str = "lessons") -> Study:
    """Ask `role` what separates success from failure over the search so far, as the block `into`.

    It is shown `count` accepted candidates, drawn at random, each with its mean on "train" and one
    case that passed and one that failed. Nothing is asked before anything was run, and an
    unreadable answer leaves the block out. Source: POLCA, arXiv:2603.14769.
    """

    async def look(context: Context, evidence: Evidence) -> Evidence:
        pool = [c for c in context.memory.pool.values() if context.memory.records(c, "train")]
        drawn = context.rng.sample(pool, min(count, len(pool)))
        if not drawn:
            return evidence
        shown = "\n\n".join(cut(_told(context, candidate), EACH) for candidate in drawn)
        reply = await ask(context, role, prompt("summary", {"cases": shown}, {}))
        text = reply.text.strip() if reply.status == "ok" else ""
        return with_block(evidence, into, cut(text, WHOLE))

    return look


def _told(context: Context, candidate: Candidate) -> str:
    records = context.memory.records(candidate, "train")
    passed = [r for r in records if (r.score or 0.0) >= PASSED]
    failed = [r for r in records if (r.score or 0.0) < PASSED]
    drawn = tuple(context.rng.choice(side) for side in (passed, failed) if side)
    split = context.run.task.splits["train"]
    examples = () if endless(split) else tuple(split[:KNOWN])
    told = cases(Evidence(split="train", examples=examples, records=drawn))
    mean = context.memory.value(candidate, "train")
    head = f"### mean score {mean:.2f} over {len(records)} runs"
    return "\n\n".join((head, *told, render(context, candidate)))
