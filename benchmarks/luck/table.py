"""What is believed, and what is true: best scores that were luck, in GEPA, Optuna and optimand.

A user has a start of true accuracy 0.60 and a stream of proposals. In "null" every proposal is
0.60 too, so that any improvement is luck; in "drift" proposals are a little worse on average and
differ by 0.05; in "find" also, but the tenth is 0.75. `python -m benchmarks.luck small`
takes a few minutes, `full` an hour or more.

The peers may live in an environment of their own: set OPTIMAND_PEERS to a Python that has them,
made by `python -m venv peers && peers/bin/pip install gepa optuna scipy`, for example.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.luck.ours import READINGS, ours
from benchmarks.luck.peers import PEERS, ask, versions
from benchmarks.luck.worlds import WORLDS, Outcome, World

from optimand.evaluation.judges.consistency import Rate

__all__ = ["main", "rate", "row"]

HEAD = (
    "method",
    "runs",
    "reported best",
    "true accuracy of it",
    "reported / true",
    "start replaced",
    "truly worse than the start",
    "interval holds the truth",
    "calls",
)
DELTAS = (0.05, 0.1)


@dataclass(frozen=True)
class Size:
    """(Examples, metric calls) pairs, and for each how many runs of every peer and of ours."""

    budgets: tuple[tuple[int, int], ...]
    peers: Mapping[str, int]
    ours: int


SIZES = {
    "small": Size(((20, 1_000),), {"GEPA": 30, "Optuna TPE": 30}, 60),
    "full": Size(
        ((20, 1_000), (50, 2_000), (200, 5_000)),
        {"GEPA": 100, "Optuna TPE": 100, "Optuna TPE, WilcoxonPruner": 30},
        400,
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one table for each world and budget."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.luck", description=__doc__)
    parser.add_argument("size", choices=SIZES)
    parser.add_argument("--seed", type=int, default=0, help="of the first run; others follow")
    parser.add_argument("--world", choices=[w.name for w in WORLDS], help="only this one")
    chosen = parser.parse_args(arguments)
    size, have = SIZES[chosen.size], versions()
    print("Rates with 95 % intervals (Wilson).", end=" ")
    print(", ".join(f"{k} {v}" for k, v in have.items()) or "No peers: see --help.")
    for world in (w for w in WORLDS if chosen.world in (None, w.name)):
        for examples, budget in size.budgets:
            print(f"\n## {world.name}: {budget:,} metric calls, peers on {examples} examples\n")
            print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
            for cells in _rows(world, examples, budget, size, chosen.seed, have):
                print(f"| {' | '.join(cells)} |", flush=True)


def _rows(
    world: World, examples: int, budget: int, size: Size, seed: int, have: dict[str, str]
) -> Iterator[list[str]]:
    for name, runs in size.peers.items():
        if PEERS[name].package in have:
            yield row(name, ask(name, world, range(seed, seed + runs), examples, budget))
    for delta in DELTAS:
        found = [ours(world, s, budget, delta) for s in range(seed, seed + size.ours)]
        for reading, meaning in READINGS.items():
            yield row(f"pick {1 - delta:.2f}: {meaning}", [f[reading] for f in found])


def row(name: str, runs: Sequence[Outcome]) -> list[str]:
    """The cells of HEAD."""

    def mean(value: Callable[[Outcome], float]) -> float:
        return statistics.fmean(map(value, runs))

    reported, true = mean(lambda r: r.reported), mean(lambda r: r.true)
    intervals = any((r.low, r.high) != (0.0, 1.0) for r in runs)
    return [
        name,
        str(len(runs)),
        f"{reported:.3f}",
        f"{true:.3f}",
        f"{reported / true:.2f}",
        rate(sum(r.replaced for r in runs), len(runs)),
        rate(sum(r.worse for r in runs), len(runs)),
        rate(sum(r.covered for r in runs), len(runs)) if intervals else "none given",
        f"{mean(lambda r: r.calls):,.0f}",
    ]


def rate(hits: int, runs: int) -> str:
    """A share in per cent with its interval."""
    low, high = Rate(hits, runs).interval
    return f"{hits / runs:.1%} [{low:.1%}, {high:.1%}]"
