"""Numeric proposals for typed settings: samplers of Optuna, told all that is in the archive."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal, get_args

from optimand.artifacts.space import Choice, Number, Setting
from optimand.core.errors import InputError, SetupError
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.core.usercode import shown
from optimand.operators.edit import child

__all__ = ["Sampler", "numeric"]

Sampler = Literal["tpe", "gp", "random"]
"""tpe: tree-structured Parzen estimators. gp: a Gaussian process with expected improvement in
logarithms. random: uniform."""
NEEDS = {"tpe": ("optuna",), "gp": ("optuna", "scipy", "torch"), "random": ("optuna",)}
WAY = "pip install 'optimand[optuna]'"


def numeric(sampler: Sampler = "tpe", warmup: int = 10) -> Operator:
    """Ask a sampler for `width` new values of all settings at once; texts stay as they are.

    It is told the mean score on "val" of every candidate that ran there, kept or not; the first
    `warmup` proposals are uniform. No model is asked. Raises InputError for an unknown sampler and
    SetupError where a library is missing.
    """
    if sampler not in get_args(Sampler):
        raise InputError(f"sampler is {shown(sampler)}: use one of {', '.join(get_args(Sampler))}")
    missing = [name for name in NEEDS[sampler] if find_spec(name) is None]
    if missing:
        raise SetupError(f"sampler {sampler!r} needs {', '.join(missing)}: {_way(missing)}")

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        settings = context.surface.settings
        space = {name: _distribution(setting) for name, setting in settings.items()}
        with _quiet():
            study = _study(context, sampler, warmup)
            drawn = [study.ask(space).params for _ in range(context.action.width)]
        values = [{n: _value(settings[n], one[n]) for n in settings} for one in drawn]
        return [child(context, evidence.parents[:1], one, sampler) for one in values]

    return operator


def _way(missing: list[str]) -> str:
    others = [name for name in missing if name != "optuna"]
    return " and ".join([WAY] * ("optuna" in missing) + [f"pip install {n}" for n in others])


@contextmanager
def _quiet() -> Iterator[None]:
    """Optuna says of each study that it was made, and of a fit that it was hard."""
    from optuna.logging import ERROR, get_verbosity, set_verbosity

    level = get_verbosity()
    set_verbosity(ERROR)
    try:
        yield
    finally:
        set_verbosity(level)


def _study(context: Context, sampler: Sampler, warmup: int) -> Any:
    """A study that knows every candidate with records on "val", in the order first met."""
    import optuna

    seed = context.rng.randrange(2**31)
    samplers: dict[str, Any] = {
        "tpe": lambda: optuna.samplers.TPESampler(
            n_startup_trials=warmup, multivariate=True, seed=seed
        ),
        "gp": lambda: optuna.samplers.GPSampler(n_startup_trials=warmup, seed=seed),
        "random": lambda: optuna.samplers.RandomSampler(seed=seed),
    }
    study = optuna.create_study(direction="maximize", sampler=samplers[sampler]())
    study.add_trials([_told(context, candidate) for candidate in _tried(context)])
    return study


def _tried(context: Context) -> list[Any]:
    memory = context.memory
    return [c for c in memory.known.values() if math.isfinite(memory.value(c))]


def _told(context: Context, candidate: Any) -> Any:
    import optuna

    settings = context.surface.settings
    current = context.surface.current(candidate.artifact)
    return optuna.trial.create_trial(
        params={name: _place(setting, current[name]) for name, setting in settings.items()},
        distributions={name: _distribution(setting) for name, setting in settings.items()},
        value=context.memory.value(candidate),
    )


def _distribution(setting: Setting) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(setting, Choice):
        return CategoricalDistribution(range(len(setting.options)))
    if not isinstance(setting, Number):
        raise InputError(f"a sampler proposes numbers and choices, not {shown(setting)}")
    if setting.whole:
        return IntDistribution(math.ceil(setting.low), math.floor(setting.high))
    return FloatDistribution(setting.low, setting.high)


def _place(setting: Setting, value: Any) -> Any:
    """What a sampler is told: numbers as they are, of a choice the place."""
    value = setting.cast(value)[0]
    return setting.options.index(value) if isinstance(setting, Choice) else value


def _value(setting: Setting, drawn: Any) -> Any:
    return setting.options[drawn] if isinstance(setting, Choice) else drawn
