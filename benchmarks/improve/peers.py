"""Runs of the peer packages, by the Python that OPTIMAND_PEERS names."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory

from benchmarks.improve.common import SIZE, Outcome
from benchmarks.peer_process import answer_of

__all__ = ["PEERS", "Peer", "peer"]


@dataclass(frozen=True)
class Peer:
    """The module here that runs it, the packages that it needs, and which of its searches."""

    module: str
    packages: tuple[str, ...]
    search: str = ""


PEERS = {
    "gepa package": Peer("gepa_peer", ("gepa",)),
    "textgrad package": Peer("textgrad_peer", ("textgrad",)),
    "dspy, COPRO": Peer("dspy_peer", ("dspy",), "copro"),
    "dspy, SIMBA": Peer("dspy_peer", ("dspy",), "simba"),
    "dspy, MIPROv2": Peer("dspy_peer", ("dspy", "optuna"), "miprov2"),
    "dspy, MIPROv2 repeated": Peer("dspy_peer", ("dspy", "optuna"), "miprov2-repeated"),
    "dspy, GEPA": Peer("dspy_peer", ("dspy",), "gepa"),
}
"""By the name in the table."""


def peer(
    name: str, noisy: bool, seeds: int, calls: int, size: int = SIZE, *, durable: bool = False
) -> list[Outcome]:
    """The shared runs by a peer; empty where a package is not installed. Only gepa is durable."""
    python, one = os.environ.get("OPTIMAND_PEERS"), PEERS[name]
    if not python or not all(_has(python, package) for package in one.packages):
        return []
    first = [one.search] if one.search else []
    last = [1] if durable else []
    module = f"benchmarks.improve.{one.module}"
    with TemporaryDirectory() as folder:
        # dspy keeps a cache on disk, and litellm asks the net for prices when it is imported.
        apart = {"DSPY_CACHEDIR": folder, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        told = (*first, int(noisy), 0, seeds, calls, size, *last)
        return [Outcome(**found) for found in answer_of(python, module, *told, **apart)]


@cache
def _has(python: str, package: str) -> bool:
    test = f"import importlib.util as u; raise SystemExit(u.find_spec({package!r}) is None)"
    found = subprocess.run([python, "-c", test], check=False).returncode == 0
    if not found:
        print(f"skipped: {python} has no package {package}", file=sys.stderr)
    return found
