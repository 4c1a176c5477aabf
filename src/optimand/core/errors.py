"""Errors a user can act on: each message names the thing, the place and the way out."""

from __future__ import annotations

__all__ = [
    "InputError",
    "OptimandError",
    "ServiceUnavailable",
    "SetupError",
    "Stopped",
    "StorageError",
    "StudyBusy",
]


class OptimandError(Exception):
    """Base of every error that optimand raises on purpose."""


class InputError(OptimandError, ValueError):
    """What the user wrote (a study file, examples, policies, a judge's answer) cannot be used."""


class SetupError(OptimandError, RuntimeError):
    """Something the run needs is missing on this machine: a key, a model, an extra."""


class StorageError(OptimandError, RuntimeError):
    """The store cannot be read or written."""


class StudyBusy(StorageError):
    """Another process is writing to this study."""


class ServiceUnavailable(OptimandError, RuntimeError):
    """A paid service failed again and again, with no success in between."""


class Stopped(OptimandError):
    """Thrown into a strategy at its `yield` when the run must end early.

    `reason` is "budget", "unavailable" or "interrupted"; `detail` says which limit or service.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
