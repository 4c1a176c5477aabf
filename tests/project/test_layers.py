"""The import rules of pyproject.toml hold, and they can be broken."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMMAND = "import sys; from importlinter.cli import lint_imports_command as run; sys.exit(run())"


def lint(folder, source):
    return subprocess.run(
        [sys.executable, "-c", COMMAND, "--no-cache", "--no-logo"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_layers_hold():
    done = lint(ROOT, ROOT / "src")
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_an_upward_import_is_found(tmp_path):
    for name in ("statistics", "core"):
        (tmp_path / "optimand" / name).mkdir(parents=True)
        (tmp_path / "optimand" / name / "__init__.py").write_text("")
    (tmp_path / "optimand/__init__.py").write_text("")
    (tmp_path / "optimand/statistics/wrong.py").write_text("import optimand.core\n")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    done = lint(tmp_path, tmp_path)
    assert done.returncode != 0
    assert "optimand.statistics is not allowed to import optimand.core" in done.stdout
