"""ActiveSaddler: an active curriculum of failure patterns."""

from __future__ import annotations

from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.evaluation.gates import beats_parent
from optimand.memory.notes import Notes
from optimand.methods.registry import method
from optimand.operators.momentum import by_label
from optimand.operators.patch import patch
from optimand.queries.curriculum import OPEN, pull_or_draw
from optimand.queries.query import query

__all__ = ["activesaddler"]


@method(
    "activesaddler",
    source="ActiveSaddler, arXiv:2610.00906",
    roles=("controller", "critic", "proposer"),
)
def activesaddler(
    problem: Problem,
    *,
    steps: int = 40,
    batch: int = 4,
    temperature: float = 0.15,
    floor: float = 0.02,
) -> Search:
    """Choose which training cases feed the optimizer: a known failure pattern's, or unseen ones.

    Arms are failure patterns with open cases. The controller says pull or draw; without arms it
    draws, and an answer that cannot be read pulls. Pull: it scores each pattern's severity,
    fixability, breadth and side effect; phi = mean(sev, fix, breadth, 1 - side), and an arm is
    drawn with probability floor + (1 - K floor) softmax(phi / temperature), uniformly where K floor
    is 1 or more. Draw: the next unseen cases of a fixed permutation. The critic then diagnoses each
    case scored below 1/2 and names its pattern, a known one where it fits. The proposer patches,
    and the patch becomes current if the mean rises strictly on the same cases; it is then scored on
    the validation split, and the best there is the result. The source's moving average of rewards
    is a diagnostic only, and is left out; the size of a session is ours.
    """
    notes, current = Notes(), problem.memory.start
    pick = pull_or_draw(notes, temperature=temperature, floor=floor)
    look = query("train", batch, pick)
    repair = patch(notes, by_label, below=OPEN, aimed=False)
    screen = cascade(Stage("batch", beats_parent), Stage("val"))
    for _ in range(steps):
        step = yield Propose(repair, (current,), screen, look)
        if not step.evidence.examples:
            return
        current = (current, *step.accepted)[-1]
