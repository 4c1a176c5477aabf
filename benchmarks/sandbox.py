"""What a sandbox costs: `python -m benchmarks.sandbox`.

For each tier that works here: the first candidate, with the start of the server and the import of
numpy (cold); one candidate more (warm); one call of a running candidate. Beside it, in the same
script: a new Python with numpy for each candidate, as a subprocess with a time limit.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from optimand.evaluation.sandbox import Sandbox, probe

SOURCE = "import numpy as np\ndef act(x): return float(np.sum(x))"


def seconds(times: int, work: Callable[[], object]) -> list[float]:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return found


def cold(tier: str) -> None:
    with Sandbox(tier=tier) as sandbox:
        assert sandbox.run(SOURCE, "act", [1]).value == 1


def measured(tier: str, colds: int, warms: int, calls: int) -> tuple[float, float, float, float]:
    """Medians in ms of cold and warm, the 95th percentile of warm, and one call in us."""
    first = statistics.median(seconds(colds, lambda: cold(tier)))
    with Sandbox(tier=tier) as sandbox:
        sandbox.run(SOURCE, "act", [1])
        warm = sorted(seconds(warms, lambda: sandbox.run(SOURCE, "act", [1])))
        with sandbox.open() as session:
            session.start(SOURCE, 0)
            seen = np.zeros(17)
            call = statistics.median(seconds(calls, lambda: session.call("act", seen)))
    return first * 1e3, statistics.median(warm) * 1e3, warm[len(warm) * 19 // 20] * 1e3, call * 1e6


def fresh() -> None:
    """What a runner without a server does for each candidate."""
    subprocess.run([sys.executable, "-c", f"{SOURCE}\nact([1])"], check=True, timeout=60)


def main(colds: int = 11, warms: int = 200, calls: int = 2000) -> None:
    base = statistics.median(seconds(colds, fresh)) * 1e3
    print("| tier | cold, ms | warm, ms | warm, 95 %, ms | a call, us | subprocess / warm |")
    print("|---|---|---|---|---|---|")
    for tier, why in probe().items():
        if why:
            print(f"| {tier} | does not work here: {why} | | | | |")
            continue
        first, warm, high, call = measured(tier, colds, warms, calls)
        more = f"{high:.1f} | {call:.0f} | {base / warm:.0f}"
        print(f"| {tier} | {first:.0f} | {warm:.1f} | {more} |")
    print(f"\nA subprocess with numpy for each candidate, unprotected: {base:.0f} ms.")


if __name__ == "__main__":
    main()
