"""Bernoulli divergences, vectorised and finite where the mathematics is finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "binary_entropy",
    "binary_kl",
    "certainty_cost",
    "kl_half",
    "logit",
    "sigmoid",
    "softplus",
]

Floats = NDArray[np.float64]


def sigmoid(x: ArrayLike) -> Floats:
    """Logistic function 1 / (1 + exp(-x)) without overflow, any shape."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * np.asarray(x, float)))


def logit(p: ArrayLike) -> Floats:
    """Inverse of `sigmoid`: -inf at 0, inf at 1."""
    p = np.asarray(p, float)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def softplus(x: ArrayLike) -> Floats:
    """ln(1 + exp(x)) without overflow: minus the log-likelihood of a loss at logit x."""
    return np.asarray(np.logaddexp(0.0, np.asarray(x, float)))


def _xlogx(x: Any) -> Any:
    return x * np.log(np.where(x > 0, x, 1.0))


def binary_entropy(p: ArrayLike) -> Floats:
    """Entropy of a coin in nats; 0 at p = 0 and p = 1."""
    p = np.asarray(p, float)
    return np.asarray(-_xlogx(p) - _xlogx(1.0 - p))


def _term(p: Any, q: Any) -> Any:
    """Return p ln(p / q) with 0 ln 0 = 0 and p ln(p / 0) = inf."""
    with np.errstate(divide="ignore"):
        log_q = np.log(np.where(p > 0, q, 1.0))
    return _xlogx(p) - p * log_q


def binary_kl(p: ArrayLike, q: ArrayLike) -> Floats:
    """Kullback-Leibler divergence kl(p, q) of two coins in nats, broadcast; inf where q excludes p.

    Both in [0, 1]. kl(p, q) = p ln(p/q) + (1-p) ln((1-p)/(1-q)).
    """
    p, q = np.broadcast_arrays(np.asarray(p, float), np.asarray(q, float))
    return np.asarray(np.maximum(_term(p, q) + _term(1.0 - p, 1.0 - q), 0.0))


def kl_half(p: ArrayLike) -> Floats:
    """Return kl(p, 1/2) = ln 2 - entropy(p): the evidence rate of a coin against fairness."""
    return np.asarray(np.maximum(np.log(2.0) - binary_entropy(p), 0.0))


def certainty_cost(delta: float) -> float:
    """Return kl(delta, 1 - delta): nats any rule with error <= delta must gather.

    The expected number of comparisons is at least T* times this (Garivier & Kaufmann 2016,
    Theorem 1). It approaches ln(1/delta) as delta -> 0.
    """
    return float(binary_kl(delta, 1.0 - delta))
