"""What a process made by `fork` must not share with its parent: it lets go of it at once.

A child of the user's code (a simulator, a worker) may outlive a run that is killed. Were it to
keep the run's locks or connections open, the study would stay taken by a process that is gone.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Protocol

from optimand.core.errors import StorageError

__all__ = ["Held", "not_in_children", "refuse_children"]


class Held(Protocol):
    """`let_go` runs in a forked child: it frees the child's share and leaves the parent's."""

    def let_go(self) -> None: ...


_HELD: weakref.WeakSet[Held] = weakref.WeakSet()


def not_in_children(held: Held) -> None:
    """Let every process forked from here on let go of `held`, as long as it lives."""
    _HELD.add(held)


def refuse_children(process: int, where: str) -> None:
    """Raise StorageError where what `process` opened is used by one that was forked from it."""
    if os.getpid() != process:
        raise StorageError(
            f"{where}: opened by the process that this one was forked from. "
            "Open the store anew here."
        )


def _let_go() -> None:
    for held in list(_HELD):
        with contextlib.suppress(Exception):  # a child that was only born has nobody to tell
            held.let_go()
    _HELD.clear()


os.register_at_fork(after_in_child=_let_go)
