"""The history of a search by rounds: the winner of each, how it did, and what was thought of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from optimand.core.artifact import Candidate
from optimand.core.proposal import Context, Evidence, Step
from optimand.core.record import Record
from optimand.queries.blocks import cut, plain, render
from optimand.queries.query import Block

__all__ = ["REFLECTION", "Winner", "best_of", "past_winners", "remember", "told"]

REFLECTION = "reflection_on_the_last_attempt"
"""The block of a step's evidence that says what is thought of the last winner."""
WHOLE = 60_000
"""Characters of all winners together; the oldest are left out first, the best never."""
LONGEST = 2_000
"""Characters of a reflection."""
FAULT = 300


@dataclass(frozen=True)
class Winner:
    """The winner of a round, with its episodes and what a model thought of it, "" for nothing."""

    candidate: Candidate
    records: tuple[Record, ...]
    reflection: str = ""

    @property
    def mean(self) -> float:
        """Mean score in [0, 1] over its episodes."""
        scores = [r.score for r in self.records if r.score is not None]
        return sum(scores) / len(scores) if scores else float("-inf")


def best_of(won: Sequence[Winner]) -> Winner:
    """The winner with the highest mean; the earlier wins a tie. `won` must not be empty."""
    return max(won, key=lambda winner: winner.mean)


def remember(won: list[Winner], step: Step) -> None:
    """Add what a step found: its reflection to the last winner, and the winner that it has."""
    if won and REFLECTION in step.evidence.blocks:
        won[-1] = replace(won[-1], reflection=step.evidence.blocks[REFLECTION])
    won.extend(
        Winner(trial.candidate, trial.records.get("train", ()))
        for trial in step.trials
        if trial.accepted and trial.candidate
    )


def past_winners(won: Sequence[Winner], *, mark: bool = True) -> Block:
    """All winners so far, the latest last, each with `told`; `mark` says which one is the best.

    `won` is read when the block is written, so that a search may add to it.
    """

    def block(context: Context, evidence: Evidence) -> str:  # noqa: ARG001
        best = best_of(won) if won and mark else None
        texts = [
            (winner is best, told(context, winner, _title(number, winner is best)))
            for number, winner in enumerate(won, 1)
        ]
        while sum(len(text) for _, text in texts) > WHOLE and len(texts) > 1:
            texts.remove(next((t for t in texts[:-1] if not t[0]), texts[-1]))
        return "\n\n".join(text for _, text in texts)

    return block


def told(context: Context, winner: Winner, title: str) -> str:
    """Its code, the return and summary of each episode, and the reflection, under a title."""
    lines = [f"### {title}", render(context, winner.candidate, context.parts), "episodes:"]
    gained = [g for g in map(_gained, winner.records) if g is not None]
    lines += [f"- mean return {sum(gained) / len(gained):.6g}"] if gained else []
    lines += [_episode(record) for record in winner.records]
    if winner.reflection:
        lines.append(f"reflection: {cut(winner.reflection, LONGEST)}")
    return "\n".join(lines)


def _title(number: int, best: bool) -> str:
    return f"attempt {number}, the best so far" if best else f"attempt {number}"


def _gained(record: Record) -> float | None:
    """The raw return where the task gives one, else the score."""
    return record.objectives.get("return", record.score)


def _episode(record: Record) -> str:
    """One line: the return, and what happened."""
    gained = _gained(record)
    line = "- no result" if gained is None else f"- return {gained:.6g}"
    if record.status != "ok":
        line += f" ({record.status})"
    said = [plain(record.output)] if record.output else []
    said += [cut(record.feedback, FAULT, keep_end=True)] if record.feedback else []
    return ": ".join([line, *(" ".join(text.split()) for text in said)])
