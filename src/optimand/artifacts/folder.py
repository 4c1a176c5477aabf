"""A folder of text files as an artifact with one part for each file, and back."""

from __future__ import annotations

import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from optimand.core.artifact import Artifact
from optimand.core.errors import InputError
from optimand.core.paths import file_path
from optimand.core.usercode import shown

__all__ = ["read_folder", "write_folder"]

MOST_BYTES = 100_000
MOST_FILES = 200
LONGEST_NAME = 200
_PIECE = re.compile(r"[\w](?:[\w .,+@()-]*[\w+@()-])?")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def read_folder(path: str | os.PathLike[str], files: Sequence[str] = ("*",)) -> Artifact:
    """The text files of a folder and of those within: one part each, named by its relative path.

    `files`: patterns such as `*.md`, matched with the relative path; the others are left out, as is
    what is hidden (a name that begins with a dot). Raises InputError for a link, for a file that is
    not UTF-8 text or has over 100,000 bytes, for over 200 files, for none, and for a name that
    could not be written back on every system.
    """
    root = file_path(path)
    if not root.is_dir():
        raise InputError(f"{root} is no folder.")
    parts: dict[str, str] = {}
    for place in _found(root):
        name = place.relative_to(root).as_posix()
        if any(fnmatch(name, pattern) for pattern in files):
            parts[name] = _text(place)
        if len(parts) > MOST_FILES:
            raise InputError(f"{root} has over {MOST_FILES} files. Name fewer: files=['*.md'].")
    if not parts:
        raise InputError(f"{root} has no file that matches {', '.join(files)}.")
    _check_names(parts)
    return Artifact(parts)


def write_folder(
    artifact: Artifact | Mapping[str, Any], path: str | os.PathLike[str]
) -> list[Path]:
    """Write every part as a file below `path`, which is made if it is missing; returns the files.

    All names and sizes are checked before anything is written, each file appears at once or not at
    all, and other files stay as they are. Raises InputError for a part that is no text or has over
    100,000 bytes, for a name that leads out of the folder or that some system cannot have, and
    where a link stands in the way.
    """
    parts = artifact.parts if isinstance(artifact, Artifact) else artifact
    root = file_path(path)
    _check_names(parts)
    for name, value in parts.items():
        if not isinstance(value, str) or not _encodable(value):
            raise InputError(f"part {name!r} is {shown(value)}. Only texts can be written.")
        _check_size(name, len(value.encode("utf-8")))
    places = {name: root.joinpath(*PurePosixPath(name).parts) for name in parts}
    for place in places.values():
        _check_way(root, place)
    for name, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        _replace(place, parts[name])
    return list(places.values())


def _found(root: Path) -> list[Path]:
    """All files that are not hidden, in the order of their names."""
    found: list[Path] = []
    for entry in sorted(root.iterdir(), key=lambda p: p.name):
        if entry.name.startswith("."):
            continue
        mode = entry.lstat().st_mode
        if stat.S_ISDIR(mode):
            found += _found(entry)
        elif stat.S_ISREG(mode):
            found.append(entry)
        else:
            raise InputError(f"{entry} is a link or no plain file. Put the file itself there.")
    return found


def _text(place: Path) -> str:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
    with open(os.open(place, flags), "rb") as file:
        data = file.read(MOST_BYTES + 1)
    _check_size(str(place), len(data))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{place} is not UTF-8 text. Leave it out by naming the others: files=['*.md']."
        ) from None


def _check_size(name: str, size: int) -> None:
    if size > MOST_BYTES:
        raise InputError(f"{name} has over {MOST_BYTES:,} bytes, the most for one file.")


def _check_names(parts: Mapping[str, Any]) -> None:
    """Raise InputError for names that lead elsewhere, or that mean the same file somewhere."""
    seen: dict[str, str] = {}
    for name in parts:
        if not isinstance(name, str) or not _plain(name):
            raise InputError(
                f"{shown(name)} cannot be the name of a file here. Use letters, digits, spaces and "
                ".,+@()_- between slashes, as in 'references/api.md'."
            )
        folded = unicodedata.normalize("NFC", name).casefold()
        clash = next((s for s in seen if _clash(s, folded)), None)
        if clash is not None:
            raise InputError(f"files {seen[clash]!r} and {name!r} are the same on some systems.")
        seen[folded] = name


def _plain(name: str) -> bool:
    if not _encodable(name) or len(name.encode("utf-8")) > LONGEST_NAME:
        return False
    return all(_PIECE.fullmatch(p) and not _DEVICES.fullmatch(p) for p in name.split("/"))


def _clash(one: str, other: str) -> bool:
    """Equal, or a file where the other needs a folder."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _check_way(root: Path, place: Path) -> None:
    """Raise InputError where a link, or a file in a folder's place, stands between root and it."""
    for step in (*reversed(place.relative_to(root).parents), place.relative_to(root)):
        there = root / step
        if there.is_symlink() and there != root:
            raise InputError(f"{there} is a link. Nothing is written through links.")
        if there.exists() and there.is_dir() != (there != place):
            raise InputError(f"{there} is in the way of {place}.")


def _replace(place: Path, text: str) -> None:
    """Write a new file and put it in place: never through what stands there."""
    fresh = place.with_name(f".{secrets.token_hex(8)}")
    try:
        with fresh.open("xb") as file:
            file.write(text.encode("utf-8"))
        if place.exists():
            fresh.chmod(stat.S_IMODE(place.stat().st_mode))
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)


def _encodable(text: str) -> bool:
    """Whether UTF-8 can hold it: half a character cannot be written."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
