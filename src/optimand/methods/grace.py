"""GRACE: small gated edits, and compression when they stall."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import above
from optimand.methods.registry import method
from optimand.operators.edit import edit
from optimand.queries.blocks import PASSED, failures, limits, successes
from optimand.queries.query import query
from optimand.queries.right_wrong import right_and_wrong

__all__ = ["grace"]


@method("grace", source="GRACE, github.com/Eric8932/GRACE")
def grace(
    problem: Problem,
    *,
    steps: int = 80,
    shown: int = 3,
    batch: int = 8,
    patience: int = 5,
) -> Search:
    """Refine one text by small edits that must pay, and compress it when they no longer do.

    Each step runs the current text on batches of `batch` training examples until `shown` are
    right and `shown` wrong; the proposer is asked for the smallest change that repairs the wrong
    and keeps the right. The new text becomes the current one only if its validation mean is
    strictly above the best since the last compression. After `patience` steps in a row without
    gain the text is compressed; that is accepted whatever it scores, and becomes the mark to
    beat. Ends where nothing in the training examples is wrong. The result is the best of all
    accepted texts, so a compression that costs too much costs nothing. An unreadable reply counts
    as a step without gain; an unreadable compression is asked for again after the next one.
    """
    memory = problem.memory
    refine, compress = edit("refine", name="refine"), edit("compress", name="compress")
    pick = right_and_wrong(batch)
    look = query("train", 2 * shown, pick, failures=failures, successes=successes, limits=limits)
    current, stalls = memory.start, 0
    mark = memory.value(current)
    for _ in range(steps):
        step = yield Propose(refine, (current,), cascade(Stage("val", above(mark))), look)
        stalls = 0 if step.accepted else stalls + 1
        seen = [r for r in step.evidence.records if r.status != "unknown"]
        if seen and not step.accepted and all((r.score or 0.0) >= PASSED for r in seen):
            return
        if stalls >= patience:
            brief = query(limits=limits)
            step = yield Propose(compress, (current,), cascade(Stage("val")), brief)
            stalls = 0 if step.accepted else stalls
        if step.accepted:
            current = step.accepted[0]
            mark = memory.value(current)
