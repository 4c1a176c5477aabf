"""Write a request from a template file and blocks, and ask a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from optimand.artifacts.template import fill, template_fields
from optimand.core.keys import seed_from
from optimand.core.model import Message, Reply, Request
from optimand.core.proposal import Context

__all__ = ["ask", "prompt", "template_text"]


@cache
def template_text(name: str) -> str:
    """The text of `queries/templates/<name>.md`."""
    return (files("optimand.queries") / "templates" / f"{name}.md").read_text(encoding="utf-8")


def prompt(template: str, values: Mapping[str, str], blocks: Mapping[str, str]) -> str:
    """The template filled with `values`; `{context}` becomes the blocks, each under its title."""
    sections = [f"## {name.replace('_', ' ')}\n{text}" for name, text in blocks.items()]
    known = {"context": "\n\n".join(sections), **values}
    text = template_text(template)
    return fill(text, {name: known.get(name, "") for name in template_fields(text)}).strip()


async def ask(
    context: Context,
    role: str,
    text: str,
    draw: int = 0,
    *,
    temperature: float | None = None,
) -> Reply:
    """One reply of the client of `role`; every step and draw has a seed of its own."""
    seed = seed_from(context.run.seed, "ask", role, context.number, draw)
    return await context.run.ask(role, Request((Message("user", text),), temperature, seed=seed))
