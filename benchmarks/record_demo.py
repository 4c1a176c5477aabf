"""Run every policy of the demo on every question, and keep what was said.

    python -m benchmarks.record_demo tests/data/demo_outputs.jsonl

The tests pick from this table again and again, in other orders, and know the truth: the mean score
over all questions. About five minutes on two cores.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import optimand
from optimand.core.keys import seed_from
from optimand.tasks.study import Study, load_study

SEED = 1


async def record(study: Study, path: Path) -> None:
    """Write one line for each policy and question."""
    task = study.task()
    with path.open("w", encoding="utf-8") as file:
        for example in task.splits["all"]:
            for candidate in study.candidates():
                got = await task.execute(candidate, example, seed_from(SEED, example.id, 0))
                line = {"policy": candidate.name, "example": example.id, "output": got.output}
                print(json.dumps(line, ensure_ascii=False), file=file, flush=True)
    await task.close()


if __name__ == "__main__":
    demo = Path(optimand.__file__).parent / "demo" / "study.yaml"
    asyncio.run(record(load_study(demo), Path(sys.argv[1])))
