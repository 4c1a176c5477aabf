"""One writer per study: a lock file, which the system frees when its process ends in any way."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shlex
from pathlib import Path

from optimand.core.errors import StorageError, StudyBusy
from optimand.core.keys import content_hash
from optimand.storage.files import identity, shown
from optimand.storage.forks import not_in_children

__all__ = ["StudyLock", "busy"]


def busy(where: str, study: str, holder: str) -> StudyBusy:
    """The refusal of a second writer, with the ways out."""
    show = f"optimand show {shlex.quote(study)} --store {shlex.quote(where)}"
    return StudyBusy(
        f"study {study!r} in {where} is being written by {holder}. Wait for it or stop it. To read "
        f"it meanwhile: `{show}`, or "
        f"optimand.storage.connect({where!r}, read_only=True).read({study!r})"
    )


class StudyLock:
    """The writer's lock of a study in the store at `path`, held until `release`.

    `path` must be the file's only one (see `files.locate`); `named` is how the user calls it.
    Raises StudyBusy when it is taken, StorageError where no lock file can be made. A forked child
    has no share in it.
    """

    def __init__(self, path: Path, study: str, named: str) -> None:
        self.file = path.with_name(f"{path.name}.{content_hash(study)[:8]}.lock")
        self._path = os.fspath(self.file)
        self._study = study
        self._named = named
        self._handle = -1
        self._take()
        not_in_children(self)

    def _take(self) -> None:
        while True:
            handle = self._open()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.pread(handle, 32, 0).decode(errors="replace").strip()
                os.close(handle)
                raise busy(self._named, self._study, self._describe(holder)) from None
            if identity(handle) == identity(self._path):
                break
            os.close(handle)  # somebody removed the file meanwhile: others would lock a new one
        with contextlib.suppress(OSError):  # a full disk costs only the name of the holder
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        self._handle = handle
        self._known = identity(handle)

    def _open(self) -> int:
        try:
            return os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageError(
                f"{shown(self.file)}: {error.strerror}; make the folder writable, or choose "
                "another store"
            ) from error

    def _describe(self, holder: str) -> str:
        if not holder.isdecimal():
            return "process unknown"
        with contextlib.suppress(OSError, OverflowError):
            os.kill(int(holder), 0)
            return f"process {holder}"
        if os.path.exists(f"/proc/{holder}"):
            return f"process {holder}"  # of another user
        lock = shlex.quote(shown(self.file))
        return (
            f"process {holder}, which has ended here: one that it started, or one in another "
            f"container, still holds the study (`fuser {lock}` names it)"
        )

    def renew(self) -> None:
        """Take the lock again where its file was removed; raises StudyBusy if that is too late."""
        if self._handle >= 0 and identity(self._path) != self._known:
            old = self._handle
            self._take()
            os.close(old)

    def release(self) -> None:
        """Free the study; may be called twice."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            with contextlib.suppress(OSError):
                os.close(handle)

    def let_go(self) -> None:
        """See `forks`: closing the child's copy of the handle leaves the parent's lock alone."""
        self.release()
