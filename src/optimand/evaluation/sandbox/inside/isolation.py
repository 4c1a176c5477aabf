"""What a candidate's process gives up before it runs a line of the candidate's."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Mapping, Sequence

from .kernel import ARM, library, need, prctl, syscall
from .landlock import landlock_version, restrict_files

__all__ = ["APART", "SCRATCH", "end_with_parent", "fresh_files", "keep_limits", "powerless"]

SCRATCH = "/scratch"
"""Where a candidate may write; not /tmp, under which Python itself may be installed."""
APART = 0x00020000 | 0x08000000 | 0x20000000
"""Mounts, queues and processes of its own: a candidate sees no other (flags of clone(2))."""
_PRIVATE, _RECURSIVE = 1 << 18, 1 << 14
_NOSUID, _NODEV, _NOEXEC = 2, 4, 8
_DROP_BOUND, _LAST_CAPABILITY = 24, 40
_PARENT_SIGNAL = 1
_SET_CAPABILITIES = 91 if ARM else 126
_VERSION_3 = 0x20080522


def fresh_files(megabytes: int) -> None:
    """An empty scratch folder in memory, and nothing left by another candidate."""
    _mount(b"none", b"/", None, _PRIVATE | _RECURSIVE, None)
    for place in (SCRATCH, "/dev/shm"):
        if os.path.isdir(place):
            size = f"size={megabytes}m,mode=0777,nr_inodes=4096".encode()
            flags = _NOSUID | _NODEV | _NOEXEC
            _mount(b"tmpfs", place.encode(), b"tmpfs", flags, size)


def _mount(
    source: bytes, target: bytes, kind: bytes | None, flags: int, data: bytes | None
) -> None:
    done = library.mount(source, target, kind, ctypes.c_ulong(flags), data)
    need(int(done), f"mount on {target.decode()}")


def keep_limits(limits: Mapping[str, int], scratch: bool) -> None:
    """Limits of the kernel on the process; `scratch`: it may write files."""
    megabyte = 1 << 20
    bounds = {
        resource.RLIMIT_AS: limits["memory_mb"] * megabyte,
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_FSIZE: limits["files_mb"] * megabyte if scratch else 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for name, most in bounds.items():
        hard = resource.getrlimit(name)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (most, most))


def powerless(uid: int | None, readable: Sequence[str], scratch: bool) -> None:
    """Give up all rights: `uid` for a user without any, none where there is but one user.

    Files beyond `readable`, and the scratch folder where there is one, are closed by Landlock too
    where the kernel has it.
    """
    for capability in range(_LAST_CAPABILITY + 1):
        prctl(_DROP_BOUND, capability)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    header, none = struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", 0, 0, 0, 0, 0, 0)
    need(syscall(_SET_CAPABILITIES, header, none), "capabilities")
    if landlock_version():
        restrict_files(readable, [SCRATCH, "/dev/null"] if scratch else ["/dev/null"])


def end_with_parent() -> None:
    """Be killed when the server is; the filter of system calls keeps it so."""
    need(prctl(_PARENT_SIGNAL, signal.SIGKILL), "signal at the parent's end")
