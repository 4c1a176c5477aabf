"""House rules on the files themselves."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = sorted(
    p for top in ("src", "tests", "benchmarks", "docs") for p in (ROOT / top).rglob("*.py")
)
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".cff", ".jsonl", ".j2", ".html", ""}
# Written in pieces, so that this file does not find itself.
HOSTS = [
    "py" + r"pi\.org",
    "python" + r"hosted\.org",
    "npm" + r"js\.(org|com)",
    "hugging" + r"face\.co",
    "crates" + r"\.io",
    "proxy\\.golang" + r"\.org",
    "deb\\.debian" + r"\.org",
]
PLACES = ["/ro" + "ot/", "/ho" + r"me/\w", "/wo" + "rk/", "/Us" + r"ers/\w", r"[A-Z]:\\Us" + "ers"]


def tracked():
    """Files under version control or about to be; all files where there is no git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout, so there is no list of the project's files")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("patterns", [HOSTS, PLACES], ids=["registry hosts", "machine paths"])
def test_no_file_names_a(patterns):
    found = []
    for path in tracked():
        if path.suffix in TEXT:
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(ROOT)}: {p}" for p in patterns if re.search(p, text)]
    assert not found


def test_the_patterns_would_find_one():
    assert re.search(HOSTS[0], "https://py" + "pi.org/simple")
    assert re.search(PLACES[1], "/ho" + "me/someone/x")


def test_files_are_short():
    long = {str(p.relative_to(ROOT)): n for p in CODE if (n := _lines(p)) > 300}
    assert not long


def test_functions_are_short():
    long = []
    for path in CODE:
        if (ROOT / "tests") in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = _length(node)
                if length > 40:
                    long.append(f"{path.relative_to(ROOT)}: {node.name} has {length} lines")
    assert not long


def _lines(path):
    return len(path.read_text().splitlines())


def _length(node):
    """Lines of a function without its docstring."""
    first = node.body[0]
    documented = ast.get_docstring(node) is not None
    docstring = first.end_lineno - first.lineno + 1 if documented else 0
    return node.end_lineno - node.lineno + 1 - docstring
