"""Write a request from a template file and blocks, and ask a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from optimand.artifacts.template import fill, template_fields
from optimand.core.keys import seed_from
from optimand.core.model import Message, Reply, Request
from optimand.core.proposal import Context

__all__ = ["ask", "prompt", "template_text"]


@cache
def template_text(name: str) -> str:
    """The text of `queries/templates/<name>.md`."""
    return (files("optimand.queries") / "templates" / f"{name}.md").read_text(encoding="utf-8")


def prompt(
    template: str,
    values: Mapping[str, str],
    blocks: Mapping[str, str],
    words: str | None = None,
) -> str:
    """The template, or `words` in its place, filled with `values`.

    `{context}` becomes the blocks, each under its title.
    """
    sections = [f"## {name.replace('_', ' ')}\n{text}" for name, text in blocks.items()]
    known = {"context": "\n\n".join(sections), **values}
    text = template_text(template) if words is None else words
    return fill(text, {name: known.get(name, "") for name in template_fields(text)}).strip()


async def ask(
    context: Context,
    role: str,
    text: str,
    draw: int = 0,
    *,
    temperature: float | None = None,
    schema: Mapping[str, Any] | None = None,
    choices: tuple[str, ...] | None = None,
) -> Reply:
    """One reply of the client of `role`; every step and draw has a seed of its own.

    With `schema` or `choices` the reply's `parsed` is such a value, or None (see Request).
    """
    seed = seed_from(context.run.seed, "ask", role, context.number, draw)
    request = Request(
        (Message("user", text),), temperature, seed=seed, schema=schema, choices=choices
    )
    return await context.run.ask(role, request)
