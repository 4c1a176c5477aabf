"""The reference pages are filled from the code."""

import importlib.util
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("hook", ROOT / "docs/hooks/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def filled(hook, name):
    return hook.fill((ROOT / "docs/reference" / name).read_text())


def test_commands_with_their_parameters(hook):
    page = filled(hook, "cli.md")
    assert "## `optimand pick`" in page
    assert "optimand pick STUDY [OPTIONS]" in page
    assert "## `optimand models pull`" in page
    assert "| `--json` |" in page


def test_study_fields_with_types_and_bounds(hook):
    page = filled(hook, "study.md")
    assert "| `confidence` | number > 0, < 1 | `0.95` |" in page
    assert "| `population` | `whole` or `sample` | `sample` |" in page
    assert "| `judge` | text or mapping | required |" in page
    assert "| `usd` | number ≥ 0 |" in page


def test_every_judge_and_parser(hook):
    from optimand.evaluation.judges.registry import JUDGES
    from optimand.evaluation.parsers import PARSERS

    page = filled(hook, "judges.md")
    for name in JUDGES:
        assert f"### `{name}`" in page
    for name in PARSERS:
        assert f"`{name}`" in page
    assert "| `rubric` | required |" in page


def test_an_unknown_mark_is_an_error(hook):
    with pytest.raises(KeyError):
        hook.fill("<!-- generated: nonsense -->")


def test_a_page_without_marks_is_left_alone(hook):
    assert hook.on_page_markdown("# Title\n", page=None) == "# Title\n"


def test_every_page_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text()
    nav = yaml.safe_load(text)["nav"]

    def targets(entries):
        for entry in entries:
            (value,) = entry.values()
            yield from targets(value) if isinstance(value, list) else [value]

    pages = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert set(targets(nav)) == pages
