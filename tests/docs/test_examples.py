"""The documentation's examples do what the pages say."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from optimand.tasks.study import load_study

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```\{([^}\n]*)\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """(classes, line number, text) of every block with classes."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        yield match[1].replace(".", "").split(), text[: match.start(2)].count("\n"), match[2]


def pages_with(kind):
    found = [page for page in PAGES if any(kind in classes for classes, _, _ in blocks(page))]
    return [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in found]


@pytest.mark.parametrize("page", pages_with("runnable"))
def test_python_blocks_run_and_print_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space, printed = {}, None
    for classes, line, text in blocks(page):
        if "runnable" in classes:
            out = io.StringIO()
            # Newlines put the block where it is in the page, for tracebacks.
            code = compile("\n" * line + text, str(page), "exec")
            with contextlib.redirect_stdout(out):
                exec(code, space)
            printed = out.getvalue()
        elif "output" in classes:
            assert printed == text, f"{page.name} line {line}"


@pytest.mark.parametrize("page", pages_with("study"))
def test_study_files_load(page, tmp_path):
    for classes, _, text in blocks(page):
        if "study" in classes:
            file = tmp_path / "study.yaml"
            file.write_text(text)
            study = load_study(file)
            assert len(study.policies) >= 2
            assert not study.warnings


def test_there_are_examples_to_test():
    assert len(pages_with("runnable")) >= 3
    assert pages_with("study")
