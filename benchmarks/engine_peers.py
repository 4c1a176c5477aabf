"""GEPA and Optuna under the same conditions; runs in their own environment, without optimand.

`python engine_peers.py SYSTEM STORE STEPS FOLDER` prints one line of JSON.
"""

# ruff: noqa: ARG002
from __future__ import annotations

import json
import random
import resource
import sys
import time
from typing import Any

CHOICES = 5


def score(*what: object) -> float:
    """A fair coin, the same in every process."""
    return float(random.Random(" ".join(map(str, what))).random() < 0.5)


def gepa_run(store: str, steps: int, folder: str) -> int:
    """Its own `optimize`; a step is one evaluation of one candidate on one example."""
    import gepa
    from gepa.core.adapter import EvaluationBatch

    class Adapter:
        calls = 0

        def evaluate(
            self, batch: list[Any], candidate: dict[str, str], capture_traces: bool
        ) -> Any:
            self.calls += len(batch)
            scores = [score(candidate["prompt"], example) for example in batch]
            traces = list(scores) if capture_traces else None
            return EvaluationBatch(outputs=list(scores), scores=scores, trajectories=traces)

        def make_reflective_dataset(self, candidate: Any, batch: Any, names: list[str]) -> Any:
            return {name: [{"score": s} for s in batch.scores] for name in names}

        def propose_new_texts(self, candidate: Any, dataset: Any, names: list[str]) -> Any:
            return dict.fromkeys(names, f"prompt {self.calls}")

    class Silent:
        def log(self, message: str) -> None:
            pass

    adapter = Adapter()
    gepa.optimize(
        {"prompt": "prompt"},
        trainset=list(range(200)),
        valset=list(range(20)),
        adapter=adapter,
        max_metric_calls=steps,
        logger=Silent(),
        run_dir=folder if store == "durable" else None,
        seed=0,
    )
    return adapter.calls


def optuna_run(store: str, steps: int, folder: str) -> int:
    """One trial per step, drawn at random: its cheapest sampler."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        storage=f"sqlite:///{folder}/optuna.db" if store == "durable" else None,
        sampler=optuna.samplers.RandomSampler(seed=0),
        direction="maximize",
    )
    study.optimize(
        lambda trial: score(trial.suggest_int("candidate", 0, CHOICES - 1), trial.number),
        n_trials=steps,
    )
    return steps


def main() -> None:
    system, store, steps, folder = sys.argv[1:]
    run = {"gepa": gepa_run, "optuna": optuna_run}[system]
    run(store, 60, f"{folder}/warm")
    wall, cpu = time.perf_counter(), time.process_time()
    done = run(store, int(steps), f"{folder}/run")
    answer = {
        "wall": (time.perf_counter() - wall) / done * 1e3,
        "cpu": (time.process_time() - cpu) / done * 1e3,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
