"""A filter of system calls for the calling process and all that it starts (seccomp(2))."""

from __future__ import annotations

import ctypes
import errno
import struct

from .kernel import ARM, library, need, prctl
from .syscalls import KILLED, REFUSED

__all__ = ["program", "refuse_system_calls"]

_AUDIT = 0xC00000B7 if ARM else 0xC000003E
_X32 = 0x40000000
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_REFUSE = 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16
"""Offsets in `struct seccomp_data`: the call's number, the machine's, the first argument's low."""
_PRLIMIT = 261 if ARM else 302
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2


def program() -> bytes:
    """The filter in classic BPF: 8 bytes an instruction (code, jump if true, if false, value)."""
    kept = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _AUDIT), (_RETURN, 0, 0, _KILL)]
    kept += [(_LOAD, 0, 0, _NUMBER), (_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for table, answer in ((KILLED, _KILL), (REFUSED, _REFUSE)):
        for numbers in table.values():
            number = numbers[ARM]
            if number is not None:
                kept += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]
    # Limits may be read, and changed for the process itself, but not for another one.
    kept += [(_EQUAL, 0, 3, _PRLIMIT), (_LOAD, 0, 0, _FIRST), (_EQUAL, 1, 0, 0)]
    kept += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *one) for one in kept)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse_system_calls(code: bytes) -> None:
    """Put the filter in place; there is no way back. Raises OSError where the kernel has none."""
    need(prctl(_NO_NEW_PRIVILEGES, 1), "no new privileges")
    given = _Program(len(code) // 8, code)
    done = library.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(given), 0, 0)
    need(int(done), "filter of system calls")
