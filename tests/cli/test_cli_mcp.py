"""`optimand mcp`: a client of the protocol improves a study, in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
import yaml

mcp = pytest.importorskip("mcp")

from mcp.client.stdio import stdio_client  # noqa: E402

SHOP = """
def serve(value, example, seed):
    missing = [] if example.input in value["text"].split() else [example.input]
    return float(not missing), f"missing {missing[0]}" if missing else ""
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    words = ("apple", "pear", "plum", "fig")
    rows = [{"id": f"e{i}", "input": words[i % 4]} for i in range(80)]
    form = {
        "name": "shop",
        "examples": rows,
        "seed": 1,
        "store": str(tmp_path / "runs.db"),
        "improve": {"artifact": {"text": "apple"}, "run": "shop:serve", "method": "oeo"},
    }
    path = tmp_path / "shop.yaml"
    path.write_text(yaml.safe_dump(form))
    return path


async def session(study: Path, calls: list[tuple[str, dict[str, object]]]) -> list[str]:
    return [text for text, _ in await answers(study, calls)]


async def answers(
    study: Path, calls: list[tuple[str, dict[str, object]]]
) -> list[tuple[str, bool]]:
    """What each call gave, and whether it is marked as an error."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "optimand", "mcp", str(study)], env=environment
    )
    async with mcp.Client(stdio_client(server)) as client:
        made = [await client.call_tool(name, given) for name, given in calls]
        return [(one.content[0].text, bool(one.is_error)) for one in made]


def test_a_session_over_stdio_ends_in_a_certificate(study: Path) -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("contract", {}),
        ("examples", {}),
        ("validate", {"parts": {"text": "apple pear plum"}}),
        ("run", {"examples": ["nothing"]}),
        ("finish", {}),
    ]
    said = asyncio.run(session(study, calls))
    assert "your tools" in said[0]
    assert "24 training examples" in said[1]
    assert said[2].startswith("mean score on validation examples: 0.")
    assert "no training example nothing" in said[3]
    assert "is proven better than start" in said[4]


def test_a_session_that_breaks_off_goes_on(study: Path) -> None:
    first = asyncio.run(session(study, [("validate", {"parts": {"text": "apple pear"}})]))
    again = asyncio.run(session(study, [("candidates", {})]))
    assert first[0].startswith("mean score")
    assert json.dumps({"text": "apple pear"}) in again[0]


def test_what_cannot_be_done_is_marked_as_an_error(study: Path) -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("run", {"examples": ["nothing"]}),
        ("validate", {"parts": {"txet": "apple"}}),
        ("validate", {"parts": {"text": "apple"}, "split": "test"}),
        ("candidates", {"limit": 3}),
        ("none", {}),
        ("candidates", {}),
    ]
    said = asyncio.run(answers(study, calls))
    assert [wrong for _, wrong in said] == [True] * 5 + [False]
    assert "validate has no argument split; it has: parts" in said[2][0]
    assert "candidates has no argument limit; it has: none" in said[3][0]
