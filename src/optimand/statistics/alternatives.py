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

__all__ = ["Alternatives", "closest_alternatives", "contrasts", "information", "tied_start"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Alternatives:
    """B fits: coefficients (B, d) (strengths when there are no features) and rates (B, K, K)."""

    coefficients: Floats
    rates: Floats


def contrasts(features: Floats | None, size: int, a: Ints, b: Ints) -> Floats:
    """Rows x_a - x_b (B, d) in coefficient space; without features, of the identity."""
    basis = np.eye(size) if features is None else features
    return np.asarray(basis[a] - basis[b])


def tied_start(direction: Floats, coefficients: Floats) -> Floats:
    """Nearest coefficients (B, d) without any component along direction (B, d)."""
    excess = (direction * coefficients).sum(-1) / np.maximum((direction**2).sum(-1), 1e-300)
    return np.asarray(coefficients - excess[:, None] * direction)


def closest_alternatives(
    features: Floats | None,
    score: Floats,
    count: Floats,
    direction: Floats,
    start: Floats,
    steps: int = 50,
    tol: float = 1e-10,
) -> Alternatives:
    """Fit theta = features @ c (or theta = c) subject to direction . c = 0, for B problems.

    score, count: (B, K, K) or (1, K, K), real and non-negative; direction (B, d), the contrast
    of leader and rival; start (B, d) must satisfy the constraint (`tied_start`). Damped Newton
    steps within the constraint, until the divergence per weight is minimal up to `tol`.
    """
    scale = np.maximum(count.sum((-2, -1)), 1e-12)[:, None, None]
    score, count = score / scale, count / scale
    point = start
    for _ in range(steps):
        slope, weight = gradient(_strengths(features, point), score, count)
        move = _step(features, slope, weight, direction)
        travel = _strengths(features, move)
        size = np.ptp(travel, axis=-1)
        # ln(1 + size) / size guarantees descent for logistic losses (Sun & Tran-Dinh 2019).
        point = point + move * (np.log1p(size) / np.maximum(size, 1e-300))[:, None]
        if (travel * slope).sum(-1).max() < tol:
            break
    theta = _strengths(features, point)
    return Alternatives(point, sigmoid(theta[:, :, None] - theta[:, None, :]))


def information(features: Floats | None, weight: Floats) -> Floats:
    """Fisher information (B, d, d) of edge weights (B, K, K), made invertible.

    Without features the free common level gets a curvature of its own; no difference depends on it.
    """
    graph = laplacian(weight)
    if features is None:
        size = weight.shape[-1]
        level = np.trace(graph, axis1=-2, axis2=-1)[:, None, None] / size**2
        return np.asarray(graph + level + 1e-12 * np.eye(size))
    return np.asarray(features.T @ graph @ features + 1e-12 * np.eye(features.shape[1]))


def _strengths(features: Floats | None, point: Floats) -> Floats:
    return point if features is None else np.asarray(point @ features.T)


def _step(features: Floats | None, slope: Floats, weight: Floats, direction: Floats) -> Floats:
    """Newton step (B, d) restricted to moves orthogonal to `direction`."""
    inner = slope if features is None else slope @ features
    both = np.stack(np.broadcast_arrays(inner, direction), -1)
    solved = np.linalg.solve(information(features, weight), both)
    free, along = solved[..., 0], solved[..., 1]
    length = np.maximum((along * direction).sum(-1), 1e-300)
    return np.asarray(free - along * ((free * direction).sum(-1) / length)[:, None])
