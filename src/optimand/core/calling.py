"""Call the user's own function: sync or async, here or in the pool."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from optimand.core.errors import InputError
from optimand.core.pool import in_pool
from optimand.core.usercode import crashed, staying

__all__ = ["called"]


async def called(pool: Executor | None, function: Callable[..., Any], *args: Any) -> Any:
    """What the function answers. Raises InputError where it ends the program or cancels itself."""
    try:
        with staying(_name(function)):
            if pool is None or inspect.iscoroutinefunction(function):
                result = function(*args)
            else:
                result = await in_pool(pool, _stayed, function, *args)
            return await result if inspect.isawaitable(result) else result
    except asyncio.CancelledError as error:
        if not crashed(error):
            raise
        raise InputError(f"{_name(function)} was cancelled by its own code") from error


def _stayed(function: Callable[..., Any], *args: Any) -> Any:
    """In its thread, since a GeneratorExit cannot be handed on from there."""
    with staying(_name(function)):
        return function(*args)


def _name(function: Callable[..., Any]) -> str:
    owner = getattr(function, "__self__", None)
    return f"{type(owner).__name__}.{getattr(function, '__name__', 'a call')}"
