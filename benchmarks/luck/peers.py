"""GEPA and Optuna as their documentation recommends, on a metric with a known truth.

They run in a process of their own, by the Python that OPTIMAND_PEERS names (default: this one), so
that their dependencies stay apart. What this file imports needs nothing but them.
"""

from __future__ import annotations

import json
import os
import random
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from benchmarks.luck.worlds import START, WORLDS, Outcome, World, metric
from benchmarks.peer_process import answer_of

__all__ = ["PEERS", "Peer", "ask", "gepa", "optuna_tpe", "optuna_wilcoxon", "versions"]

TRAIN = 50
THRESHOLD = 0.1  # in the example of WilcoxonPruner's documentation


class _Adapter:
    """The task as GEPA sees it: candidates are numbers, and every new one is the next proposal."""

    def __init__(self, world: World, seed: int) -> None:
        self.true = {"0": START}
        self.proposals = world.proposals(seed)
        self.score = metric(seed)

    def evaluate(self, batch: Sequence[Any], candidate: Mapping[str, str], capture_traces: bool):
        from gepa.core.adapter import EvaluationBatch

        accuracy = self.true[candidate["prompt"]]
        scores = [self.score(accuracy) for _ in batch]
        return EvaluationBatch(
            outputs=scores, scores=scores, trajectories=list(batch) if capture_traces else None
        )

    def make_reflective_dataset(self, candidate: Any, batch: Any, components: Sequence[str]):  # noqa: ARG002
        rows = [{"Inputs": str(t), "Generated Outputs": "", "Feedback": ""} for t in batch.scores]
        return dict.fromkeys(components, rows)

    def propose_new_texts(self, candidate: Any, dataset: Any, components: Sequence[str]):  # noqa: ARG002
        text = str(len(self.true))
        self.true[text] = next(self.proposals)
        return dict.fromkeys(components, text)


class _Quiet:
    def log(self, message: str) -> None:
        """Say nothing."""


def gepa(world: World, seed: int, examples: int, budget: int) -> Outcome:
    """`gepa.optimize` with its defaults: `examples` to validate on, `budget` metric calls."""
    from gepa import optimize

    adapter = _Adapter(world, seed)
    result = optimize(
        seed_candidate={"prompt": "0"},
        trainset=list(range(TRAIN)),
        valset=list(range(examples)),
        adapter=adapter,
        max_metric_calls=budget,
        logger=_Quiet(),
        seed=seed,
    )
    best = result.best_idx
    return Outcome(
        result.val_aggregate_scores[best],
        adapter.true[result.candidates[best]["prompt"]],
        best != 0,
        result.total_metric_calls,
    )


def optuna_tpe(world: World, seed: int, examples: int, budget: int, arms: int = 20) -> Outcome:
    """Optuna's default sampler over `arms` candidates; a trial is the mean of `examples` scores."""
    return _optuna(world, seed, examples, budget, arms, prune=False)


def optuna_wilcoxon(world: World, seed: int, examples: int, budget: int, arms: int = 20) -> Outcome:
    """The same with WilcoxonPruner, which Optuna recommends for noisy scores on examples."""
    return _optuna(world, seed, examples, budget, arms, prune=True)


def _optuna(
    world: World, seed: int, examples: int, budget: int, arms: int, *, prune: bool
) -> Outcome:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    true, objective = world.pool(seed, arms), _Objective(seed, examples, budget)
    objective.true = true
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=_wilcoxon_pruner() if prune else optuna.pruners.NopPruner(),
    )
    study.enqueue_trial({"candidate": 0})
    study.optimize(objective, n_trials=budget)
    arm = study.best_params["candidate"]
    return Outcome(study.best_value, true[arm], arm != 0, objective.calls)


def _wilcoxon_pruner() -> Any:
    import optuna
    from optuna.pruners import _wilcoxon

    # Scores are 0 or 1, so few different samples occur, and SciPy spends 0.1 s on some of them.
    # Remembering its answers changes none of them.
    _wilcoxon.ss = SimpleNamespace(wilcoxon=_remembered)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.pruners.WilcoxonPruner(p_threshold=THRESHOLD)


def _remembered(differences: Any, alternative: str, zero_method: str) -> Any:
    return _signed_rank(tuple(sorted(map(float, differences))), alternative, zero_method)


@cache
def _signed_rank(differences: tuple[float, ...], alternative: str, zero_method: str) -> Any:
    from scipy.stats import wilcoxon

    return wilcoxon(differences, alternative=alternative, zero_method=zero_method)


class _Objective:
    """Mean score on the examples in random order, given up when the pruner says so."""

    def __init__(self, seed: int, examples: int, budget: int) -> None:
        self.true: list[float] = []
        self.examples, self.budget = examples, budget
        self.score = metric(seed)
        self.order = random.Random(f"order {seed}")
        self.calls = 0

    def __call__(self, trial: Any) -> float:
        accuracy = self.true[trial.suggest_categorical("candidate", list(range(len(self.true))))]
        scores: list[float] = []
        for example in self.order.sample(range(self.examples), self.examples):
            scores.append(self.score(accuracy))
            trial.report(scores[-1], example)
            if trial.should_prune():
                break
        self.calls += len(scores)
        if self.calls >= self.budget:
            trial.study.stop()
        return sum(scores) / len(scores)


@dataclass(frozen=True)
class Peer:
    """The package that has to be installed, and one run: (world, seed, examples, budget)."""

    package: str
    run: Callable[[World, int, int, int], Outcome]


PEERS = {
    "GEPA": Peer("gepa", gepa),
    "Optuna TPE": Peer("optuna", optuna_tpe),
    "Optuna TPE, WilcoxonPruner": Peer("optuna", optuna_wilcoxon),
}


def versions() -> dict[str, str]:
    """The peers that are installed, with their versions."""
    found: dict[str, str] = _there("versions")
    return found


def ask(name: str, world: World, seeds: range, examples: int, budget: int) -> list[Outcome]:
    """One run for each seed of the peer of this name."""
    sizes = (seeds.start, seeds.stop, examples, budget)
    return [Outcome(**o) for o in _there(name, world.name, *sizes)]


def _there(*arguments: object) -> Any:
    python = os.environ.get("OPTIMAND_PEERS", sys.executable)
    return answer_of(python, "benchmarks.luck.peers", *arguments)


def _answer(what: str, *arguments: str) -> Any:
    if what == "versions":
        return {name: version(name) for name in ("gepa", "optuna", "scipy") if find_spec(name)}
    world = next(w for w in WORLDS if w.name == arguments[0])
    start, stop, examples, budget = map(int, arguments[1:])
    return [asdict(PEERS[what].run(world, s, examples, budget)) for s in range(start, stop)]


if __name__ == "__main__":
    print(json.dumps(_answer(*sys.argv[1:])))
