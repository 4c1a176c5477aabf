"""A polite kill, as schedulers, containers and closed terminals send it, ends like Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["ends_politely"]

_BLOCKS = hasattr(signal, "pthread_sigmask")


@contextmanager
def ends_politely() -> Iterator[None]:
    """Within, SIGTERM and SIGHUP interrupt as Ctrl-C does; SIGHUP not where `nohup` ignores it.

    A shell script starts what it puts into the background with Ctrl-C ignored, and asyncio then
    does not listen to it. So that these two still end the run, Ctrl-C is blocked there, not
    ignored: it keeps its usual handler, and only they reach it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # where Python allows no handlers
        return
    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    before: dict[int, Any] = {s: signal.signal(s, _interrupt) for s in _polite()}
    if deaf:
        _block(True)
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if deaf:
            _block(False)


def _polite() -> Iterator[signal.Signals]:
    yield signal.SIGTERM
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        yield hangup


def _block(on: bool) -> None:
    if _BLOCKS:
        signal.pthread_sigmask(signal.SIG_BLOCK if on else signal.SIG_UNBLOCK, {signal.SIGINT})


def _interrupt(*_: Any) -> None:
    """Send Ctrl-C to ourselves, through the door that is closed to others."""
    signal.raise_signal(signal.SIGINT)
    if _BLOCKS and signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        # With one that came before, it is one interrupt: both are let in at once.
        try:
            _block(False)
        finally:
            _block(True)
