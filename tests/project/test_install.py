"""What is installed: small for users, pinned for us."""

import re
import tomllib
from pathlib import Path

from tests.project.closure import closure, normal

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LIMIT = 120_000_000
EXTRAS = ("embedded", "postgres", "frame", "optuna", "mcp", "control")
PINNED = ("physics", "wasm")
"""Hundreds of megabytes each: pinned, and tested where installed, but not by every change."""
# These come with every environment, in its own version.
OF_THE_ENVIRONMENT = {"optimand", "pip", "setuptools"}


def test_the_base_install_is_small():
    """Sizes of the files as shipped; bytecode, which Python makes when it likes, is not counted."""
    sizes = {
        name: sum(file.size or 0 for file in found.files or ())
        for name, found in closure(["optimand"]).items()
    }
    assert "numpy" in sizes
    assert sum(sizes.values()) < LIMIT, sorted(sizes.items(), key=lambda item: -item[1])[:5]


def test_everything_installed_is_pinned_and_nothing_else_is_said():
    pinned = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)", line)
            assert match, line
            pinned[normal(match[1])] = match[2]
    wanted = [f"optimand[{','.join(EXTRAS)}]", *PROJECT["dependency-groups"]["dev"]]
    needed = set(closure(wanted)) - OF_THE_ENVIRONMENT
    assert not needed - set(pinned)


def test_every_extra_is_pinned_and_tested():
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(extras) == {*EXTRAS, *PINNED}
    pinned = (ROOT / "constraints.txt").read_text().lower()
    for name in PINNED:
        for wanted in extras[name]:
            assert re.search(rf"^{re.split('[=>]', wanted)[0]}==", pinned, re.MULTILINE), wanted
