"""TPE: numeric search over typed settings, without a model."""

from __future__ import annotations

from optimand.core.errors import InputError
from optimand.core.proposal import Problem, Propose, Search
from optimand.evaluation.cascade import Stage, cascade
from optimand.methods.registry import method
from optimand.operators.edit import filtered
from optimand.operators.filters import unseen
from optimand.operators.numeric import Sampler, numeric

__all__ = ["tpe"]

SOURCE = "Bergstra et al. 2011, NeurIPS 24; Akiba et al. 2019 (Optuna), arXiv:1907.10902"


@method("tpe", source=SOURCE, roles=())
def tpe(
    problem: Problem,
    *,
    steps: int = 100,
    width: int = 1,
    sampler: Sampler = "tpe",
    warmup: int = 10,
) -> Search:
    """Draw settings where good ones are dense and bad ones rare, as past scores tell.

    For temperatures, counts, thresholds, names of models: whatever `change` lists as settings;
    texts stay as they are, and no model is asked. The candidates so far are divided into a good
    part and the rest; a density is fitted to each, over all settings together, and proposed is
    the draw from the good one at which the ratio of the two is highest. Each proposal is scored
    on "val" and kept. The first `warmup` are uniform; `width` are drawn at once, each as if the
    one before had failed. `sampler`: "tpe", "gp" (a Gaussian process; needs torch) or "random".
    Needs the extra `optuna`. A choice that was tried before is not run again.
    """
    if not problem.surface.settings:
        raise InputError(
            "method 'tpe' changes settings and there are none: name them, as in "
            "change={'settings': {'temperature': {'low': 0, 'high': 1}}}"
        )
    propose, score = filtered(numeric(sampler, warmup), unseen), cascade(Stage("val"))
    for _ in range(steps):
        yield Propose(propose, (problem.memory.best(),), score, width=width)
