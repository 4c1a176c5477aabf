"""What a controller chose, and what its choices cost: a table for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optimand.report.improve.view import SearchView
from optimand.strategies.opticom.accounting import Account, account

__all__ = ["accounts"]


def accounts(view: SearchView) -> list[Account]:
    """Accounts by operator of the steps that a controller chose; empty for other methods."""
    best, spent = view.value(view.start) or 0.0, 0.0
    rows: list[Mapping[str, float | str]] = []
    for body in view.steps:
        made = float(body.get("spent", {}).get("rollouts", 0.0))
        found = [
            float(trial.get("scores", {}).get("val", best))
            for trial in body["trials"]
            if trial["accepted"]
        ]
        top, package = max([best, *found]), _operator(body.get("package"))
        if package:
            rows.append({"operator": package, "gain": top - best, "rollouts": made - spent})
        best, spent = top, made
    return account(rows)


def _operator(package: Any) -> str:
    named = package.get("operator") if isinstance(package, Mapping) else None
    return named if isinstance(named, str) else ""
