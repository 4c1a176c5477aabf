"""Run all attacks in one tier and print, as JSON, how each ended; run as a script by any user.

python attacked.py TIER SECRET
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from attacks import AT_IMPORT, ATTACKS, program

from optimand.evaluation.sandbox import Limits, Sandbox

LIMITS = Limits(seconds=3, total_seconds=6, cpu_seconds=4, memory_mb=512, output_kb=8)


def attacked(tier: str, secret: str) -> dict[str, tuple[str, object, str, int]]:
    sources = {name: program(body) for name, (body, _) in ATTACKS.items()}
    sources |= {name: source for name, (source, _) in AT_IMPORT.items()}
    fine = "def attack(secret): return 'fine'"
    with Sandbox(LIMITS, tier=tier, preload=()) as sandbox:

        def run(source: str) -> tuple[str, object, str, int]:
            outcome = sandbox.run(source, "attack", secret)
            return outcome.status, outcome.value, outcome.error, len(outcome.printed)

        with ThreadPoolExecutor(4) as pool:  # side by side: one must not disturb the others
            found = dict(zip(sources, pool.map(run, sources.values()), strict=True))
        return {**found, "afterwards": run(fine)}


if __name__ == "__main__":
    print(json.dumps(attacked(*sys.argv[1:3])))
