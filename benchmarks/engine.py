"""What the engine costs: time per step, memory, decisions, idle slots; GEPA and Optuna beside it.

`python -m benchmarks.engine` takes a few minutes. A step is one execution: decided, made, logged
and seen. The peers run in their own environment: set OPTIMAND_PEERS to a Python that has them, made
by `python -m venv peers && peers/bin/pip install gepa optuna` (the dependency group `peers`).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.engine_stub import Count, Latencies, Stub, StubJudge, candidates

import optimand
from optimand.core.action import Compare, Outcome, Rollout, Strategy
from optimand.core.budget import Budget
from optimand.core.record import Comparison, Record
from optimand.strategies.pick.specs import strategy_from

__all__ = ["BARS", "busy", "decisions", "main", "memory", "per_step"]

BARS: Mapping[str, float] = {
    "memory": 0.1,  # milliseconds per step
    "durable": 0.25,
    "growth": 1.5,  # cost per step at 20,000 steps over that at 200
    "peak": 60.0,  # MB at 10,000 steps
    "decision": 5.0,  # milliseconds at 50 candidates
    "busy": 0.9,  # share of 64 slots
}
SIZES = (200, 2_000, 20_000)
PEER_SIZES = {
    ("gepa", "memory"): SIZES,
    ("gepa", "durable"): (200, 2_000),
    ("optuna", "memory"): SIZES,
    ("optuna", "durable"): (200, 500),
}
WIDTH = 64
MEDIAN_SECONDS = 0.2  # much below it, the time of our own decisions is what is measured
HERE = Path(__file__)


def per_step(steps: int, store: str, width: int = 1) -> dict[str, float]:
    """Milliseconds per step, on the clock and of the processor, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/s.db" if store == "durable" else "memory:"
        wall, cpu = time.perf_counter(), time.process_time()
        optimand.pick(
            candidates(5), Stub(width), store=place, strategy=Count(steps), budget=_limit(steps)
        )
        return {
            "wall": (time.perf_counter() - wall) / steps * 1e3,
            "cpu": (time.process_time() - cpu) / steps * 1e3,
        }


def _limit(steps: int) -> Budget:
    return Budget(rollouts=steps)


def _fresh(code: str, *arguments: object) -> Any:
    """The JSON that a fresh process of this Python prints."""
    code = f"import json, sys; from benchmarks.engine import *; print(json.dumps({code}))"
    return _json([sys.executable, "-c", code, *map(str, arguments)])


def _json(command: list[str]) -> Any:
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def memory(kind: str, store: str, steps: int = 10_000, count: int = 5) -> float:
    """Peak MB of a whole run with a real strategy; call it in a fresh process."""
    task = Stub(judge=StubJudge() if kind == "duel" else None)
    with tempfile.TemporaryDirectory() as folder:
        optimand.pick(
            candidates(count),
            task,
            store=f"{folder}/s.db" if store == "durable" else "memory:",
            budget=Budget(rollouts=steps, comparisons=steps),
        )
    # Not getrusage, which counts what the parent held before this program was loaded.
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def decisions(kind: str, count: int = 50, steps: int = 1_000) -> list[float]:
    """Milliseconds between an outcome and the next action, for each of `steps` decisions."""
    task = Stub(judge=StubJudge() if kind == "duel" else None)
    run: Any = SimpleNamespace(task=task, candidates=tuple(candidates(count)), seed=0)
    names = [c.name for c in run.candidates]
    work = strategy_from(None, names, pairs=kind == "duel", delta=0.05)(run)
    action, times = work.send(None), []
    for number in range(steps):
        outcome = _answer(action, number)
        began = time.perf_counter()
        action = work.send(outcome)
        times.append((time.perf_counter() - began) * 1e3)
    work.close()
    return times


def _answer(action: Any, number: int) -> Outcome:
    if isinstance(action, Compare):
        a, b, example = action.a.id, action.b.id, action.example.id
        return Outcome(action, comparison=Comparison(a, b, example, 0, float(hash(number) % 2)))
    assert isinstance(action, Rollout)
    (example,) = action.examples
    records = (
        Record(c.id, example.id, score=float((number * 7 + i * 3) % 5 < 3))
        for i, c in enumerate(action.candidates)
    )
    return Outcome(action, records=tuple(records))


def busy(kind: str, steps: int, sigma: float = 0.5, width: int = WIDTH) -> float:
    """The share of slots that are busy with simulated latencies, under a real strategy."""
    latencies = Latencies(MEDIAN_SECONDS, sigma)
    duel = kind == "duel"
    judge = StubJudge(latencies) if duel else None
    task = Stub(width, None if duel else latencies, judge)
    strategy: Strategy | None = Count(steps, ordered=False) if kind == "unordered" else None
    optimand.pick(
        candidates(5), task, strategy=strategy, budget=Budget(rollouts=steps, comparisons=steps)
    )
    return latencies.busy(width)


def peer(system: str, store: str, steps: int) -> dict[str, float]:
    """A peer's milliseconds per step and peak MB."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("warm", "run"):
            (Path(folder) / name).mkdir()
        python = os.environ["OPTIMAND_PEERS"]
        script = str(HERE.with_name("engine_peers.py"))
        answer: dict[str, float] = _json([python, script, system, store, str(steps), folder])
        return answer


def _best(work: Callable[[], dict[str, float]], times: int) -> dict[str, float]:
    """The least of several measurements: others only ever make a run slower."""
    found = [work() for _ in range(times)]
    return {name: min(f[name] for f in found) for name in found[0]}


def _mark(value: float, bar: float, *, least: bool = False) -> str:
    return "holds" if (value >= bar if least else value <= bar) else "FAILS"


def _step_rows(repeats: int) -> Iterator[tuple[str, str, int, dict[str, float]]]:
    per_step(200, "memory")  # imports
    for store in ("memory", "durable"):
        for width in (1, WIDTH):
            for steps in SIZES:
                times = repeats if steps < SIZES[-1] else 2
                found = _best(lambda s=steps, p=store, w=width: per_step(s, p, w), times)
                yield f"optimand, {width} in flight", store, steps, found


def _print_steps(rows: list[tuple[str, str, int, dict[str, float]]]) -> None:
    for name, store, steps, found in rows:
        mark = f" {_mark(found['wall'], BARS[store])}" if name.startswith("optimand") else ""
        print(
            f"| {name} | {store} | {steps:,} | {found['wall']:.3f} | {found['cpu']:.3f} |{mark} |",
            flush=True,
        )


def _steps_and_peers(repeats: int) -> None:
    print("## Cost per step (milliseconds; bars: 0.1 in memory, 0.25 durable, on the clock)\n")
    print("| system | store | steps | on the clock | of the processor | bar |")
    print("|---|---|---|---|---|---|")
    ours = list(_step_rows(repeats))
    _print_steps(ours)
    cost = {(name, store, steps): found["cpu"] for name, store, steps, found in ours}
    one = "optimand, 1 in flight"
    theirs = [
        (
            system,
            store,
            steps,
            _best(lambda y=system, p=store, s=steps: peer(y, p, s), 1 if store == "durable" else 2),
        )
        for (system, store), sizes in (PEER_SIZES if "OPTIMAND_PEERS" in os.environ else {}).items()
        for steps in sizes
    ]
    _print_steps(theirs)
    print("\n| store | cost at 20,000 steps over that at 200 | bar 1.5 |\n|---|---|---|")
    for store in ("memory", "durable"):
        growth = cost[one, store, SIZES[-1]] / cost[one, store, SIZES[0]]
        print(f"| {store} | {growth:.2f} | {_mark(growth, BARS['growth'])} |")
    if not theirs:
        print("\nNo peers: set OPTIMAND_PEERS to a Python that has gepa and optuna.")
        return
    print("\n| peer | store | steps | its processor time over ours |\n|---|---|---|---|")
    for system, store, steps, found in theirs:
        ratio = found["cpu"] / cost[one, store, steps if steps in SIZES else SIZES[0]]
        print(f"| {system} | {store} | {steps:,} | {ratio:.1f} |")


def main(repeats: int = 5) -> None:
    """Print all tables, each figure with its bar."""
    _steps_and_peers(repeats)
    print("\n## Peak memory at 10,000 steps (MB, fresh process)\n")
    print("| run | MB | bar 60 |\n|---|---|---|")
    for kind in ("race", "duel"):
        for store in ("memory", "durable"):
            peak = _fresh("memory(sys.argv[1], sys.argv[2])", kind, store)
            print(f"| {kind}, {store} | {peak:.0f} | {_mark(peak, BARS['peak'])} |", flush=True)
    print("\n## Time of a decision among 50 candidates (ms)\n")
    print("| strategy | median | 99 % | bar 5 |\n|---|---|---|---|")
    for kind in ("race", "duel"):
        times = decisions(kind)
        middle, high = statistics.median(times), statistics.quantiles(times, n=100)[98]
        print(f"| {kind} | {middle:.2f} | {high:.2f} | {_mark(middle, BARS['decision'])} |")
    print(f"\n## Busy share of {WIDTH} slots, lognormal latencies (median {MEDIAN_SECONDS} s)\n")
    print("| strategy | sigma 0.3 | sigma 0.5 | bar 0.9 at 0.5 |\n|---|---|---|---|")
    for kind in ("race", "duel", "unordered"):
        low, high = (busy(kind, 12_000, sigma) for sigma in (0.3, 0.5))
        print(f"| {kind} | {low:.3f} | {high:.3f} | {_mark(high, BARS['busy'], least=True)} |")


if __name__ == "__main__":
    main()
