"""No program gets out, takes more than it may, leaves a process or wins without playing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import optimand
from optimand.evaluation.sandbox import probe

sys.path.insert(0, str(Path(__file__).parent))

from attacks import AT_IMPORT, ATTACKS, OWNED

SCRIPT = Path(__file__).parent / "attacked.py"
SOURCE = str(Path(optimand.__file__).parents[1])
TIERS = ("bubblewrap", "namespaces", "landlock")
OTHERS = "65534"


def _processes() -> set[str]:
    """What runs the server of a sandbox or a candidate of one."""
    found = set()
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                words = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if b"inside.server" in words:
                found.add(place.name)
    return found


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that any user may read, and change, but not from within."""
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o777)
    path = tmp_path / "secret.txt"
    path.write_text("the secret")
    path.chmod(0o666)
    return path


def _ran(python: str, tier: str, secret: Path, *before: str) -> dict[str, list[object]]:
    done = subprocess.run(
        [*before, python, str(SCRIPT), tier, str(secret)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": SOURCE, "OPTIMAND_TEST_KEY": "sk-secret"},
        cwd="/",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(json.loads(done.stdout))


def _check(found: dict[str, list[object]], secret: Path) -> None:
    expected = {name: states for name, (_, states) in (ATTACKS | AT_IMPORT).items()}
    wrong = {n: found[n] for n, states in expected.items() if found[n][0] not in states}
    # What cannot be begun without a scratch folder ends where it would write.
    assert not wrong
    assert [n for n, (_, value, *_) in found.items() if value == OWNED] == []
    assert found["afterwards"][:2] == ["ok", "fine"]
    assert found["prints without end"][3] == 8 << 10
    assert secret.read_text() == "the secret"
    assert secret.stat().st_mode & 0o777 == 0o666
    assert [p.name for p in secret.parent.iterdir()] == ["secret.txt"]


@pytest.mark.parametrize("tier", TIERS)
def test_attacks_by_this_user(tier: str, secret: Path) -> None:
    if why := probe()[tier]:
        pytest.skip(f"{tier}: {why}")
    before = _processes()
    _check(_ran(sys.executable, tier, secret), secret)
    assert _processes() <= before


@pytest.mark.parametrize("tier", TIERS)
def test_attacks_by_an_ordinary_user(tier: str, secret: Path) -> None:
    python = "/usr/bin/python3"
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become another user")
    become = ["setpriv", f"--reuid={OTHERS}", f"--regid={OTHERS}", "--clear-groups"]
    code = (
        "import sys; assert sys.version_info >= (3, 11); from optimand.evaluation.sandbox import "
        f"probe; print(probe()[{tier!r}])"
    )
    asked = subprocess.run(
        [*become, python, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": SOURCE, "PATH": os.environ["PATH"]},
        cwd="/",
    )
    if asked.returncode or asked.stdout.strip():
        pytest.skip(f"{tier} of an ordinary user: {asked.stdout or asked.stderr[-200:]}")
    before = _processes()
    _check(_ran(python, tier, secret, *become), secret)
    assert _processes() <= before
