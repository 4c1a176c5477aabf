"""SkillGrad: repair a skill as gradient descent would, with momentum."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import cascade
from optimand.memory.notes import Notes
from optimand.methods.registry import method
from optimand.operators.diagnose import failed
from optimand.operators.momentum import momentum
from optimand.operators.patch import patch
from optimand.queries.pools import failed_by_start
from optimand.queries.query import query

__all__ = ["skillgrad"]


@method(
    "skillgrad",
    source="SkillGrad, arXiv:2605.27760",
    roles=("critic", "momentum", "proposer"),
    final="last",
)
def skillgrad(
    problem: Problem,
    *,
    steps: int = 10,
    batch: int = 4,
    pool: int = 40,
    patience: int = 4,
    patterns: int = 50,
) -> Search:
    """Repair a skill folder (see `read_folder`), or any artifact of several texts; no gate.

    `pool` training tasks that the start fails are worked on, `batch` in each step. The critic
    labels each one's failure, says its cause and the part where that belongs, and compares the
    start with the present version where a task is now right. The momentum model merges these into
    lasting patterns (`patterns` at most): where seen, what is missing, and the log of all remedies,
    so that what recurs outranks accidents. The proposer then patches the parts that are named, by
    pattern, and no others. Every patch is kept, whatever it scores, and the last one is the result.
    Ends after `patience` steps in a row with all tasks right. Unlike in the source the layers are
    the artifact's parts, and a header is kept short by instruction only.
    """
    start = current = problem.memory.start
    notes = Notes(patterns)
    look = query("train", batch, failed_by_start(pool))
    repair, keep = patch(notes, momentum()), cascade()
    calm = 0
    for _ in range(steps):
        parents = (current,) if current.id == start.id else (current, start)
        step = yield Propose(repair, parents, keep, look)
        calm = 0 if any(map(failed, step.evidence.of(current))) else calm + 1
        if calm >= patience:
            return
        current = (current, *step.accepted)[-1]
