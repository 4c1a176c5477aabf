"""A guess at a fixed number of rollouts or comparisons: how often it is the truly best.

`python -m benchmarks.pick.fixed` (a minute). For scores, our race cut off at the number against
sequential halving (Karnin, Koren & Somekh 2013) and equal testing, all on shared examples; for
pairs, our duel cut off against pairs drawn uniformly, whose guess is the same model's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optimand.statistics.divergence import sigmoid
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.race import Race
from optimand.statistics.simulate import simulate_races

__all__ = ["main"]

Floats = NDArray[np.float64]
RUNS, BUDGETS = 1000, (100, 200, 400, 800)
SCORES = {
    "ladder of 5, steps of 0.1": 0.7 - 0.1 * np.arange(5),
    "9 rivals 0.1 behind": np.array([0.7, *[0.6] * 9]),
    "15 rivals, one close": np.array([0.7, 0.65, *[0.5] * 14]),
}
GAP = math.log(0.6 / 0.4)
STRENGTHS = {
    "ladder of 5, 0.6 against the next": -GAP * np.arange(5),
    "ladder of 10, 0.6 against the next": -GAP * np.arange(10),
    "9 rivals, 0.65 against each": -math.log(0.65 / 0.35) * np.minimum(np.arange(10), 1),
}


def main() -> None:
    """Print both tables."""
    print(f"Share of {RUNS:,} runs in which the guess is the best\n")
    print("| scores | rollouts | race | sequential halving | equal |\n|---|---|---|---|---|")
    for name, means in SCORES.items():
        for budget in BUDGETS:
            ways = (_race(means, budget), _halving(means, budget), _equal(means, budget))
            print(f"| {name} | {budget} | " + " | ".join(map(_share, ways)) + " |", flush=True)
    print("\n| pairs | comparisons | duel | uniform pairs |\n|---|---|---|---|")
    for name, theta in STRENGTHS.items():
        ours, uniform = _duels(theta, DuelOptions()), _duels(theta, DuelOptions(sampler=_uniform))
        for budget in BUDGETS[:3]:
            ways = (ours[budget], uniform[budget])
            print(f"| {name} | {budget} | " + " | ".join(map(_share, ways)) + " |", flush=True)


def _share(rate: float) -> str:
    return f"{rate:.2f} ± {1.96 * math.sqrt(rate * (1 - rate) / RUNS):.2f}"


def _shuffled(means: Floats, rng: np.random.Generator) -> Floats:
    """The means (RUNS, K) in an order of its own for each run, so that ties favour nobody."""
    return rng.permuted(np.tile(means, (RUNS, 1)), axis=1)


def _race(means: Floats, budget: int) -> float:
    rng = np.random.default_rng(0)
    truth, race = _shuffled(means, rng), Race(len(means), batch=(RUNS,))

    def scores(_: int, who: NDArray[np.int64]) -> Floats:
        return (rng.random((len(who), len(means))) < truth[who]).astype(float)

    # A race stops before an example that its budget cannot pay for.
    made = simulate_races(scores, race, budget - len(means) + 1)
    return float((made.answer == truth.argmax(1)).mean())


def _halving(means: Floats, budget: int) -> float:
    """Rounds of equal cost, half of the field left after each; scores of all rounds count."""
    rng, size = np.random.default_rng(0), len(means)
    truth, rounds, right = _shuffled(means, rng), math.ceil(math.log2(size)), 0
    for run in range(RUNS):
        total, left, spent = np.zeros(size), np.arange(size), 0
        for r in range(rounds):
            examples = (budget - spent) // (rounds - r) // len(left)
            spent += examples * len(left)
            total[left] += rng.binomial(examples, truth[run, left])
            left = left[np.argsort(-total[left], kind="stable")][: math.ceil(len(left) / 2)]
        right += int(left[0] == truth[run].argmax())
    return right / RUNS


def _equal(means: Floats, budget: int) -> float:
    rng = np.random.default_rng(0)
    truth = _shuffled(means, rng)
    total = rng.binomial(budget // len(means), truth)
    return float((total.argmax(1) == truth.argmax(1)).mean())


def _uniform(
    state: DuelState, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    reps = len(state.rows)
    a = rng.integers(state.arms, size=reps)
    return a, (a + rng.integers(1, state.arms, size=reps)) % state.arms


def _duels(theta: Floats, options: DuelOptions) -> dict[int, float]:
    """The share of right guesses after each budget; a duel that has stopped keeps its answer."""
    rng, right, found = np.random.default_rng(0), np.zeros(RUNS, bool), {}
    state, who = DuelState(len(theta), RUNS, options), np.arange(RUNS)
    for n in range(1, BUDGETS[2] + 1):
        a, b = state.choose(rng)
        won = rng.random(len(who)) < sigmoid(theta[a] - theta[b])
        state.update(a, b, won.astype(float))
        right[who] = np.where(state.done, state.answer, state.leader) == 0
        if n in BUDGETS:
            found[n] = float(right.mean())
        keep = ~state.done
        who = who[keep]
        state.select(keep)
    return found


if __name__ == "__main__":
    main()
