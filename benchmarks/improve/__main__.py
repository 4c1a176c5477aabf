"""Our methods beside gepa, textgrad and dspy: same task, same proposer's rule, same executions.

`python -m benchmarks.improve [SEEDS [CALLS]]`. Peers run by the Python that OPTIMAND_PEERS names
(`python -m venv peers && peers/bin/pip install gepa textgrad dspy optuna`); those that it does not
have are left out, with a line that says so. Our executions include those of the certificate.
Durable: our SQLite store, the gepa package's run folder.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.improve.common import SIZE, Outcome, Watch, feedback, quality, score
from benchmarks.improve.peers import PEERS, peer
from benchmarks.improve.replies import our_reply

import optimand
from optimand import Budget, Example, FunctionTask
from optimand.core.model import Request
from optimand.llm.scripted import Scripted

__all__ = ["main", "ours"]

METHODS = ("gepa", "textgrad", "opro", "polca", "opticom")


def ours(
    noisy: bool, seed: int, calls: int, method: str = "gepa", size: int = SIZE, store: str = ""
) -> Outcome:
    """One `improve`, the certificate included."""
    watch, steps = Watch(size), 0

    def run(text: str, example: Example, seed: int) -> dict[str, Any]:
        place = example.input
        validation = 1000 <= place < 2000
        watch.ran(text, place, noisy, validation=validation)
        rng = random.Random(f"{seed} {text}")  # no coin is shared between candidates
        return {
            "score": score(text, place, noisy, rng),
            "feedback": feedback(text, place, noisy),
        }

    def propose(request: Request) -> str:
        nonlocal steps
        steps += 1
        return our_reply(request.messages[-1].content, random.Random(request.seed))

    places = {"train": range(size), "val": range(1000, 1000 + size), "test": range(2000, 4000)}
    splits = {name: [Example(str(i), i) for i in numbers] for name, numbers in places.items()}
    task = FunctionTask(run, splits, name="shared")
    begun = time.process_time()
    found = optimand.improve(
        "start",
        task,
        method={"type": method, "steps": 100_000},
        proposer=Scripted(propose, name="rule"),
        budget=Budget(rollouts=calls),
        store=store or None,
        seed=seed,
    )
    seconds = time.process_time() - begun
    best = found.best
    standing = found.certificate or found.search
    claimed = next(s.estimate for s in standing.standings if s.candidate == best.id)
    truth = quality(str(best.artifact.parts["value"]), noisy)
    return Outcome(watch.reached, truth, claimed, watch.calls, steps, seconds)


def main(arguments: list[str] | None = None) -> None:
    """Print a table for the told and the noisy task, and one of what a run costs."""
    given = [int(a) for a in (sys.argv[1:] if arguments is None else arguments)]
    seeds, calls = (*given, *(30, 1500)[len(given) :])[:2]
    columns = "task | system | to the optimum | truth of its best | claimed | executions | ms each"
    print(f"| {columns} |\n{'|---' * 7}|")
    for method in METHODS:
        ours(True, seeds, 300, method)  # imports and caches do not count
    for noisy in (False, True):
        task = "noisy" if noisy else "told"
        for method in METHODS:
            found = [ours(noisy, seed, calls, method) for seed in range(seeds)]
            print(f"| {task} | optimand, {method} | {_row(found, noisy)} |", flush=True)
        for name in PEERS:
            if found := peer(name, noisy, seeds, calls):
                print(f"| {task} | {name} | {_row(found, noisy)} |", flush=True)
    _costs(calls)


def _costs(calls: int, runs: int = 5) -> None:
    """Processor time of whole runs by the method gepa, in milliseconds, of each side."""
    columns = "executions | kept | an execution: ours | package | ratio | a step: ours | package"
    print(f"\n| {columns} | ratio |\n{'|---' * 8}|")
    for most in (calls, 4 * calls):
        for durable in (False, True):
            with TemporaryDirectory() as folder:
                paths = [f"{folder}/{seed}.db" if durable else "" for seed in range(runs + 1)]
                made = [ours(True, seed, most, store=path) for seed, path in enumerate(paths)][1:]
            package = peer("gepa package", True, runs, most, durable=durable)
            cells = [f"{most:,}", "durably" if durable else "in memory"]
            for each, form in (("calls", ".3f"), ("steps", ".2f")):
                mine, theirs = _cost(made, each), _cost(package, each)
                cells += [f"{mine:{form}}", f"{theirs:{form}}", f"{theirs / mine:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)


def _cost(runs: Sequence[Outcome], each: str = "calls") -> float:
    """Milliseconds of the processor for each execution, or each of the "steps"."""
    made = sum(getattr(run, each) for run in runs)
    return 1e3 * sum(run.seconds for run in runs) / made if made else float("nan")


def _row(runs: Sequence[Outcome], noisy: bool) -> str:
    def cell(get: Callable[[Outcome], float], form: str) -> str:
        values = np.array([get(run) for run in runs])
        error = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        return f"{values.mean():{form}} ± {error:{form}}"

    reached = [run.reached for run in runs if run.reached]
    to = "-" if noisy or not reached else f"{np.mean(reached):.0f} ({len(reached)} of {len(runs)})"
    used = f"{np.mean([run.calls for run in runs]):.0f} | {_cost(runs):.2f}"
    return " | ".join([to, cell(lambda r: r.truth, ".3f"), cell(lambda r: r.claimed, ".3f"), used])


if __name__ == "__main__":
    main()
