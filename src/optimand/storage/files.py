"""Files that SQLite can keep a store in: which one is meant, and whether it is still there."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from optimand.core.errors import StorageError
from optimand.core.paths import file_path

__all__ = ["NoSuchStore", "check_writable", "identity", "locate", "shown"]

LONGEST_NAME = 240
"""In bytes: file systems take 255, and the lock files' names are longer than the store's."""
LONGEST_PATH = 500
"""In bytes: SQLite takes 512 with its own ending."""


class NoSuchStore(StorageError):
    """There is no file where a store was to be read."""


def shown(path: str | Path) -> str:
    """A path as text that can be printed anywhere, also where it is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def locate(path: str | Path) -> Path:
    """The file that is meant: absolute, and not a symbolic link.

    Only one path leads there, whatever it was called by and wherever the process moves. Raises
    InputError or StorageError where no store can be.
    """
    named, real = shown(file_path(path)), os.path.realpath(path)
    length = len(os.fsencode(real))
    place = Path(f"/{real.lstrip('/')}")  # two slashes at the start mean a host to SQLite
    if len(os.fsencode(place.name)) > LONGEST_NAME or length > LONGEST_PATH:
        raise StorageError(
            f"{named:.200}: too long for a store. Its name may have {LONGEST_NAME} bytes, the "
            f"whole path {LONGEST_PATH}; choose a shorter one."
        )
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        if not place.parent.is_dir():
            raise StorageError(f"{shown(place.parent)}: no such folder; make it first.") from None
    except OSError as error:
        raise StorageError(f"{named}: {error.strerror}; choose another path.") from error
    else:
        if not stat.S_ISREG(mode):
            raise StorageError(f"{named}: it must be a file, and is something else.")
    return place


def check_writable(place: Path, named: str) -> None:
    """Raise StorageError for a file under several names, of which SQLite knows only one.

    It keeps the newest pages in a second file beside the first, found by its name: a writer under
    another name does not see them, and both damage the store.
    """
    with contextlib.suppress(FileNotFoundError):
        names = place.stat().st_nlink
        if names > 1:
            raise StorageError(
                f"{named}: this file has {names} names (hard links), and SQLite must know it by "
                "one only. Remove the others (`find FOLDER -samefile FILE` lists them), or copy "
                "the file and use the copy."
            )
    if os.fsencode(place) in _mounts():
        raise StorageError(
            f"{named}: this single file is mounted here, without the files that SQLite keeps "
            "beside it. Mount its folder instead."
        )


def _mounts() -> set[bytes]:
    """Where something is mounted, as far as the system tells."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return set()
    return {
        re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), parts[4])
        for parts in map(bytes.split, lines)
        if len(parts) > 4
    }


def identity(file: str | Path | int) -> tuple[int, int] | None:
    """Device and inode: the same for one file, whatever its name; None where there is none."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino
