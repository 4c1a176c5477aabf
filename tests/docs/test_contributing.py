"""The method on the page for contributors runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from tests.methods.benches import improved

from optimand.methods.registry import _FOUND

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_method_of_the_page_is_a_method() -> None:
    code = re.search(
        r"```{\.python \.method}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert code is not None
    assert len(code.group(1).splitlines()) <= 20
    try:
        exec(code.group(1), {})
        result = improved({"type": "hill", "steps": 60}, 3000)
    finally:
        _FOUND.pop("hill", None)
    assert result.proven
