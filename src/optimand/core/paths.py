"""Paths that a user wrote, checked before they are used."""

from __future__ import annotations

import os
from pathlib import Path

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = ["file_path"]


def file_path(path: str | os.PathLike[str]) -> Path:
    """The path. Raises InputError for one that no file can have, and for what is no path."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{shown(path)} is not a path. Give a text or a pathlib.Path.")
    try:
        usable = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        usable = False
    if not usable:
        raise InputError(f"{shown(str(path))}: no file can have this name; choose another.")
    return Path(path)
