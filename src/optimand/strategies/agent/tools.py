"""The tools of an agent that drives a search, and what each of its actions does.

An action is plain JSON: {"tool": NAME, ...}. Only training examples can be read or run with their
outputs; validation gives a mean and nothing else; test examples are not here at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from optimand.core.action import Rollout
from optimand.core.example import Example, endless
from optimand.core.loop import perform
from optimand.core.model import object_schema
from optimand.core.proposal import Context, Evidence, Trial
from optimand.evaluation.cascade import Stage, cascade
from optimand.operators.edit import child
from optimand.queries.blocks import cut, plain

__all__ = ["ACTION", "ERROR", "TOOLS", "act"]

ERROR = "error: "
"""How an answer begins where an action could not be carried out, and only there."""

SHOWN, MOST_RUNS = 30, 20
TOOLS: Mapping[str, str] = {
    "examples": 'read training examples: {"tool": "examples", "start": 0}, 30 at a time',
    "run": "run parts on up to 20 training examples and see outputs, scores and feedback: "
    '{"tool": "run", "parts": {NAME: TEXT}, "examples": [ID, ...]}; without parts, the best so far',
    "validate": "score parts on all validation examples (costs the most; only the mean is shown): "
    '{"tool": "validate", "parts": {NAME: TEXT}}',
    "candidates": 'list what was validated, with scores and parts: {"tool": "candidates"}',
    "finish": 'end the search; the best validated candidate is the result: {"tool": "finish"}',
}
ACTION = object_schema(
    {
        "tool": {"type": "string", "enum": list(TOOLS)},
        "parts": {"type": "object", "additionalProperties": {"type": "string"}},
        "examples": {"type": "array", "items": {"type": "string"}},
        "start": {"type": "integer"},
    },
    required=("tool",),
)
_validate = cascade(Stage("val"))


async def act(context: Context, evidence: Evidence, action: Any) -> tuple[str, list[Trial]]:
    """Carry out one action: what the agent is told, and the trials it made."""
    if not isinstance(action, Mapping) or action.get("tool") not in TOOLS:
        return f"{ERROR}that is no action. Tools: {json.dumps(TOOLS)}", []
    tool = action["tool"]
    if tool == "examples":
        return _examples(_train(context), action.get("start")), []
    if tool == "candidates":
        return _candidates(context), []
    if tool == "finish":
        return "finished", []
    trial, problem = _trial(context, evidence, action.get("parts"))
    if trial is None:
        return f"{ERROR}{problem}", []
    if tool == "validate":
        done = await _validate(context, evidence, [trial])
        return f"mean score on validation examples: {done[0].score():.4f}", done
    return await _run(context, trial, action.get("examples")), []


def _train(context: Context) -> Sequence[Example]:
    split = context.run.task.splits["train"]
    return split[:1000] if endless(split) else split


def _examples(examples: Sequence[Example], start: Any) -> str:
    first = start if isinstance(start, int) and not isinstance(start, bool) and start > 0 else 0
    lines = [
        f"{e.id}: input {plain(e.input)}"
        + (f" expected {plain(e.target)}" if e.target is not None else "")
        for e in examples[first : first + SHOWN]
    ]
    return "\n".join([f"{len(examples)} training examples, from number {first}:", *lines])


def _candidates(context: Context) -> str:
    memory, surface = context.memory, context.surface
    lines = [
        f"{memory.value(c):.4f} {json.dumps(surface.current(c.artifact), ensure_ascii=False)}"
        for c in memory.top(SHOWN)
    ]
    return cut("\n".join(lines), 12_000)


def _trial(context: Context, evidence: Evidence, parts: Any) -> tuple[Trial | None, str]:
    """The candidate with these parts, made from the best so far."""
    best = evidence.parents[0]
    if not parts:
        return Trial(best), ""
    if not isinstance(parts, Mapping) or not all(isinstance(n, str) for n in parts):
        return None, "parts must be a mapping from names to texts"
    made = child(context, (best,), dict(parts), "agent")
    return (made, "") if made.candidate else (None, made.why)


async def _run(context: Context, trial: Trial, wanted: Any) -> str:
    by_id = {e.id: e for e in _train(context)}
    ids = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else ()
    unknown = [str(i)[:60] for i in ids if not isinstance(i, str) or i not in by_id]
    if unknown or not ids:
        return f"{ERROR}no training example {', '.join(unknown[:5]) or '(none was named)'}"
    examples = tuple(by_id[i] for i in dict.fromkeys(ids))[:MOST_RUNS]
    assert trial.candidate is not None
    done = await perform(context.run, Rollout((trial.candidate,), examples))
    lines = [f"run on {len(examples)} training examples:"]
    for record in done.records:
        score = "failed" if record.score is None else f"{record.score:.2f}"
        told = f" feedback {plain(record.feedback)}" if record.feedback else ""
        lines.append(f"{record.example}: score {score} output {plain(record.output)}{told}")
    return cut("\n".join(lines), 12_000)
