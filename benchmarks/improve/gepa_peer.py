"""`gepa.optimize` with its defaults on the shared task; runs where gepa is installed.

`python -m benchmarks.improve.gepa_peer NOISY FROM TO CALLS VAL [DURABLE]` prints a JSON list.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import asdict
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.improve.common import Outcome, Watch, feedback, mutate, quality, score

__all__ = ["run"]


class _Adapter:
    def __init__(self, noisy: bool, seed: int, size: int) -> None:
        self.noisy, self.watch, self.steps = noisy, Watch(size), 0
        self.scores, self.proposals = random.Random(f"scores {seed}"), random.Random(f"edit {seed}")

    def evaluate(self, batch: list[int], candidate: dict[str, str], capture_traces: bool) -> Any:
        from gepa.core.adapter import EvaluationBatch

        text = candidate["text"]
        for example in batch:
            validation = example >= 1000
            self.watch.ran(text, example, self.noisy, validation=validation)
        scores = [score(text, example, self.noisy, self.scores) for example in batch]
        said = [feedback(text, example, self.noisy) for example in batch]
        return EvaluationBatch(
            outputs=said, scores=scores, trajectories=said if capture_traces else None
        )

    def make_reflective_dataset(self, candidate: Any, batch: Any, names: list[str]) -> Any:  # noqa: ARG002
        return {name: [{"Feedback": said} for said in batch.outputs] for name in names}

    def propose_new_texts(self, candidate: Any, dataset: Any, names: list[str]) -> Any:
        self.steps += 1
        said = [row["Feedback"] for row in dataset[names[0]] if row["Feedback"]]
        missing = [text.removeprefix("missing ") for text in said]
        return {names[0]: mutate(candidate[names[0]], missing, self.proposals)}


class _Quiet:
    def log(self, message: str) -> None:
        """Say nothing."""


def run(noisy: bool, seed: int, calls: int, size: int, folder: str | None = None) -> Outcome:
    """One search with `size` validation examples and as many to learn from."""
    from gepa import optimize

    adapter = _Adapter(noisy, seed, size)
    begun = time.process_time()
    result = optimize(
        {"text": "start"},
        trainset=list(range(size)),
        valset=list(range(1000, 1000 + size)),
        adapter=adapter,
        max_metric_calls=calls,
        logger=_Quiet(),
        run_dir=folder,
        seed=seed,
    )
    seconds = time.process_time() - begun
    best = result.candidates[result.best_idx]["text"]
    claimed = result.val_aggregate_scores[result.best_idx]
    watch = adapter.watch
    return Outcome(
        watch.reached, quality(best, noisy), claimed, watch.calls, adapter.steps, seconds
    )


def main(noisy: int, start: int, stop: int, calls: int, size: int, durable: int = 0) -> None:
    """Print one outcome for each seed."""
    run(bool(noisy), 0, 60, size)  # imports and caches do not count
    with TemporaryDirectory() as folder:
        found = [
            run(bool(noisy), seed, calls, size, f"{folder}/{seed}" if durable else None)
            for seed in range(start, stop)
        ]
    print(json.dumps([asdict(one) for one in found]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
