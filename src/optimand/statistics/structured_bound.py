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

from optimand.statistics.alternatives import Alternatives, closest_alternatives, projected_start
from optimand.statistics.design import fisher_design
from optimand.statistics.divergence import binary_kl, sigmoid

__all__ = ["solve_structured"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass
class _Problem:
    """Fixed data: rates p (K, K), basis (K, d), all pairs (a, b) (E,), leader and rivals (J,)."""

    rates: Floats
    basis: Floats
    a: Ints
    b: Ints
    best: Ints
    rivals: Ints

    def matrix(self, w: Floats) -> Floats:
        """Symmetric (K, K) proportions from pair weights (E,)."""
        out = np.zeros_like(self.rates)
        out[self.a, self.b] = w
        return out + out.T

    def inner(self, w: Floats, start: Floats) -> tuple[Floats, Floats, Alternatives]:
        """F (J,), gradients (J, E) and the fits at pair weights w (E,)."""
        weight = self.matrix(w)[None]
        fits = closest_alternatives(
            self.basis, weight * self.rates, weight, (self.best, self.rivals), start, 30, 1e-7
        )
        slopes = binary_kl(
            self.rates[self.a, self.b], np.clip(fits.rates[:, self.a, self.b], 1e-12, 1 - 1e-12)
        )
        return slopes @ w, slopes, fits

    def curvature(self, fits: Alternatives, mu: Floats, keep: Ints) -> Floats:
        """Minus the Hessian of sum_j mu_j F_j on the kept pairs (E', E')."""
        a, b = self.a[keep], self.b[keep]
        cross = self.basis[a] - self.basis[b]
        residual = fits.rates[:, a, b] - self.rates[a, b]
        active = np.flatnonzero(mu > 1e-7 * mu.max())
        out = np.zeros((len(keep), len(keep)))
        for j in active:
            half = residual[j][:, None] * cross
            out += mu[j] * (half @ fits.inverse[j] @ half.T)
        return out


def solve_structured(
    theta: Floats, best: int, features: Floats | None = None, tol: float = 1e-3
) -> tuple[float, Floats, float]:
    """Return (value 1/T*, proportions (K, K), relative gap) for strengths theta (K,)."""
    size = len(theta)
    a, b = np.triu_indices(size, 1)
    rivals = np.delete(np.arange(size), best)
    basis = np.eye(size) if features is None else np.asarray(features, float)
    rates = sigmoid(theta[:, None] - theta)
    problem = _Problem(rates, basis, a, b, np.full(size - 1, best), rivals)
    beta = np.linalg.lstsq(basis, theta, rcond=None)[0]
    start = projected_start(basis, np.tile(beta, (size - 1, 1)), problem.best, rivals)
    rough, _time = fisher_design(theta[None], np.array([best]), features, 0.0, 150)
    w = rough[0][a, b]
    value, bound, champion = 0.0, np.inf, w
    for _round in range(6):
        keep = _support(problem, w)
        w, value_now, bound_now, slack, start = _barrier(problem, w, keep, start, tol)
        bound = min(bound, bound_now)
        if value_now > value:
            value, champion = value_now, w
        if bound / value - 1.0 <= tol:
            break
        w = _add_violators(w, slack)
    return value, problem.matrix(champion), max(bound / value - 1.0, 0.0)


def _support(problem: _Problem, w: Floats) -> Ints:
    """Pairs worth optimising over: those with weight, and the leader's."""
    star = (problem.a == problem.best[0]) | (problem.b == problem.best[0])
    return np.flatnonzero((w > 1e-3 * w.max()) | star)


def _add_violators(w: Floats, slack: Floats) -> Floats:
    """Give the pairs whose price exceeds the bound of the kept ones a little weight."""
    extra = np.flatnonzero(slack > 0)
    extra = extra[np.argsort(-slack[extra])][: 2 * int(len(w) ** 0.5) + 10]
    w = w.copy()
    w[extra] = np.maximum(w[extra], 2e-3 * w.max())
    return np.asarray(w / w.sum())


def _barrier(
    problem: _Problem, w: Floats, keep: Ints, start: Floats, tol: float
) -> tuple[Floats, float, float, Floats, Floats]:
    """Barrier path on the kept pairs: (w (E,), value, bound, violations (E,), warm start)."""
    mass = np.zeros_like(w)
    mass[keep] = np.maximum(w[keep], 1e-5)
    w = mass / mass.sum()
    f, slopes, fits = problem.inner(w, start)
    v = 0.8 * f.min()
    tau = 0.3 * f.min() / (len(f) + len(keep))
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
        if bound / value - 1.0 <= tol or (inside <= 0.5 * tol and price.max() > price[keep].max()):
            break
        if decrement < 0.5 * tau:
            tau *= 0.15
    return best_w, value, bound, violation, fits.beta


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
    step_w, step_v, decrement = _direction(problem, w[keep], v, tau, keep, at)
    down = step_w < 0
    t = min(1.0, 0.95 * float(np.min(-w[keep][down] / step_w[down]))) if down.any() else 1.0
    merit = v + tau * np.log(f - v).sum() + tau * np.log(w[keep]).sum()
    for _ in range(30):
        new = w.copy()
        new[keep] += t * step_w
        level = v + t * step_v
        f_new, slopes_new, fits_new = problem.inner(new, fits.beta)
        if f_new.min() > level:
            value = level + tau * np.log(f_new - level).sum() + tau * np.log(new[keep]).sum()
            if value > merit + 1e-4 * t * decrement - 1e-12:
                return new, level, f_new, slopes_new, fits_new, decrement
        t *= 0.5
    return w, v, f, slopes, fits, 0.0


def _direction(
    problem: _Problem,
    w: Floats,
    v: float,
    tau: float,
    keep: Ints,
    at: tuple[Floats, Floats, Alternatives],
) -> tuple[Floats, float, float]:
    """Newton direction (dw, dv) of the barrier within sum dw = 0, and its decrement."""
    f, slopes, fits = at
    slack = f - v
    mu = tau / slack
    part = slopes[:, keep]
    size = len(keep)
    system = np.zeros((size + 2, size + 2))
    scaled = part * np.sqrt(mu / slack)[:, None]
    system[:size, :size] = problem.curvature(fits, mu, keep) + scaled.T @ scaled
    index = np.arange(size)
    system[index, index] += tau / w**2
    system[:size, size] = system[size, :size] = -(mu / slack) @ part
    system[size, size] = (mu / slack).sum()
    system[:size, size + 1] = system[size + 1, :size] = 1.0
    slope = np.r_[mu @ part + tau / w, 1.0 - mu.sum()]
    move = np.linalg.solve(system, np.r_[slope, 0.0])[:-1]
    return np.asarray(move[:-1], np.float64), float(move[-1]), float(slope @ move)
