"""Pools estimated from real judgements of language models: `llmfao.csv` of the project evalica.

8,931 judgements, most of them by several people or models on the same prompt, 39 % ties. Win rates
are those of a Bradley-Terry fit, with each pair pulled towards its own record as far as the data
say that pairs deviate; so the pools are realistic, not exact. The file is not part of this project:
see docs/benchmarks.md.
"""

from __future__ import annotations

import csv
import os
from collections import Counter, defaultdict
from math import lgamma
from pathlib import Path

import numpy as np
from benchmarks.pick.judging import Judge, with_ties
from benchmarks.pick.pools import Pool
from numpy.typing import NDArray

from optimand.statistics import bradley_terry
from optimand.statistics.divergence import sigmoid
from optimand.statistics.tournament import condorcet_winner

__all__ = ["VARIABLE", "locate", "real_pools"]

Floats = NDArray[np.float64]
Group = tuple[int, int, list[float]]  # x, y and the votes for x (1, 1/2 or 0) on one prompt

VARIABLE = "OPTIMAND_JUDGEMENTS"
VOTES = 5
SCORE = {"left": 1.0, "tie": 0.5, "right": 0.0}


def locate(path: str | None) -> Path | None:
    """The file named, else the one in the environment, else None."""
    named = path or os.environ.get(VARIABLE)
    if named and not Path(named).is_file():
        raise SystemExit(f"{named}: no such file. Name llmfao.csv, or leave {VARIABLE} unset.")
    return Path(named) if named else None


def real_pools(path: Path) -> list[Pool]:
    """The 12 strongest models and 12 spread over all, by one vote and by the mean of five."""
    groups, size = _read(path)
    rates, theta = _win_rates(groups, size)
    tied = _tie_share(groups, size)
    ranked = np.argsort(-theta)
    spread = ranked[np.linspace(0, size - 1, 12).round().astype(int)]
    pools = []
    for label, chosen in (("strongest 12", ranked[:12]), ("12 of 59", spread)):
        part = np.ix_(chosen, chosen)
        one = with_ties(_decided(rates[part], tied[part]), tied[part])
        many = _votes(one, _agreement(groups, rates))
        for name, judge in ((f"{label}, one vote", one), (f"{label}, {VOTES} votes", many)):
            best = condorcet_winner(judge.rates)
            pools.append(Pool(f"llmfao {name}", "real", judge, -1 if best is None else best, True))
    return pools


def _read(path: Path) -> tuple[list[Group], int]:
    """Votes by prompt and pair, and the number of models."""
    votes: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            votes[row["prompt"], row["left"], row["right"]].append(SCORE[row["winner"]])
    names = Counter(name for _, *pair in votes for name in pair)
    index = {name: i for i, name in enumerate(sorted(names))}
    groups = [(index[x], index[y], scores) for (_, x, y), scores in votes.items()]
    return groups, len(index)


def _win_rates(groups: list[Group], size: int) -> tuple[Floats, Floats]:
    """Mean scores (K, K) and strengths (K,); a prompt counts once, whatever its number of votes."""
    score, count = np.zeros((1, size, size)), np.zeros((1, size, size))
    for x, y, votes in groups:
        score[0, x, y] += np.mean(votes)
        score[0, y, x] += 1.0 - np.mean(votes)
        count[0, x, y] += 1.0
        count[0, y, x] += 1.0
    theta = bradley_terry.fit(score, count, ridge=1.0)
    pull = bradley_terry.fit_precision(theta, score, count)[0]
    mean = sigmoid(theta[0][:, None] - theta[0])
    return (score[0] + pull * mean) / (count[0] + pull), theta[0]


def _tie_share(groups: list[Group], size: int, weight: float = 10.0) -> Floats:
    """Share of ties of each pair (K, K), shrunk towards that of all."""
    ties, votes = np.zeros((size, size)), np.zeros((size, size))
    for x, y, scores in groups:
        for i, j in ((x, y), (y, x)):
            ties[i, j] += scores.count(0.5)
            votes[i, j] += len(scores)
    overall = ties.sum() / votes.sum()
    return (ties + weight * overall) / (votes + weight)


def _decided(rates: Floats, tied: Floats) -> Floats:
    """Win rates among decided votes that give the mean scores `rates`."""
    return np.clip((rates - 0.5 * tied) / (1.0 - tied), 0.02, 0.98)


def _agreement(groups: list[Group], rates: Floats) -> float:
    """How alike votes on one prompt are beyond the pair: correlation of their residuals."""
    together, alone = [], []
    for x, y, votes in groups:
        off = np.array(votes) - rates[x, y]
        alone += list(off**2)
        together += [off[i] * off[j] for i in range(len(off)) for j in range(i)]
    return float(np.clip(np.mean(together) / np.mean(alone), 0.01, 0.9))


def _votes(one: Judge, alike: float, votes: int = VOTES) -> Judge:
    """Mean of several votes on one prompt: Dirichlet-multinomial with that correlation."""
    total = 1.0 / alike - 1.0
    size, values = len(one.rates), np.linspace(0.0, 1.0, 2 * votes + 1)
    chance = np.zeros((size, size, len(values)))
    for i in range(size):
        for j in range(size):
            weight = total * one.chance[i, j]
            for wins in range(votes + 1):
                for ties in range(votes - wins + 1):
                    split = (votes - wins - ties, ties, wins)
                    chance[i, j, 2 * wins + ties] += _dirichlet_multinomial(split, weight)
    return Judge(values, chance)


def _dirichlet_multinomial(split: tuple[int, ...], weight: Floats) -> float:
    total, votes = float(weight.sum()), sum(split)
    out = lgamma(total) + lgamma(votes + 1) - lgamma(total + votes)
    for x, a in zip(split, weight, strict=True):
        out += lgamma(x + a) - lgamma(a) - lgamma(x + 1)
    return float(np.exp(out))
