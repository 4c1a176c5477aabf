"""The examples of a study, as its log keeps them: what was asked, and what was expected."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from optimand.core.store import Journal

__all__ = ["inputs_and_targets"]


def inputs_and_targets(
    journal: Journal, wanted: Collection[str] | None = None
) -> dict[str, tuple[Any, Any]]:
    """Input and target of the examples with the ids `wanted`, or of all that the log has.

    It has none of examples that are drawn without end, and not those that were too many to keep.
    """
    found = {}
    for event in journal.events(("examples",)):
        for name, value, target, _ in event.body["rows"]:
            if wanted is None or name in wanted:
                found[name] = (value, target)
    return found
