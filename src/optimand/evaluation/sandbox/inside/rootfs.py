"""A root folder that holds nothing but what may be read, where no other tool makes one."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

from .isolation import SCRATCH
from .kernel import ARM, library, need, syscall

__all__ = ["enter"]

_BIND, _RECURSIVE, _PRIVATE, _REMOUNT, _READ_ONLY = 4096, 1 << 14, 1 << 18, 32, 1
_NOSUID = 2
_DETACH = 2
_PIVOT = 41 if ARM else 155
_PLACES = ("/mnt", "/media", "/srv", "/home", "/tmp", "/root", "/var")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


def enter(readable: Sequence[str]) -> None:
    """Make a root of `readable` (bound read-only), a few devices and a scratch folder; move there.

    The caller must have mounts of its own and the right to mount. Raises OSError.
    """
    _mount("none", "/", None, _PRIVATE | _RECURSIVE)
    root = next(p for p in _PLACES if os.path.isdir(p) and not _above(p, readable))
    _mount("tmpfs", root, "tmpfs", _NOSUID)
    for path in (*readable, *_DEVICES):
        _bound(path, root)
    os.makedirs(root + SCRATCH, exist_ok=True)
    os.chdir(root)
    need(syscall(_PIVOT, b".", b"."), "pivot_root")
    need(int(library.umount2(b".", _DETACH)), "umount")
    os.chdir("/")
    _mount("tmpfs", "/", None, _REMOUNT | _READ_ONLY | _NOSUID)


def _above(folder: str, paths: Sequence[str]) -> bool:
    """Whether something to be read lies in this folder, and would be hidden by a mount on it."""
    return any(path == folder or path.startswith(folder + "/") for path in paths)


def _bound(path: str, root: str) -> None:
    place = root + path
    if os.path.islink(path):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if not os.path.lexists(place):
            os.symlink(os.readlink(path), place)
        return
    if os.path.isdir(path):
        os.makedirs(place, exist_ok=True)
    elif os.path.exists(path):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "a", encoding="utf-8"):
            pass
    else:
        return
    _mount(path, place, None, _BIND | _RECURSIVE)
    if not path.startswith("/dev/"):
        _mount("none", place, None, _BIND | _REMOUNT | _READ_ONLY | _NOSUID)


def _mount(source: str, target: str, kind: str | None, flags: int) -> None:
    name = kind.encode() if kind else None
    done = library.mount(source.encode(), target.encode(), name, ctypes.c_ulong(flags), None)
    need(int(done), f"mount on {target}")
