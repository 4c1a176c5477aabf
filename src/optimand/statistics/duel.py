"""Find the best of K candidates by adaptively chosen pairwise comparisons.

One implementation, batched over R independent replications: R = 1 in production, hundreds in
simulation, so that the code whose error rate is measured is the code that runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optimand.statistics.costs import scaled_costs
from optimand.statistics.divergence import sigmoid
from optimand.statistics.duel_evidence import DuelEvidence
from optimand.statistics.duel_model import DuelModel
from optimand.statistics.duel_samplers import top_two
from optimand.statistics.duel_stoppers import RUNNING, betting_stop
from optimand.statistics.tournament import top_cycle

__all__ = ["DuelOptions", "DuelState", "Sampler", "Stopper"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DuelOptions:
    """How a duel decides.

    delta: allowed probability of a wrong answer, in (0, 1).
    assume: "condorcet" (one candidate is beaten by nobody; fastest) or "nothing" (prove that the
        answer beats every rival; costs ln K more evidence and all of it from the answer's games).
    indifference: also stop when no rival beats the answer with probability >= 1/2 + this; [0, 1/2).
    baseline: index of the candidate that is named unless another is proven better; None without.
    space: what the model that guides pairs and bets believes: "general" (strengths, with pair
        deviations learnt), "bradley-terry" (strengths only), "linear" (features @ beta).
        A wrong space costs comparisons, never validity (with the default stopper).
    features: (K, d), for "linear".
    check: before stopping, every rival's estimated win rate against the answer must lie this many
        posterior deviations below 1/2; None switches the check off. Only with "condorcet".
    costs: (K,) what running each candidate once costs, positive, in any unit; None: all the same.
        Evidence is then sought where a unit of cost buys most of it. A comparison costs the sum of
        its two; half of what each comparison costs besides (a judge) belongs to every candidate's
        cost. Wrong costs waste money, never validity.
    sampler, stopper: the rules themselves.
    """

    delta: float = 0.05
    assume: Literal["condorcet", "nothing"] = "condorcet"
    indifference: float = 0.0
    baseline: int | None = None
    space: Literal["general", "bradley-terry", "linear"] = "general"
    features: Floats | None = None
    check: float | None = 0.5
    costs: Floats | None = None
    sampler: Sampler = field(default=top_two)
    stopper: Stopper = field(default=betting_stop)

    def __post_init__(self) -> None:
        if not (_numeric(self.delta) and 0.0 < self.delta < 1.0):
            raise ValueError(f"delta is {self.delta!r:.99}; it must be a float between 0 and 1.")
        if not (_numeric(self.indifference) and 0.0 <= self.indifference < 0.5):
            raise ValueError(
                f"indifference is {self.indifference!r:.99}; it must be a float in [0, 0.5)."
            )
        if not (self.check is None or _numeric(self.check)):
            raise ValueError(f"check is {self.check!r:.99}; it must be a number or None.")
        for name in ("sampler", "stopper"):
            if not callable(rule := getattr(self, name)):
                raise ValueError(f"{name} is {rule!r:.99}; it must be a function of a duel.")
        if self.assume not in ("condorcet", "nothing"):
            raise ValueError(f"assume is {self.assume!r}; use 'condorcet' or 'nothing'.")
        if self.space not in ("general", "bradley-terry", "linear"):
            raise ValueError(
                f"space is {self.space!r}; use 'general', 'bradley-terry' or 'linear'."
            )
        if (self.space == "linear") != (self.features is not None):
            raise ValueError("features (K, d) go with space='linear', and only with it.")
        if self.costs is not None:
            scaled_costs(self.costs)


def _numeric(value: object) -> bool:
    known = isinstance(value, int | float | np.integer | np.floating)
    return known and not isinstance(value, bool)


class DuelState:
    """What is known in a search for the best of `arms` candidates, and what to do next.

    `choose` names a pair, `update` takes its outcome. Guarantee (default stopper): if a Condorcet
    winner exists, another answer, or the answer "cycle", comes out with probability at most delta,
    whatever the score distribution, provided that outcomes are judged on fresh examples and that
    `update` is called in the order in which pairs were chosen (an order that depends on outcomes,
    such as first come first served, can bias a stopped test).

    When no Condorcet winner exists, assume="condorcet" is wrong and its guarantee void. The rule
    then usually ends with kind CYCLE, because it must see the answer hold its own against every
    plausible beater before it stops (`check`), but a wrong winner remains possible: in simulated
    cycles 6 to 18 % of the runs at delta 0.05, and 1 to 7 % with check=1. assume="nothing" keeps
    its guarantee there.
    """

    def __init__(self, arms: int, reps: int = 1, options: DuelOptions | None = None) -> None:
        options = options or DuelOptions()
        if arms < 2:
            raise ValueError(f"{arms} candidate(s) given; a comparison needs at least 2.")
        if options.features is not None and len(options.features) != arms:
            raise ValueError(f"features has {len(options.features)} rows for {arms} candidates.")
        self.arms, self.options = arms, options
        self.score: Floats = np.zeros((reps, arms, arms))
        self.count: Floats = np.zeros((reps, arms, arms))
        self.pending: Floats = np.zeros((reps, arms, arms))
        self.in_flight = 0
        self.issued = 0
        self.kind: Ints = np.zeros(reps, np.int64)
        self.answer: Ints = np.full(reps, -1, np.int64)
        self.memo: dict[str, NDArray[np.generic]] = {}
        direct = options.assume == "nothing"
        trust = options.space == "bradley-terry"
        self.model = DuelModel(reps, arms, options.features, trust)
        self.evidence = DuelEvidence(
            reps, arms, options.delta, direct, options.indifference, options.baseline
        )
        self.rows: Ints = np.arange(reps)
        self.jitter: Floats = np.zeros((reps, arms))
        self.costs: Floats | None = None
        if options.costs is not None:
            self.spend_by(options.costs)
        self._opening: Ints | None = None

    @property
    def alive(self) -> Bools:
        """Candidates (R, K) not yet disproved."""
        return self.evidence.alive

    @property
    def log_evidence(self) -> Floats:
        """Largest evidence (R, K) so far, in nats, against "j is best": exp(-it) is a p-value."""
        return self.evidence.peak

    @property
    def leader(self) -> Ints:
        """The strongest candidate (R,) not yet disproved (of all, when none is left).

        Where strengths do not explain the wins: the one whose worst win rate is the best.
        """
        return np.asarray(self._strength().argmax(1))

    @property
    def named(self) -> Ints:
        """Who (R,) is named if the duel ends undecided: the leader, or with a baseline the
        strongest of those proven better than it (one not disproved, if there is any), else it.
        """
        if self.options.baseline is None:
            return self.leader
        proven = self.evidence.proven
        best = np.where(proven, self._strength(), -np.inf).argmax(1)
        return np.where(proven.any(1), best, self.options.baseline)

    @property
    def done(self) -> Bools:
        """Replications (R,) that have stopped; `kind` and `answer` say how."""
        return np.asarray(self.kind != RUNNING)

    def doubts(self, who: Ints) -> Floats:
        """How many deviations each rival's win rate against who lies above 1/2 + indifference."""
        more = self.pending[self.rows, who] + self.pending[self.rows, :, who]
        mean, deviation = self.model.against(who, self.score, self.count, more)
        out = (mean - 0.5 - self.options.indifference) / deviation + self.jitter
        out[self.rows, who] = -np.inf
        return np.asarray(out)

    def top_cycle(self, rep: int = 0) -> list[int]:
        """Smallest set whose members are all estimated to beat everyone outside (Smith set)."""
        wins = [
            self.model.against(
                np.full(len(self.rows), j), self.score, self.count, 0.0 * self.jitter
            )[0][rep]
            for j in range(self.arms)
        ]
        return top_cycle(np.array(wins).T)

    def choose(self, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Next pair (a, b), each (R,), and count it as in flight until `update` or `cancel`."""
        if self._opening is None:
            self._opening = self._draw_opening(rng)
        if self.issued < self._opening.shape[1]:
            a, b = self._opening[:, self.issued].T
        else:
            a, b = self.options.sampler(self, rng)
        self.issued += 1
        self.in_flight += 1
        self.pending[self.rows, a, b] += 1.0
        return a, b

    def choose_many(self, rng: np.random.Generator, size: int) -> tuple[Ints, Ints]:
        """`size` pairs to play at once, (R, size) each; games in flight count as scheduled."""
        pairs = [self.choose(rng) for _ in range(size)]
        return np.stack([a for a, _ in pairs], 1), np.stack([b for _, b in pairs], 1)

    def cancel(self, a: ArrayLike, b: ArrayLike) -> None:
        """Forget a chosen pair that will never be judged (the service failed)."""
        a, b = np.asarray(a), np.asarray(b)
        forward = self.pending[self.rows, a, b] > 0
        first, second = np.where(forward, a, b), np.where(forward, b, a)
        left = self.pending[self.rows, first, second]
        self.pending[self.rows, first, second] = np.maximum(left - 1.0, 0.0)
        self.in_flight = max(self.in_flight - 1, 0)

    def update(self, a: ArrayLike, b: ArrayLike, y: ArrayLike) -> None:
        """Take outcomes y (R,) in [0, 1] of a against b (R,): 1 a wins, 1/2 a tie, 0 b wins."""
        a, b, y = np.atleast_1d(a), np.atleast_1d(b), np.atleast_1d(np.asarray(y, float))
        if not (np.all(y >= 0.0) and np.all(y <= 1.0)):
            raise ValueError(f"outcome {y} is outside [0, 1]; 1 means a wins, 0.5 a tie.")
        if np.any(a == b):
            raise ValueError(f"candidate {a[a == b][0]} was compared with itself.")
        self.cancel(a, b)
        rows, model = self.rows, self.model
        wins, played = self.score[rows, a, b], self.count[rows, a, b]
        guesses = model.guesses(a, b, wins, played)
        guess = (model.belief * guesses).sum(1)
        self.evidence.observe(model, a, b, (2.0 * wins - played, guess, y))
        model.learn(np.where(played[:, None] > 0, guesses, guess[:, None]), y)
        self.score[rows, a, b] += y
        self.score[rows, b, a] += 1.0 - y
        self.count[rows, a, b] += 1.0
        self.count[rows, b, a] += 1.0
        model.refit(self.score, self.count, a, b)
        self._stop()

    def carry_on(self) -> None:
        """Go on from what was loaded: no opening round, and it may be decided already."""
        self.issued = self.arms
        self._stop()

    def spend_by(self, costs: ArrayLike) -> None:
        """Take new costs, (K,) or one row a replication (R, K): see DuelOptions.costs.

        They may change at any time, since a pair is chosen before its outcome is known.
        """
        scaled = scaled_costs(costs)
        if scaled.shape[-1] != self.arms:
            raise ValueError(f"costs are {scaled.shape[-1]} numbers for {self.arms} candidates.")
        same = bool((scaled == scaled[..., :1]).all())
        self.costs = None if same else np.broadcast_to(scaled, (len(self.rows), self.arms))

    def select(self, keep: Bools) -> None:
        """Drop the replications where `keep` (R,) is false."""
        for name in ("score", "count", "pending", "kind", "answer", "jitter"):
            setattr(self, name, getattr(self, name)[keep])
        if self._opening is not None:
            self._opening = self._opening[keep]
        if self.costs is not None:
            self.costs = self.costs[keep]
        self.memo = {name: value[keep] for name, value in self.memo.items()}
        self.model.select(keep)
        self.evidence.select(keep)
        self.rows = np.arange(len(self.score))

    def _strength(self) -> Floats:
        """What candidates (R, K) are ranked by; those disproved come behind all others."""
        key = self.model.theta + self.jitter
        deviant = self.model.deviant
        if deviant.any():
            key = np.where(deviant[:, None], self._worst_rates(), key)
        return np.asarray(np.where(self.alive, key, key - 1e6))

    def _worst_rates(self) -> Floats:
        """Each candidate's lowest estimated win rate (R, K), hardly shrunk to the strengths."""
        theta, prior = self.model.theta + self.jitter, float(self.model.precisions[0])
        mean = sigmoid(theta[:, :, None] - theta[:, None, :])
        rate = (self.score + prior * mean) / (self.count + prior)
        rate[:, range(self.arms), range(self.arms)] = 1.0
        return np.asarray(rate.min(2))

    def _draw_opening(self, rng: np.random.Generator) -> Ints:
        """A random ring (R, K, 2), as two rounds of disjoint pairs: everybody plays twice."""
        reps = len(self.rows)
        self.jitter = 1e-9 * rng.random((reps, self.arms))
        order = rng.permuted(np.tile(np.arange(self.arms), (reps, 1)), axis=1)
        ring = np.stack([order, np.roll(order, -1, axis=1)], -1)
        return np.concatenate([ring[:, 0::2], ring[:, 1::2]], axis=1)

    def _stop(self) -> None:
        kind, answer = self.options.stopper(self)
        fresh = (self.kind == RUNNING) & (kind != RUNNING)
        self.kind = np.where(fresh, kind, self.kind)
        self.answer = np.where(fresh, answer, self.answer)


Sampler = Callable[[DuelState, np.random.Generator], tuple[Ints, Ints]]
Stopper = Callable[[DuelState], tuple[Ints, Ints]]
