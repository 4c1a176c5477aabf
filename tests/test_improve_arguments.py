"""Arguments of improve that cannot be meant, refused in words before anything is spent."""

from typing import Any

import pytest

from optimand import FunctionTask, improve
from optimand.core.errors import InputError
from optimand.llm import Scripted

ROWS = [{"id": f"e{i}", "input": i} for i in range(40)]


def never(*arguments: Any) -> Any:
    raise AssertionError("something was spent")


@pytest.mark.parametrize(
    "given",
    [
        *({"method": m} for m in (None, [[1]], 5, b"gepa", {"type": [1]}, {1: 2})),
        *({"change": c} for c in (True, b"b", [[1]], [1], 5, {"texts": True}, {1: 2})),
        *({"change": {k: v}} for k in ("settings", "limits", "fields") for v in (True, [1], "x")),
        {"change": {"settings": {1: [1, 2]}}},
        {"change": {"settings": {"value": {"low": 0, "high": 10**400}}}},
        {"change": {"limits": {"value": None}}},
        *({"change": {"fields": {"value": v}}} for v in (1, None, "ab", [1])),
    ],
    ids=repr,
)
def test_what_cannot_be_meant(given: dict[str, Any]) -> None:
    task = FunctionTask(never, ROWS)
    with pytest.raises(InputError) as caught:
        improve("start", task, proposer=Scripted(never), **given)
    assert len(str(caught.value)) < 600
