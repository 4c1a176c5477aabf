"""What a candidate may use."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, fields
from typing import Any

from optimand.core.errors import InputError
from optimand.core.usercode import shown

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one session of a candidate. Raises InputError for what is no positive number.

    seconds: wall clock of one call; the first one runs the source. total_seconds: of all calls
    together. cpu_seconds: processor time, rounded up to whole seconds. memory_mb: address space,
    of which Python with numpy takes about 200. files_mb: scratch files, which are gone at the end.
    output_kb: what is kept of printed text. reply_kb: one answer. There are no further processes,
    threads or sockets to limit: none can be made.
    """

    seconds: float = 10.0
    total_seconds: float = 120.0
    cpu_seconds: float = 60.0
    memory_mb: int = 1024
    files_mb: int = 16
    output_kb: int = 64
    reply_kb: int = 1024

    def __post_init__(self) -> None:
        for one in fields(self):
            value, whole = getattr(self, one.name), one.name.endswith("b")
            kind = int if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kind):
                raise InputError(f"limits: {one.name} is {shown(value)}; it must be a number")
            if not 0 < value <= sys.maxsize >> 21:
                raise InputError(f"limits: {one.name} is {shown(value)}; it must be above 0")

    def to_json(self) -> dict[str, Any]:
        """The limits by name."""
        return asdict(self)
