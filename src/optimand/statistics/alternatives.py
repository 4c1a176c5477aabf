"""Closest Bradley-Terry models in which a rival ties with the leader.

For a rival j the constraint theta_j = theta_best merges two nodes of the comparison graph; the
closest model is a weighted Bradley-Terry maximum-likelihood fit on the merged graph. It gives both
the generalised likelihood ratio (weights = games played) and the inner problem of the lower bound
(weights = proportions, scores = proportions times true rates).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.bradley_terry import gradient, laplacian
from optimand.statistics.divergence import sigmoid

__all__ = ["Alternatives", "closest_alternatives", "projected_start"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Alternatives:
    """B fits: coefficients beta (B, d), strengths theta (B, K), win rates (B, K, K).

    `inverse` (B, d, d) is the inverse Hessian restricted to the constraint.
    """

    beta: Floats
    theta: Floats
    rates: Floats
    inverse: Floats


def projected_start(basis: Floats, beta: Floats, best: Ints, rival: Ints) -> Floats:
    """Nearest beta (B, d) to the given ones with equal strengths of best and rival (B,)."""
    direction = basis[best] - basis[rival]
    excess = (direction * beta).sum(-1) / np.maximum((direction**2).sum(-1), 1e-300)
    return np.asarray(beta - excess[:, None] * direction)


def closest_alternatives(
    basis: Floats,
    score: Floats,
    count: Floats,
    pair: tuple[Ints, Ints],
    start: Floats,
    steps: int = 50,
    tol: float = 1e-9,
) -> Alternatives:
    """Fit theta = basis @ beta (basis (K, d)) with theta_best = theta_rival, pair = (best, rival).

    score, count: (B, K, K) or (1, K, K), real and non-negative; start (B, d) must satisfy the
    constraint (`projected_start`). Newton steps within the constraint, at most 1 logit long.
    """
    direction = basis[pair[0]] - basis[pair[1]]
    scale = np.maximum(count.sum((-2, -1)), 1e-12)[:, None]
    beta = start
    small = 1e-9 * np.eye(basis.shape[1])
    for step in range(steps):
        slope, weight = gradient(beta @ basis.T, score / scale[..., None], count / scale[..., None])
        hessian = basis.T @ laplacian(weight) @ basis + small
        inverse = np.linalg.inv(hessian)
        inverse = _restrict(np.asarray(inverse, np.float64), direction)
        move = np.einsum("bij,bj->bi", inverse, slope @ basis)
        size = np.ptp(move @ basis.T, axis=-1)
        beta = beta + move * np.minimum(1.0, 1.0 / np.maximum(size, 1e-12))[:, None]
        if size.max() < tol or step == steps - 1:
            break
    theta = beta @ basis.T
    rates = sigmoid(theta[:, :, None] - theta[:, None, :])
    return Alternatives(beta, theta, rates, inverse / scale[..., None])


def _restrict(inverse: Floats, direction: Floats) -> Floats:
    """Inverse on the subspace orthogonal to `direction` (B, d), given the full inverse."""
    along = np.einsum("bij,bj->bi", inverse, direction)
    length = np.maximum((along * direction).sum(-1), 1e-300)
    return np.asarray(inverse - along[:, :, None] * along[:, None, :] / length[:, None, None])
