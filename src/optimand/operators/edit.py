"""The main operator: a model is shown the evidence and writes new values of the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from optimand.core.artifact import Candidate
from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Operator, Trial
from optimand.operators.replies import parts_of
from optimand.queries.ask import ask, prompt
from optimand.queries.blocks import render

__all__ = ["Filter", "child", "edit", "filtered", "instructed"]

Filter = Callable[[Context, Candidate], str]
"""Says why a proposal is dropped before anything is spent on it; "" keeps it."""


def edit(
    template: str = "edit",
    role: str = "proposer",
    *,
    name: str = "",
    temperature: float | None = None,
    words: str | None = None,
    values: Mapping[str, str] | None = None,
) -> Operator:
    """Ask `role` for `width` new versions of the first parent, each by a draw of its own.

    The template is a file of `queries/templates`, or `words` in place of one; it may use {context},
    {current} and {parts}, and the names of `values`.
    `params["parts"]` of the action limits which parts may change. A reply that cannot
    be read, a refusal, or a change that breaks a limit is a Trial without a candidate.
    """

    async def operator(context: Context, evidence: Evidence) -> list[Trial]:
        parent = evidence.parents[0]
        names = context.parts
        known = {
            **(values or {}),
            "current": render(context, parent, names),
            "parts": ", ".join(names),
        }
        text = prompt(template, known, evidence.blocks, words)
        draws = [
            ask(context, role, text, draw, temperature=temperature)
            for draw in range(context.action.width)
        ]
        replies = await all_of(draws)
        label = name or template
        parents = evidence.parents
        return [_trial(context, parents, parts_of(r.text, names), names, label) for r in replies]

    return operator


def instructed(name: str, instruction: str) -> Operator:
    """An edit by an instruction that a model wrote, which a fixed template quotes as data."""
    return edit("invented", name=name, values={"instruction": instruction})


def _trial(
    context: Context,
    parents: Sequence[Candidate],
    changes: dict[str, str] | None,
    names: Sequence[str],
    label: str,
) -> Trial:
    if changes is None:
        return Trial(None, False, "the reply could not be read")
    wrong = [n for n in changes if n not in names]
    if wrong:
        return Trial(None, False, f"part {wrong[0][:60]!r} may not change")
    return child(context, parents, changes, label)


def child(
    context: Context, parents: Sequence[Candidate], changes: dict[str, str], label: str
) -> Trial:
    """The first parent with `changes`, as a Trial; without a candidate where a limit is broken.

    Its `meta` then holds the `changes`, for those who mend them.
    """
    artifact, complaints = context.surface.change(parents[0].artifact, changes)
    if artifact is None:
        return Trial(None, False, "; ".join(complaints), meta={"changes": changes})
    ids = tuple(parent.id for parent in parents)
    return Trial(Candidate(artifact, f"{label} {artifact.id[:6]}", ids, label))


def filtered(operator: Operator, *filters: Filter) -> Operator:
    """Drop proposals that a filter objects to, before anything is spent on them."""

    async def carry_out(context: Context, evidence: Evidence) -> list[Trial]:
        kept: list[Trial] = []
        for trial in await operator(context, evidence):
            reasons = [f(context, trial.candidate) for f in filters] if trial.candidate else []
            reason = next((r for r in reasons if r), "")
            kept.append(replace(trial, accepted=False, why=reason) if reason else trial)
        return kept

    return carry_out
