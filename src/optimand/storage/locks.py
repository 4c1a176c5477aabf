"""One writer per study: a lock file, which the system frees when its process ends in any way."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from optimand.core.errors import StorageError, StudyBusy
from optimand.core.keys import content_hash

__all__ = ["busy", "lock_study"]


def busy(where: str, study: str, holder: str) -> StudyBusy:
    """The refusal of a second writer, with the ways out."""
    show = f"optimand show {shlex.quote(study)} --store {shlex.quote(where)}"
    return StudyBusy(
        f"study {study!r} in {where} is being written by {holder}. Wait for it or stop it. To read "
        f"it meanwhile: `{show}`, or "
        f"optimand.storage.connect({where!r}, read_only=True).read({study!r})"
    )


def lock_study(path: Path, study: str) -> Callable[[], None]:
    """Take the writer's lock of a study in the store at `path`; the answer frees it.

    Raises StudyBusy when it is taken, StorageError where no lock file can be made.
    """
    name = path.with_name(f"{path.name}.{content_hash(study)[:8]}.lock")
    try:
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(
            f"{name}: {error.strerror}; make the folder writable, or choose another store"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(handle, 32, 0).decode(errors="replace").strip()
        os.close(handle)
        raise busy(str(path), study, f"process {holder or 'unknown'}") from None
    with contextlib.suppress(OSError):  # a full disk costs only the name of the holder
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)

    def release() -> None:
        with contextlib.suppress(OSError):
            os.close(handle)

    return release
