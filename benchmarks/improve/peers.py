"""Runs of the peer packages, by the Python that OPTIMAND_PEERS names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.improve.common import SIZE, Outcome

__all__ = ["PEERS", "peer"]

PEERS = {
    "gepa package": ("gepa_peer", "gepa"),
    "textgrad package": ("textgrad_peer", "textgrad"),
    "dspy, COPRO": ("dspy_peer", "dspy", "copro"),
    "dspy, SIMBA": ("dspy_peer", "dspy", "simba"),
    "dspy, MIPROv2": ("dspy_peer", "dspy", "miprov2"),
    "dspy, GEPA": ("dspy_peer", "dspy", "gepa"),
}
"""By the name in the table: the module here, the package it needs, what else it is told."""


def peer(
    name: str, noisy: bool, seeds: int, calls: int, size: int = SIZE, *, durable: bool = False
) -> list[Outcome]:
    """The shared runs by a peer; empty where its package is not installed. Only gepa is durable."""
    python, (module, package, *first) = os.environ.get("OPTIMAND_PEERS"), PEERS[name]
    if not python or not _has(python, package):
        return []
    numbers = [int(noisy), 0, seeds, calls, size, *([int(durable)] if package == "gepa" else [])]
    return _run(python, module, [*first, *map(str, numbers)])


def _run(python: str, module: str, arguments: Sequence[str]) -> list[Outcome]:
    with TemporaryDirectory() as folder:
        # dspy keeps a cache on disk, and litellm asks the net for prices when it is imported.
        apart = {"DSPY_CACHEDIR": folder, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        made = subprocess.run(
            [python, "-m", f"benchmarks.improve.{module}", *arguments],
            cwd=Path(__file__).resolve().parents[2],
            env={**os.environ, **apart},
            check=True,
            text=True,
            stdout=subprocess.PIPE,
        )
    return [Outcome(**one) for one in json.loads(made.stdout)]


@cache
def _has(python: str, package: str) -> bool:
    test = f"import importlib.util as u; raise SystemExit(u.find_spec({package!r}) is None)"
    found = subprocess.run([python, "-c", test], check=False).returncode == 0
    if not found:
        print(f"skipped: {python} has no package {package}", file=sys.stderr)
    return found
