"""Files that a process may reach, as rules of its own (landlock(7)): needs no privilege."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .kernel import need, prctl, syscall

__all__ = ["landlock_version", "restrict_files"]

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_READ = _READ_FILE | _READ_FOLDER
_FILE_RIGHTS = _EXECUTE | 1 << 1 | _READ_FILE | 1 << 14 | 1 << 15
_ALL = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NETWORK, _SCOPES = 0b11, 0b11
_NO_NEW_PRIVILEGES = 38


def landlock_version() -> int:
    """The version of the kernel's interface; 0 where it has none."""
    return max(0, syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def restrict_files(readable: Iterable[str], writable: Iterable[str]) -> None:
    """From now on only these folders and files can be opened; there is no way back.

    Ports of TCP are closed too, and signals and abstract sockets end at the process's own domain,
    where the kernel's version knows them. Raises OSError where it has no Landlock.
    """
    version = landlock_version()
    rights = _ALL[max(v for v in _ALL if v <= max(version, 1))]
    ruled = struct.pack("=QQQ", rights, _NETWORK, _SCOPES)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = need(syscall(_CREATE, ruled, ctypes.c_size_t(size), ctypes.c_uint(0)), "Landlock")
    try:
        for paths, allowed in ((readable, _READ), (writable, rights & ~_EXECUTE)):
            for path in paths:
                _allow(rules, path, allowed)
        need(prctl(_NO_NEW_PRIVILEGES, 1), "no new privileges")
        need(syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0)), "Landlock")
    finally:
        os.close(rules)


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):  # then nobody can open it
        return
    try:
        if not os.path.isdir(path):
            allowed &= _FILE_RIGHTS
        rule = struct.pack("=Qi", allowed, place)
        done = syscall(_ADD, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint(0))
        need(done, f"Landlock for {path}")
    finally:
        os.close(place)
