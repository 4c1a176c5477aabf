"""Bradley-Terry strengths: P(i beats j) = sigmoid(theta_i - theta_j), fitted by Newton's method.

Batched over a leading axis R of independent replications. `score[r, i, j]` is the sum of i's
scores against j (1 win, 1/2 tie), so score[r, j, i] = count[r, i, j] - score[r, i, j]; `count` is
symmetric with a zero diagonal. A ridge on theta (a normal prior) keeps the fit finite while
somebody is unbeaten. Source: Bradley & Terry 1952; Hunter 2004 for existence of the estimate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import sigmoid

__all__ = [
    "coordinate_step",
    "fit",
    "fit_linear",
    "fit_precision",
    "gradient",
    "laplacian",
    "newton_step",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def gradient(theta: Floats, score: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Return (score residual (R, K), information weight (R, K, K)) at theta (R, K)."""
    win = sigmoid(theta[..., :, None] - theta[..., None, :])
    return (score - count * win).sum(-1), count * win * (1.0 - win)


def laplacian(weight: Floats) -> Floats:
    """Graph Laplacian (R, K, K) of symmetric edge weights (R, K, K)."""
    out = -weight
    index = np.arange(weight.shape[-1])
    out[..., index, index] += weight.sum(-1)
    return out


def newton_step(
    theta: Floats, score: Floats, count: Floats, ridge: Floats, limit: float = 1.0
) -> tuple[Floats, Floats]:
    """One Newton step of the ridge fit: (new theta (R, K), diagonal curvature (R, K)).

    No coordinate moves by more than `limit` logits, which makes repeated steps converge.
    """
    slope, weight = gradient(theta, score, count)
    curvature = weight.sum(-1) + ridge[:, None]
    hessian = laplacian(weight) + ridge[:, None, None] * np.eye(theta.shape[-1])
    step = np.linalg.solve(hessian, (slope - ridge[:, None] * theta)[..., None])[..., 0]
    size = np.abs(step).max(-1, keepdims=True)
    return theta + step * np.minimum(1.0, limit / np.maximum(size, 1e-12)), curvature


def coordinate_step(
    theta: Floats, score: Floats, count: Floats, who: Ints, ridge: Floats
) -> tuple[Floats, Floats]:
    """Newton step in coordinate who (R,) of theta (R, K), in O(K): (new value, curvature), (R,)."""
    rows = np.arange(len(who))
    own = theta[rows, who]
    played = count[rows, who]
    win = sigmoid(own[:, None] - theta)
    slope = (score[rows, who] - played * win).sum(-1) - ridge * own
    curvature = (played * win * (1.0 - win)).sum(-1) + ridge
    return own + np.clip(slope / curvature, -1.0, 1.0), curvature


def fit(
    score: Floats, count: Floats, ridge: float = 0.1, steps: int = 100, tol: float = 1e-10
) -> Floats:
    """Ridge maximum-likelihood strengths (R, K) (or (K,) for (K, K) input), centred at zero.

    ridge 0 gives the plain maximum-likelihood estimate, which exists only when the graph of wins
    is strongly connected; otherwise strengths drift off by at most `steps` logits.
    """
    single = score.ndim == 2
    if single:
        score, count = score[None], count[None]
    theta = np.zeros(score.shape[:-1])
    floor = np.full(len(theta), max(ridge, 1e-9))
    for _ in range(steps):
        new, _curvature = newton_step(theta, score, count, floor)
        moved = np.abs(new - theta).max()
        theta = new
        if moved < tol:
            break
    theta = theta - theta.mean(-1, keepdims=True)
    return np.asarray(theta[0] if single else theta)


def fit_linear(
    features: Floats,
    score: Floats,
    count: Floats,
    ridge: Floats,
    start: Floats | None = None,
    steps: int = 100,
    tol: float = 1e-10,
) -> tuple[Floats, Floats]:
    """Linear Bradley-Terry, theta = X beta: (beta (R, d), Hessian (R, d, d)) for X (K, d).

    The prior on beta is normal with precision `ridge` (R,) > 0; `start` (R, d) is where
    Newton's method begins.
    """
    dim = features.shape[1]
    beta = np.zeros((len(score), dim)) if start is None else start
    hessian = np.broadcast_to(np.eye(dim), (len(score), dim, dim))
    for _ in range(steps):
        slope, weight = gradient(beta @ features.T, score, count)
        hessian = features.T @ laplacian(weight) @ features + ridge[:, None, None] * np.eye(dim)
        step = np.linalg.solve(hessian, (slope @ features - ridge[:, None] * beta)[..., None])[
            ..., 0
        ]
        reach = np.abs(step @ features.T).max(-1, keepdims=True)
        beta = beta + step * np.minimum(1.0, 2.0 / np.maximum(reach, 1e-12))
        if reach.max() < tol:
            break
    return beta, hessian


def fit_precision(
    theta: Floats, score: Floats, count: Floats, prior: float = 20.0, weight: float = 30.0
) -> Floats:
    """How well Bradley-Terry fits: pseudo-comparisons c (R,) of shrinkage per pair, in [1, 499].

    Moment estimate of beta-binomial overdispersion rho around the fit, shrunk towards
    1 / (1 + prior) with `weight` pseudo-comparisons; c = 1 / rho - 1. Large when the pool is
    transitive, small when it is not.
    """
    win = sigmoid(theta[..., :, None] - theta[..., None, :])
    used = np.triu(count >= 2.0, 1)
    expected = np.maximum(count * win * (1.0 - win), 1e-12)
    chi2 = np.where(used, (score - count * win) ** 2 / expected, 0.0).sum((-2, -1))
    pairs = used.sum((-2, -1))
    free = np.maximum(pairs - 0.5 * (theta.shape[-1] - 1), 0.0)
    spare = np.where(used, count - 1.0, 0.0).sum((-2, -1))
    excess = np.maximum(chi2 - free, 0.0)
    rho = np.clip((weight / (1.0 + prior) + excess) / (weight + spare), 0.002, 0.5)
    return np.asarray(1.0 / rho - 1.0)
