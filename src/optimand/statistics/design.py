"""Regularised optimal proportions of comparisons under (linear) Bradley-Terry, fast and batched.

Near the truth, the evidence against "rival j is best" per comparison is gap_j^2 / (2 R_j(w)), where
R_j(w) = y_j' I(w)^+ y_j, y_j = x_best - x_j, and I(w) is the Fisher information of proportions w
(in the tabular case R_j is the effective resistance between the two on the comparison graph). The
design maximises the smallest of these minus a quadratic penalty, which makes it unique and
continuous in the strengths, as plug-in tracking needs.

Sources: Garivier & Kaufmann 2016 (max-min form); Yu 2010 (multiplicative algorithms).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.bradley_terry import laplacian
from optimand.statistics.divergence import sigmoid

__all__ = ["fisher_design"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RIDGE = 1e-9
MIN_GAP = 0.02  # logits; keeps early, nearly tied estimates from asking for infinite precision


def fisher_design(
    theta: Floats,
    best: Ints,
    features: Floats | None = None,
    regularisation: float = 0.02,
    iterations: int = 100,
) -> tuple[Floats, Floats]:
    """Proportions (R, K, K) for strengths theta (R, K) with leader best (R,), and T (R,).

    The proportions are symmetric and sum to 1 over pairs a < b. T is the Fisher approximation of
    the characteristic time T* they achieve. `regularisation` is the weight of the penalty relative
    to the value; 0 gives an optimal, possibly not unique, design. Multiplicative updates of the
    proportions against multiplicative weights on the rivals; the best iterate is returned.
    """
    reps, size = theta.shape
    rows = np.arange(reps)
    win = sigmoid(theta[:, :, None] - theta[:, None, :])
    info = win * (1.0 - win)
    gap = np.maximum(theta[rows, best][:, None] - theta, MIN_GAP)
    rival = np.ones((reps, size))
    rival[rows, best] = 0.0
    weights = _star_start(theta, best)
    price = rival / (size - 1)
    champion, value = weights, np.full(reps, np.inf)
    for step in range(iterations):
        cover = _covariance(info * weights, features)
        need = rival * _resistance(cover, best) / gap**2
        worst = need.max(1)
        score = worst * (1.0 + 0.5 * regularisation * _pairs(weights**2))
        better = score < value
        value = np.where(better, score, value)
        champion = np.where(better[:, None, None], weights, champion)
        price = price * np.exp(2.0 * (need / worst[:, None] - 1.0) / np.sqrt(step + 1.0))
        price = rival * price / (rival * price).sum(1, keepdims=True)
        gain = _gain(cover, info, price / gap**2, best)
        gain = gain / _pairs(weights * gain)[:, None, None] - regularisation * weights
        weights = weights * np.sqrt(np.maximum(gain, 1e-12))
        # Rounding leaves a trace of asymmetry, which repeated multiplication would amplify.
        weights = weights + weights.transpose(0, 2, 1)
        weights = weights / _pairs(weights)[:, None, None]
    cover = _covariance(info * champion, features)
    reached = (rival * _resistance(cover, best) / gap**2).max(1)
    return champion, 2.0 * reached


def _pairs(matrix: Floats) -> Floats:
    return np.asarray(0.5 * matrix.sum((-2, -1)))


def _star_start(theta: Floats, best: Ints) -> Floats:
    """Half of the mass on the leader's pairs, half spread over all pairs."""
    reps, size = theta.shape
    rows = np.arange(reps)
    star = np.zeros((reps, size, size))
    star[rows, best, :] = star[rows, :, best] = 1.0
    star[rows, best, best] = 0.0
    every = np.ones((size, size)) - np.eye(size)
    return np.asarray(0.5 * star / (size - 1) + 0.5 * every / (0.5 * size * (size - 1)))


def _covariance(edges: Floats, features: Floats | None) -> Floats:
    """Covariance (R, K, K) of the strengths for information edge weights (R, K, K)."""
    graph = laplacian(edges)
    if features is None:
        size = graph.shape[-1]
        # Adding 1 1' / K fixes the free level and leaves every difference unchanged.
        return np.asarray(
            np.linalg.inv(graph + np.ones((size, size)) / size + RIDGE * np.eye(size))
        )
    inner = features.T @ graph @ features + RIDGE * np.eye(features.shape[1])
    return np.asarray(features @ np.linalg.inv(inner) @ features.T)


def _resistance(cover: Floats, best: Ints) -> Floats:
    """Variance (R, K) of theta_best - theta_j."""
    rows = np.arange(len(best))
    own = np.diagonal(cover, axis1=1, axis2=2)
    return np.asarray(own[rows, best][:, None] + own - 2.0 * cover[rows, best])


def _gain(cover: Floats, info: Floats, price: Floats, best: Ints) -> Floats:
    """Decrease of the priced variances per unit of each pair (R, K, K)."""
    rows = np.arange(len(best))
    star = np.zeros_like(cover)
    star[rows, best, :] = star[rows, :, best] = price
    spread = cover @ laplacian(star) @ cover
    own = np.diagonal(spread, axis1=1, axis2=2)
    return np.asarray(info * np.maximum(own[:, :, None] + own[:, None, :] - 2.0 * spread, 0.0))
