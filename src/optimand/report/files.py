"""Writing a page to where a user points: a file, a link, a pipe."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from optimand.core.errors import StorageError

__all__ = ["write_page"]

NEW = 0o644


def write_page(page: str, path: Path) -> Path:
    """Write a page; returns the path.

    A regular file is replaced in one step, so that no half of it is ever there; a link stays, and
    what it leads to is replaced. What is no regular file (a pipe, /dev/stdout) is written to.
    Raises StorageError where that fails.
    """
    try:
        _write(page, path)
    except (OSError, ValueError) as error:  # ValueError: no file can have this name
        reason = getattr(error, "strerror", None) or error
        raise StorageError(
            f"{path}: the report cannot be written ({reason}); choose another place"
        ) from error
    return path


def _write(page: str, path: Path) -> None:
    try:
        there = path.stat()
    except FileNotFoundError:
        there = None
    stream = _own_stream(there) if there else None
    if stream is not None:
        sys.stdout.flush()
        with os.fdopen(os.dup(stream), "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
    elif there is not None and not stat.S_ISREG(there.st_mode):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(page)
    else:
        mode = stat.S_IMODE(there.st_mode) if there else NEW
        _replace(page, Path(os.path.realpath(path)), mode)


def _own_stream(there: os.stat_result) -> int | None:
    """Our own output, where that is meant: replaced, it would end in a file without a name."""
    for number in (1, 2):
        try:
            if os.path.samestat(there, os.fstat(number)):
                return number
        except OSError:
            continue  # closed
    return None


def _replace(page: str, path: Path, mode: int) -> None:
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".optimand-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        os.chmod(scratch, mode)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
