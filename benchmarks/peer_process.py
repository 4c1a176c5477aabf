"""Modules of the benchmarks that run in the environment of the peers, apart from ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

__all__ = ["answer_of"]

ROOT = Path(__file__).resolve().parents[1]


def answer_of(python: str, module: str, *arguments: object, **environment: str) -> Any:
    """The JSON that `python -m MODULE ARGUMENTS` prints, with these variables set besides ours."""
    made = subprocess.run(
        [python, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(made.stdout)
