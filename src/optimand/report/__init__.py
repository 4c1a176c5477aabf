"""What people see of a finished or running study: one HTML page, made from its log."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optimand.core.store import Store
    from optimand.result import PickResult

__all__ = ["report_result", "report_study"]


def report_study(store: Store, study: str, path: str | Path) -> Path:
    """Write the page of a study in an open store, finished or not; returns its path.

    Raises StorageError where there is no such study, or the page cannot be written.
    """
    from optimand.report.files import write_page
    from optimand.report.page import render
    from optimand.storage.memory import MemoryStore

    with closing(store.read(study)) as journal:
        info = next(info for info in store.studies() if info.name == study)
        lasting = store.url != MemoryStore.url
        return write_page(render(info, journal, lasting=lasting), Path(path))


def report_result(result: PickResult, path: Path) -> Path:
    """Write the page of a result that `pick` has just given; see `PickResult.report`."""
    from optimand.core.errors import InputError
    from optimand.storage.connect import connect

    if result.source is None or not result.study:
        raise InputError("this result does not know its log: make the report from the store")
    if not isinstance(result.source, str | Path):
        return report_study(result.source, result.study, path)
    with closing(connect(result.source, read_only=True)) as store:
        return report_study(store, result.study, path)
