"""System calls that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import platform

__all__ = ["ARM", "forked", "library", "need", "prctl", "syscall"]

library = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"


def need(result: int, what: str) -> int:
    """`result`, unless it is negative; raises OSError that says what failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: object) -> int:
    """One system call by its number; -1 where it fails."""
    return int(library.syscall(ctypes.c_long(number), *args))


def prctl(option: int, *args: int) -> int:
    """See prctl(2)."""
    values = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return int(library.prctl(ctypes.c_int(option), *values))


_CLONE = 220 if ARM else 56
_CHILD_ENDED = 17
_holding = ctypes.PyDLL(None, use_errno=True)
"""Calls through this keep Python's lock, as a fork must."""


def forked(namespaces: int) -> int:
    """As os.fork, with the child in new `namespaces` (flags of clone(2)); raises OSError.

    One process less than unshare and a fork after it, which halves the time. For processes with one
    thread.
    """
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid = int(
        _holding.syscall(
            *(ctypes.c_long(n) for n in (_CLONE, namespaces | _CHILD_ENDED)),
            *(ctypes.c_long(0) for _ in range(4)),
        )
    )
    if pid == 0:
        python.PyOS_AfterFork_Child()
        return 0
    failed = ctypes.get_errno()
    python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise OSError(failed, f"clone: {os.strerror(failed)}")
    return pid
