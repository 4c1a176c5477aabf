"""Environments by name, by factory, and what they say of themselves."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from optimand.core.errors import InputError, OptimandError, SetupError
from optimand.core.usercode import CRASHES, said, shown
from optimand.tasks.worlds import WORLDS, make_world

__all__ = ["Make", "own_words", "world_maker"]

Make = Callable[[bool], Any]
"""Makes an environment, with pictures where the argument is True."""
_FAMILIES = {
    "MiniGrid": ("minigrid", "pip install 'optimand[control]'"),
    "BabyAI": ("minigrid", "pip install 'optimand[control]'"),
    "PointMaze": ("gymnasium_robotics", "pip install 'optimand[physics]'"),
    "AntMaze": ("gymnasium_robotics", "pip install 'optimand[physics]'"),
    "Fetch": ("gymnasium_robotics", "pip install 'optimand[physics]'"),
    "Adroit": ("gymnasium_robotics", "pip install 'optimand[physics]'"),
    "Meta-World": ("metaworld", "pip install 'optimand[physics]'"),
}
"""Packages that register environments, by how the ids begin."""
LONGEST = 6000


def world_maker(env: str | Callable[..., Any], options: Mapping[str, Any]) -> Make:
    """What makes environments of this name or by this factory, called with `options`.

    A name is one of optimand's own worlds, or an id of Gymnasium, whose package is imported.
    Raises InputError for anything else, SetupError for a package that is missing.
    """
    if find_spec("gymnasium") is None:
        raise SetupError("environments need Gymnasium: pip install 'optimand[control]'")
    if not isinstance(env, str):
        if not callable(env):
            raise InputError(f"the environment is {shown(env)}: give a name, or a function")
        draws = _takes(env, "render_mode")
        return lambda pictures: _made(
            lambda: env(**options, **_pictures(pictures and draws)), shown(env)
        )
    if env in WORLDS:
        return lambda pictures: _made(
            lambda: make_world(env, **options, **_pictures(pictures)), env
        )
    for start, (module, way) in _FAMILIES.items():
        if env.startswith(start):
            if find_spec(module) is None:
                raise SetupError(f"environment {env!r} needs the package {module}: {way}")
            import_module(module)
    return lambda pictures: _made(lambda: _gymnasium(env, options, pictures), env)


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == name or p.kind is p.VAR_KEYWORD for p in found)


def _pictures(wanted: bool) -> dict[str, Any]:
    return {"render_mode": "rgb_array"} if wanted else {}


def _gymnasium(env: str, options: Mapping[str, Any], pictures: bool) -> Any:
    import gymnasium

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's advice about newer versions of an id
        return gymnasium.make(env, **options, **_pictures(pictures))


def _made(make: Callable[[], Any], name: str) -> Any:
    try:
        return make()
    except OptimandError:
        raise
    except CRASHES as error:
        text = f"environment {name} could not be made: {said(error)}"
        if "mujoco" in str(error).lower() or isinstance(error, ImportError):
            raise SetupError(f"{text}. MuJoCo: pip install 'optimand[physics]'") from error
        raise InputError(text) from error


_LEFT_OUT = re.compile(r"^##+ +(arguments|version history|references|vectorized|citation)", re.I)


def own_words(env: Any) -> str:
    """The documentation of an environment's class, without how to make it and its history."""
    module = import_module(type(env.unwrapped).__module__)
    text = getattr(module, "ABOUT", None) or inspect.getdoc(type(env.unwrapped)) or ""
    kept, skipping = [], False
    for line in str(text).splitlines():
        if line.startswith("#"):
            skipping = bool(_LEFT_OUT.match(line))
        if not skipping:
            kept.append(line)
    return "\n".join(kept).strip()[:LONGEST]
