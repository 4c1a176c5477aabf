"""The page templates: everything in them is escaped, and every text made visible."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from optimand.core.amounts import price
from optimand.report.sentences import amount, percent
from optimand.report.text import visible

__all__ = ["template"]

TEMPLATES = Path(__file__).parent / "templates"


@cache
def template(name: str) -> Any:
    """The template in the file of this name."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_seen,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"amount": amount, "percent": percent}
    environment.globals["price"] = price
    return environment.get_template(name)


def _seen(value: Any) -> Any:
    """Every text on the page shows its control characters, wherever it comes from."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
