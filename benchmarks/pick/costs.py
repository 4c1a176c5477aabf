"""Duels among candidates that differ in price: what is paid until the answer is safe.

`python -m benchmarks.pick.costs` takes some minutes; `--runs 20` less than one.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.instances import bradley_terry, cyclic
from benchmarks.pick.play import uniforms
from benchmarks.pick.summary import clopper_pearson, paired_ratio
from numpy.typing import NDArray

from optimand.statistics.costs import MeasuredCosts
from optimand.statistics.duel import DuelOptions, DuelState
from optimand.statistics.lower_bound import unstructured

__all__ = ["WORLDS", "Paid", "World", "main", "play"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Prices = Callable[[np.random.Generator, int], Floats]

DELTA = 0.05
HORIZON = 60_000
NOISE = 0.7
"""Standard deviation of the logarithm of one execution's cost: answers differ in length."""
RULES = ("equal", "told", "measured")
HEAD = (
    "| world | runs | T* cost ratio | told: cost | comparisons | measured: cost | comparisons | "
    "wrong: equal, told, measured |\n|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class World:
    """Win rates (K, K), candidate 0 best, and the price of running each: (R, K), drawn per run."""

    name: str
    rates: Floats
    prices: Prices


@dataclass(frozen=True)
class Paid:
    """R runs: what was paid, comparisons made, the answer (-1 "nobody is best"); all (R,)."""

    cost: Floats
    tau: Floats
    answer: Ints

    @property
    def wrong(self) -> int:
        return int(((self.answer != 0) & (self.tau < HORIZON)).sum())


def play(world: World, rule: str, runs: int, seed: int = 0, delta: float = DELTA) -> Paid:
    """Play until decided, under common random numbers: rules differ only by what they choose.

    rule: "equal" knows no prices, "told" knows them, "measured" sees what each execution cost.
    """
    seed = (seed << 32) ^ zlib.crc32(world.name.encode())
    arms = len(world.rates)
    prices = world.prices(np.random.default_rng(seed), runs)
    rng, state = np.random.default_rng(seed + 1), DuelState(arms, runs, DuelOptions(delta=delta))
    if rule == "told":
        state.spend_by(prices)
    measured, lengths = MeasuredCosts(arms, runs), np.random.default_rng(seed + 2)
    paid, tau, answer = np.zeros(runs), np.full(runs, float(HORIZON)), np.full(runs, -1)
    who, games = np.arange(runs), np.zeros((runs, arms, arms), np.int64)
    for step in range(1, HORIZON + 1):
        a, b = state.choose(rng)
        rows, low, high = np.arange(len(who)), np.minimum(a, b), np.maximum(a, b)
        draw = uniforms(seed, who, low, high, games[rows, low, high])
        games[rows, low, high] += 1
        won = draw < world.rates[low, high]
        state.update(a, b, np.where(a == low, won, ~won))
        paid[who] += prices[who, a] + prices[who, b]
        if rule == "measured":
            for k in (a, b):
                noise = lengths.lognormal(-0.5 * NOISE**2, NOISE, len(who))
                measured.add(k, prices[who, k] * noise)
            state.spend_by(measured.mean)
        done = state.done
        if done.any():
            tau[who[done]], answer[who[done]] = step, state.answer[done]
            who, games = who[~done], games[~done]
            if not len(who):
                break
            state.select(~done)
            measured.select(~done)
    return Paid(paid, tau, answer)


def _fixed(*prices: float) -> Prices:
    return lambda _rng, runs: np.tile(np.array(prices), (runs, 1))


def _one(size: int, which: int = 0, price: float = 20.0) -> Prices:
    return _fixed(*np.where(np.arange(size) == which, price, 1.0))


def _log_uniform(size: int, most: float = 30.0) -> Prices:
    return lambda rng, runs: np.exp(rng.uniform(0.0, np.log(most), (runs, size)))


def _worlds() -> tuple[World, ...]:
    """Each pool with one candidate 20 times as dear, with prices from 1 to 30, and all alike."""
    pools = {
        "K5 BT .4": bradley_terry(-0.4 * np.arange(5)),
        "K10 BT .3": bradley_terry(-0.3 * np.arange(10)),
        "K20 BT .3": bradley_terry(-0.3 * np.arange(20)),
        "K10 two ahead": bradley_terry(np.r_[0.6, 0.0, np.full(8, -0.6)]),
        "K6 cyclic .60/.85": cyclic(6, 0.6, 0.85),
    }
    found = []
    for name, rates in pools.items():
        size = len(rates)
        found += [
            World(f"{name}, the best costs 20", rates, _one(size)),
            World(f"{name}, the second costs 20", rates, _one(size, 1)),
            World(f"{name}, the last costs 20", rates, _one(size, size - 1)),
            World(f"{name}, 1 to 30", rates, _log_uniform(size)),
            World(f"{name}, all alike", rates, _one(size, price=1.0)),
        ]
    return tuple(found)


WORLDS = _worlds()


def main(arguments: list[str] | None = None) -> None:
    """Print one row for each world, and write them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pick.costs", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--world", action="append", help="only worlds with this in their name")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="results/pick", help="folder for the table")
    options = parser.parse_args(arguments)
    chosen = [
        w for w in WORLDS if not options.world or any(part in w.name for part in options.world)
    ]
    print(HEAD)
    rows = []
    for world in chosen:
        rows.append(_row(world, options.runs, options.seed))
        print(rows[-1], flush=True)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "costs.md").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    print(f"written: {folder / 'costs.md'}")


def _row(world: World, runs: int, seed: int) -> str:
    found = {rule: play(world, rule, runs, seed) for rule in RULES}
    blind = found["equal"]
    cells = [world.name, str(runs), _possible(world)]
    for rule in RULES[1:]:
        cells += [
            _ratio(found[rule].cost, blind.cost),
            _ratio(found[rule].tau, blind.tau),
        ]
    wrong = [f"{paid.wrong}" for paid in found.values()]
    most = max(clopper_pearson(paid.wrong, runs)[1] for paid in found.values())
    cells.append(f"{', '.join(wrong)} (at most {100 * most:.1f} %)")
    return f"| {' | '.join(cells)} |"


def _ratio(ours: Floats, theirs: Floats) -> str:
    ratio, low, high = paired_ratio(ours, theirs)
    return f"{ratio:.2f} ({low:.2f}-{high:.2f})"


def _possible(world: World) -> str:
    """Cost of the best proportions for cost over that of the best ones for comparisons; means."""
    prices = world.prices(np.random.default_rng(0), 200)
    plain = unstructured(world.rates)
    pairs = prices[:, :, None] + prices[:, None, :]
    blind = plain.time * 0.5 * (plain.weights * pairs).sum((1, 2))
    aware = [unstructured(world.rates, row).time for row in prices]
    return f"{np.mean(aware) / blind.mean():.2f}"


if __name__ == "__main__":
    main()
