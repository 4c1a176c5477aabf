"""Max-min proportions for (linear) Bradley-Terry: a barrier method with a duality certificate.

Maximise v subject to F_j(w) >= v for all rivals j, over proportions w. Each F_j is concave with
gradient kl(p_e, q^j_e) and Hessian from the implicit function theorem; both come from the merged
fits of `alternatives`. Any rival weights mu give the bound max_e sum_j mu_j kl(p_e, q^j_e), so the
gap is certified. Only pairs that matter are kept; the certificate looks at all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.alternatives import (
    Alternatives,
    closest_alternatives,
    contrasts,
    information,
    tied_start,
)
from optimand.statistics.design import fisher_design
from optimand.statistics.divergence import binary_entropy, sigmoid

__all__ = ["solve_structured"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 12


@dataclass(frozen=True)
class _Problem:
    """Fixed data: rates p (K, K), features, all pairs (a, b) (E,) with their contrasts (E, d).

    `ties` (J, d) are the contrasts of the leader with each rival.
    """

    rates: Floats
    features: Floats | None
    a: Ints
    b: Ints
    best: int
    cross: Floats
    ties: Floats

    def matrix(self, w: Floats) -> Floats:
        """Symmetric (K, K) proportions from pair weights (E,)."""
        out = np.zeros_like(self.rates)
        out[self.a, self.b] = w
        return out + out.T

    def inner(self, w: Floats, start: Floats) -> tuple[Floats, Floats, Alternatives]:
        """F (J,), gradients (J, E) and the fits at pair weights w (E,)."""
        weight = self.matrix(w)[None]
        fits = closest_alternatives(
            self.features, weight * self.rates, weight, self.ties, start, 30
        )
        q = np.clip(fits.rates[:, self.a, self.b], 1e-12, 1 - 1e-12)
        p = self.rates[self.a, self.b]
        slopes = -(p * np.log(q) + (1.0 - p) * np.log1p(-q)) - binary_entropy(p)
        return slopes @ w, slopes, fits

    def curvature(self, fits: Alternatives, w: Floats, mu: Floats, keep: Ints) -> Floats:
        """Minus the Hessian of sum_j mu_j F_j on the kept pairs (E', E').

        By the implicit function theorem it is the sum of mu_j G_j P_j G_j', with G_j the residual
        times the contrasts and P_j the inverse information restricted to the tie.
        """
        active = np.flatnonzero(mu > 1e-6 * mu.max())
        rates = fits.rates[active]
        inverse = np.linalg.inv(information(self.features, self.matrix(w) * rates * (1.0 - rates)))
        along = np.einsum("jcd,jd->jc", inverse, self.ties[active])
        length = (along * self.ties[active]).sum(-1)
        inverse -= along[:, :, None] * (along / length[:, None])[:, None, :]
        a, b, cross = self.a[keep], self.b[keep], self.cross[keep]
        out = np.zeros((len(keep), len(keep)))
        for j, price in enumerate(mu[active]):
            residual = np.sqrt(price) * (rates[j, a, b] - self.rates[a, b])
            half = residual[:, None] * cross
            out += (half @ inverse[j]) @ half.T
        return out


def solve_structured(
    theta: Floats, best: int, features: Floats | None = None, tol: float = 1e-3
) -> tuple[float, Floats, float]:
    """Return (value 1/T*, proportions (K, K), relative gap) for strengths theta (K,)."""
    size = len(theta)
    a, b = np.triu_indices(size, 1)
    rivals = np.delete(np.arange(size), best)
    rates = sigmoid(theta[:, None] - theta)
    cross = contrasts(features, size, a, b)
    ties = contrasts(features, size, np.full(size - 1, best), rivals)
    problem = _Problem(rates, features, a, b, best, cross, ties)
    point = theta if features is None else np.linalg.lstsq(features, theta, rcond=None)[0]
    start = tied_start(ties, np.tile(point, (size - 1, 1)))
    rough, _time = fisher_design(theta[None], np.array([best]), features, 0.0, 150)
    w = rough[0][a, b]
    keep = _support(problem, w, 0.02)
    value, bound, champion = 0.0, np.inf, w
    for _round in range(ROUNDS):
        w, reached, limit, excess, start = _barrier(problem, w, keep, start, tol)
        bound = min(bound, limit)
        if reached > value:
            value, champion = reached, w
        if bound / value - 1.0 <= tol:
            break
        keep, w = _widen(problem, w, keep, excess)
    return value, problem.matrix(champion), max(bound / value - 1.0, 0.0)


def _support(problem: _Problem, w: Floats, least: float) -> Ints:
    """The leader's pairs, and those with a share of the weight of both of their candidates."""
    star = (problem.a == problem.best) | (problem.b == problem.best)
    most = problem.matrix(w).max(1)
    share = w / np.minimum(most[problem.a], most[problem.b])
    share[star] = np.inf
    cut = np.sort(share)[-min(len(w), 4 * len(problem.rates))]
    return np.flatnonzero(share >= max(cut, least))


def _widen(problem: _Problem, w: Floats, keep: Ints, excess: Floats) -> tuple[Ints, Floats]:
    """Add the pairs priced highest above the kept ones, with a little weight; drop the idle."""
    over = np.flatnonzero(excess > 0)
    over = over[np.argsort(-excess[over])][: 2 * len(problem.rates)]
    keep = np.union1d(np.intersect1d(keep, _support(problem, w, 1e-3)), over)
    w = w.copy()
    most = problem.matrix(w).max(1)
    w[over] = np.maximum(w[over], 0.02 * np.minimum(most[problem.a[over]], most[problem.b[over]]))
    return keep, w / w.sum()


def _barrier(
    problem: _Problem, w: Floats, keep: Ints, start: Floats, tol: float
) -> tuple[Floats, float, float, Floats, Floats]:
    """Barrier path on the kept pairs: (w (E,), value, bound, violations (E,), warm start)."""
    mass = np.zeros_like(w)
    mass[keep] = np.maximum(w[keep], 1e-4 * w[keep].mean())
    w = mass / mass.sum()
    f, slopes, fits = problem.inner(w, start)
    v = 0.8 * f.min()
    tau = 0.05 * f.min() / (len(f) + len(keep))
    best_w, value, bound = w, float(f.min()), np.inf
    violation = np.zeros_like(w)
    for _ in range(60):
        mu = tau / (f - v)
        w, v, f, slopes, fits, decrement = _newton(problem, w, v, tau, keep, (f, slopes, fits))
        if f.min() > value:
            best_w, value = w, float(f.min())
        mu = tau / (f - v)
        price = (mu / mu.sum()) @ slopes
        if price.max() < bound:
            bound, violation = float(price.max()), price - price[keep].max()
        inside = price[keep].max() / value - 1.0
        outside = price.max() / price[keep].max() - 1.0
        if bound / value - 1.0 <= tol or inside <= max(0.1 * tol, 0.2 * outside):
            break
        if decrement < 0.5 * tau:
            tau *= 0.1
    return best_w, value, bound, violation, fits.coefficients


def _newton(
    problem: _Problem,
    w: Floats,
    v: float,
    tau: float,
    keep: Ints,
    at: tuple[Floats, Floats, Alternatives],
) -> tuple[Floats, float, Floats, Floats, Alternatives, float]:
    """One damped Newton step on v + tau sum ln(F_j - v) + tau sum ln w; also its decrement."""
    f, slopes, fits = at
    step_w, step_v, decrement = _direction(problem, w, v, tau, keep, at)
    down = step_w < 0
    t = min(1.0, 0.95 * float(np.min(-w[keep][down] / step_w[down]))) if down.any() else 1.0
    merit = v + tau * np.log(f - v).sum() + tau * np.log(w[keep]).sum()
    for _ in range(30):
        new = w.copy()
        new[keep] += t * step_w
        level = v + t * step_v
        f_new, slopes_new, fits_new = problem.inner(new, fits.coefficients)
        if f_new.min() > level:
            value = level + tau * np.log(f_new - level).sum() + tau * np.log(new[keep]).sum()
            if value > merit + 1e-4 * t * decrement - 1e-12:
                return new, level, f_new, slopes_new, fits_new, decrement
        t *= 0.5
    return w, v, f, slopes, fits, 0.0


def _direction(
    problem: _Problem,
    whole: Floats,
    v: float,
    tau: float,
    keep: Ints,
    at: tuple[Floats, Floats, Alternatives],
) -> tuple[Floats, float, float]:
    """Newton direction (dw, dv) of the barrier within sum dw = 0, and its decrement."""
    f, slopes, fits = at
    w = whole[keep]
    slack = f - v
    mu = tau / slack
    part = slopes[:, keep]
    size = len(keep)
    system = np.zeros((size + 2, size + 2))
    scaled = part * np.sqrt(mu / slack)[:, None]
    system[:size, :size] = problem.curvature(fits, whole, mu, keep) + scaled.T @ scaled
    index = np.arange(size)
    system[index, index] += tau / w**2
    system[:size, size] = system[size, :size] = -(mu / slack) @ part
    system[size, size] = (mu / slack).sum()
    system[:size, size + 1] = system[size + 1, :size] = 1.0
    slope = np.r_[mu @ part + tau / w, 1.0 - mu.sum()]
    move = np.linalg.solve(system, np.r_[slope, 0.0])[:-1]
    return np.asarray(move[:-1], np.float64), float(move[-1]), float(slope @ move)
