"""Edit a text as a sequence of components: add, delete, swap, and substitute by a paraphrase."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import chain, combinations, zip_longest

from optimand.core.artifact import Candidate
from optimand.core.gather import all_of
from optimand.core.proposal import Context, Evidence, Trial
from optimand.operators.edit import child
from optimand.operators.replies import parts_of
from optimand.queries.ask import ask, prompt

__all__ = ["Edit", "corpus", "edit_components", "edits_of", "taking_turns"]

ROLE = "proposer"
WORDIER = 3
"""A paraphrase may have so many times the characters of its source, and LEEWAY more."""
LEEWAY = 80


@dataclass(frozen=True)
class Edit:
    """A sequence of components after one edit of `parent`'s.

    `component` is what was added, deleted or is to be paraphrased, "" for a swap; `place` is where.
    """

    kind: str
    parent: Candidate
    sequence: tuple[str, ...]
    component: str = ""
    place: int = 0


@cache
def corpus() -> tuple[str, ...]:
    """General prompt components that come with the package, helpful ones and others."""
    text = (files("optimand.operators") / "components.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip())


def edits_of(
    parent: Candidate, sequence: tuple[str, ...], adding: Sequence[str], paraphrases: int = 0
) -> dict[str, list[Edit]]:
    """Every edit of one sequence, by kind.

    Each component of `adding` that is not there yet at each place, each component deleted, each two
    exchanged, and `paraphrases` substitutions of each (SPRIG, Section 3.2).
    """
    places = range(len(sequence))
    swaps = [(i, j) for i, j in combinations(places, 2) if sequence[i] != sequence[j]]
    return {
        "add": [
            Edit("add", parent, (*sequence[:i], one, *sequence[i:]), one, i)
            for one in adding
            if one not in sequence
            for i in range(len(sequence) + 1)
        ],
        "delete": [
            Edit("delete", parent, (*sequence[:i], *sequence[i + 1 :]), sequence[i], i)
            for i in places
        ],
        "swap": [Edit("swap", parent, _exchanged(sequence, i, j)) for i, j in swaps],
        "paraphrase": [
            Edit("paraphrase", parent, sequence, sequence[i], i)
            for i in places
            for _ in range(paraphrases)
        ],
    }


def taking_turns(
    edits: Sequence[Mapping[str, Sequence[Edit]]], most: int, rng: random.Random
) -> list[Edit]:
    """At most `most` of all parents' edits (0: all), the kinds taking turns, in a random order.

    Additions go round by component in the order that the edits have: first one place for each.
    """
    kinds: dict[str, list[Edit]] = {}
    for by_kind in edits:
        for kind, found in by_kind.items():
            kinds.setdefault(kind, []).extend(found)
    for found in kinds.values():
        rng.shuffle(found)
    if "add" in kinds:
        order = dict.fromkeys(e.component for by_kind in edits for e in by_kind.get("add", ()))
        kinds["add"] = _round_robin(kinds["add"], order)
    mixed: Iterator[Edit | None] = chain.from_iterable(zip_longest(*kinds.values()))
    return _distinct(mixed, most)


async def edit_components(context: Context, evidence: Evidence) -> list[Trial]:
    """Edit the parents' sequences; see `edits_of` and `taking_turns`.

    Reads the action's params: `part`, whose text is `base`, which stays, and the sequence after it,
    with `between` in between; `sequences` by candidate id; `adding`, `paraphrases` and `most`.
    Paraphrases are asked of the proposer; without one there are none. A trial's `meta` has its
    edit and the wording of a paraphrase.
    """
    params = context.action.params
    draws = params["paraphrases"] if ROLE in context.run.clients else 0
    sequences = params["sequences"]
    possible = [edits_of(p, sequences[p.id], params["adding"], draws) for p in evidence.parents]
    edits = taking_turns(possible, params["most"], context.rng)
    asked = [i for i, one in enumerate(edits) if one.kind == "paraphrase"]
    said = await all_of([_paraphrase(context, edits[i], i) for i in asked])
    wordings = dict(zip(asked, said, strict=True))
    return [_trial(context, one, wordings.get(i, "")) for i, one in enumerate(edits)]


def _trial(context: Context, one: Edit, wording: str) -> Trial:
    if one.kind == "paraphrase":
        if not wording:
            return Trial(None, False, "the reply could not be read")
        sequence = (*one.sequence[: one.place], wording, *one.sequence[one.place + 1 :])
        one = replace(one, sequence=sequence)
    params = context.action.params
    text = params["between"].join(piece for piece in (params["base"], *one.sequence) if piece)
    made = child(context, (one.parent,), {params["part"]: text}, one.kind)
    return replace(made, meta={"edit": one, "wording": wording})


async def _paraphrase(context: Context, one: Edit, draw: int) -> str:
    """Other words for a component; "" where the reply could not be read or has grown too long."""
    text = prompt("paraphrase", {"component": one.component}, {})
    reply = await ask(context, ROLE, text, draw, temperature=1.0)
    found = parts_of(reply.text, ("component",)) or {}
    wording = " ".join(found.get("component", "").split())
    return wording if len(wording) <= WORDIER * len(one.component) + LEEWAY else ""


def _round_robin(found: Sequence[Edit], order: Iterable[str]) -> list[Edit]:
    queues = [[e for e in found if e.component == name] for name in order]
    return [e for row in zip_longest(*queues) for e in row if e is not None]


def _distinct(edits: Iterator[Edit | None], most: int) -> list[Edit]:
    """Without those that give the same text, but for paraphrases, whose text is not known yet."""
    found: list[Edit] = []
    seen = set()
    for one in edits:
        if most and len(found) >= most:
            break
        if one is not None and (one.kind == "paraphrase" or one.sequence not in seen):
            seen.add(one.sequence)
            found.append(one)
    return found


def _exchanged(sequence: tuple[str, ...], i: int, j: int) -> tuple[str, ...]:
    changed = list(sequence)
    changed[i], changed[j] = changed[j], changed[i]
    return tuple(changed)
