"""What racing saves in PromptPO: `python -m benchmarks.control.races [small]`.

Rounds of ten policies, drawn at random or neighbours in worth, in real environments whose episodes
were run beforehand. The production code of `promptpo` searches one round with racing and one
without, on the same policies and episodes; compared are the environment steps that it takes, and
what its winner is worth on episodes that neither saw. Neighbours are where a race errs most often.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from benchmarks.control.families import FAMILIES, Table, tabulate

from optimand import improve
from optimand.core.artifact import Artifact, Candidate
from optimand.core.example import Example
from optimand.core.record import Record, Usage
from optimand.core.task import Judge
from optimand.llm.scripted import Scripted

__all__ = ["Outcome", "compared", "main"]

WIDTH, EPISODES = 10, 5


class Played:
    """A task whose candidates are rows of a table: policy `row 7` does what row 7 says."""

    def __init__(self, table: Table, episodes: int) -> None:
        self.name, self.width, self.table = "played", 1, table
        self.judge: Judge | None = None
        self.population: Literal["whole", "sample"] = "sample"
        train = [Example(str(i), i) for i in range(episodes)]
        self.splits: dict[str, Sequence[Example]] = {"train": train}

    def fingerprint(self) -> str:
        return "played"

    def check(self, artifact: Artifact) -> list[str]:  # noqa: ARG002
        return []

    def execute(self, candidate: Candidate, example: Example, seed: int) -> Record:  # noqa: ARG002
        row, episode = row_of(candidate), int(example.input)
        steps = Usage(steps=int(self.table.steps[row, episode]))
        score = float(self.table.scores[row, episode])
        return Record(candidate.id, example.id, score=score, usage=steps)

    async def close(self) -> None:
        pass


def row_of(candidate: Candidate) -> int:
    return int(candidate.artifact.parts["policy"].split()[-1])


@dataclass(frozen=True)
class Outcome:
    """Steps taken, and the true worth of the winner: its mean over the episodes not raced on."""

    steps: int
    worth: float
    row: int


def searched(table: Table, rows: Sequence[int], *, race: bool, episodes: int) -> Outcome:
    """One round of promptpo, in which the model writes just these policies."""
    drafts = iter(rows)
    model = Scripted(lambda _: f'<part name="policy">\nrow = {next(drafts)}\n</part>')
    options = {"rounds": 1, "width": len(rows), "episodes": episodes, "reflect": False}
    result = improve(
        {"policy": "row = -1"},
        Played(table, episodes),
        method={"type": "promptpo", **options, "race": race},
        proposer=model,
    )
    won = row_of(next(iter(c for c in result.known.values() if c.id == result.search.best)))
    return Outcome(int(result.spent["steps"]), float(table.scores[won, episodes:].mean()), won)


def compared(
    table: Table, rounds: int, seed: int, *, close: bool = False, episodes: int = EPISODES
) -> tuple[Any, Any]:
    """Arrays of shape (rounds, 2): steps and worth, with racing and without.

    close: all ten are neighbours in true worth, where a race can go wrong most often.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(table.scores.mean(axis=1))
    steps, worth = np.zeros((rounds, 2)), np.zeros((rounds, 2))
    for number in range(rounds):
        if close:
            first = int(rng.integers(len(order) // 2, len(order) - WIDTH + 1))
            rows = rng.permutation(order[first : first + WIDTH])
        else:
            rows = rng.choice(len(order), WIDTH, replace=False)
        for column, race in enumerate((True, False)):
            found = searched(table, rows.tolist(), race=race, episodes=episodes)
            steps[number, column], worth[number, column] = found.steps, found.worth
    return steps, worth


def interval(values: Any) -> str:
    """Mean with its 95 % interval by the normal approximation."""
    half = 1.96 * np.std(values, ddof=1) / np.sqrt(len(values))
    return (
        f"{np.mean(values):+.4f} ({np.mean(values) - half:+.4f} to {np.mean(values) + half:+.4f})"
    )


def main(policies: int = 200, rounds: int = 60) -> None:
    print("| environment | ten policies | steps saved | worth of the winner, race less full |")
    print("|---|---|---|---|")
    for family in FAMILIES:
        table = tabulate(family, policies)
        for close in (False, True):
            steps, worth = compared(table, rounds, 1, close=close)
            saved = 1 - steps[:, 0].sum() / steps[:, 1].sum()
            kind = "nearly equal" if close else "drawn at random"
            lost = interval(worth[:, 0] - worth[:, 1])
            print(f"| {family.name} | {kind} | {saved:.0%} | {lost} |", flush=True)


if __name__ == "__main__":
    main(*((60, 10) if "small" in sys.argv[1:] else ()))
