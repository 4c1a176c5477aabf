"""Worlds of texts with a known truth, and an editor that follows a stated rule.

A text is a list of words. Example i passes when its word is among them (and what else a world asks
for); the feedback names what is missing, unless the world is silent about it. The editor stands for
a proposing model: it does what the request asks for, imperfectly, and sees only the request.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimand import FunctionTask
from optimand.core.model import Request
from optimand.llm.scripted import Scripted

__all__ = ["WORLDS", "World", "editor"]

JUNK = [f"junk{i}" for i in range(30)]
_PART = re.compile(r'<part name="(\w+)">\n(.*?)\n</part>', re.DOTALL)


@dataclass(frozen=True)
class World:
    """One group of tasks. words: how many there are to find. tell: how feedback speaks of them.

    poison: junk words that spoil an example each. pairs: a word counts only beside the next one.
    noise: probability that a score is a coin. limit: characters allowed. parts: names of the text
    parts among which the words are divided. needs: a word without which nothing passes.
    """

    name: str
    words: int = 12
    start: str = "start"
    tell: str = "missing"
    poison: bool = False
    pairs: bool = False
    noise: float = 0.0
    limit: int = 400
    parts: tuple[str, ...] = ("text",)
    needs: str = ""

    def artifact(self) -> dict[str, str]:
        """Where a search starts."""
        return dict.fromkeys(self.parts, self.start)

    def score(self, parts: Mapping[str, str], index: int) -> tuple[float, str]:
        """The truth for one example, with what the feedback says."""
        part = self.parts[index % len(self.parts)]
        have = set(parts[part].split())
        wanted = [f"t{index}"]
        if self.pairs:
            wanted.append(f"t{(index + len(self.parts)) % self.words}")
        missing = [word for word in wanted if word not in have]
        spoiled = self.poison and f"junk{index}" in have
        if spoiled:
            return 0.0, f"harmful junk{index} in {part}"
        said = {"missing": f"missing {missing[0]} in {part}" if missing else "", "silent": "wrong"}
        return float(not missing), said[self.tell] if missing else ""

    def quality(self, parts: Mapping[str, str]) -> float:
        """Mean of the truth over all examples."""
        if self.needs and self.needs not in " ".join(parts.values()).split():
            return 0.0
        return sum(self.score(parts, i)[0] for i in range(self.words)) / self.words

    def task(self, examples: int = 120) -> FunctionTask:
        """Each word is asked for by several examples; coins are the seed's."""

        def run(value: Mapping[str, str], example: Any, seed: int) -> dict[str, Any]:
            if self.needs and self.needs not in " ".join(value.values()).split():
                return {"score": 0.0, "feedback": f"missing {self.needs} in {self.parts[0]}"}
            score, said = self.score(value, example.input)
            coin = random.Random(f"{seed} {sorted(value.items())} {example.id}")
            if coin.random() < self.noise:
                score = float(coin.random() < 0.5)
            return {"score": score, "feedback": said if score < 1.0 else "", "output": "..."}

        rows = [{"id": f"e{i}", "input": i % self.words} for i in range(examples)]
        return FunctionTask(run, rows, name=self.name)


START = " ".join(f"t{i}" for i in range(10))
WORLDS = (
    World("plain"),
    World("many words", words=24),
    World("silent", tell="silent"),
    World("silent, few", words=6, tell="silent"),
    World("poison", poison=True),
    World("nearly done, poisoned", start=f"{START} junk0 junk3 junk5 junk7", poison=True),
    World("nearly done", start=START),
    World("short", limit=60),
    World("short, poison", limit=70, poison=True),
    World("noisy", noise=0.3),
    World("noisy, poison", noise=0.2, poison=True),
    World("two parts", parts=("first", "second")),
    World("three parts, poison", parts=("a", "b", "c"), poison=True),
    World("pairs", pairs=True),
    World("needs a word", start="t0 t1 t2 t3", needs="begin"),
)


def editor(world: World, skill: float = 0.7) -> Scripted:
    """The proposing model, critic and adapter of a world; `skill`: how often it does what it means.

    Asked for a small change it adds one named word or drops one harmful word. Asked for another
    approach it replaces a third of the words at random. Shown another version it joins the two.
    Shown past solutions it joins words of the better ones with a new one. Otherwise it mends what
    the evidence names, up to two things, and now and then adds a word of no use.
    """

    def answer(request: Request) -> str:
        rng, text = random.Random(request.seed), request.messages[-1].content
        if "You do not rewrite it" in text:  # the critic
            return " ".join(named for named in _named(text) if rng.random() < 0.9)
        current = dict(_PART.findall(_section(text, "version") or text))
        shown = [dict([one]) for one in _PART.findall(_section(text, "past solutions"))]
        other = dict(_PART.findall(_section(text, "the other version")))
        edited = {
            part: _edited(words, part, text, (rng, skill, world), shown, other)
            for part, words in current.items()
            if part in world.parts
        } or {world.parts[0]: rng.choice(JUNK)}
        return "\n".join(f'<part name="{p}">\n{w}\n</part>' for p, w in edited.items())

    return Scripted(answer, name=f"editor-{world.name}-{skill}")


def _section(text: str, title: str) -> str:
    found = re.search(rf"^## [^\n]*{title}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else ""


def _named(text: str) -> list[str]:
    return re.findall(r"(?:missing|harmful) \w+ in \w+", text)


def _edited(
    current: str,
    part: str,
    text: str,
    how: tuple[random.Random, float, World],
    shown: list[dict[str, str]],
    other: Mapping[str, str],
) -> str:
    rng, skill, world = how
    words = list(dict.fromkeys(current.split()))
    vocabulary = [f"t{i}" for i in range(world.words)] + JUNK + [world.needs or "junk0"]
    mends = [
        (kind, word)
        for kind, word, where in re.findall(r"(missing|harmful) (\w+) in (\w+)", text)
        if where == part
    ]
    rng.shuffle(mends)
    if "Change or add only that" in text:
        words = _mend(words, mends[:1], rng, skill + 0.2)
    elif "Drop one assumption" in text:
        words = [rng.choice(vocabulary) if rng.random() < 0.33 else word for word in words]
        words.append(rng.choice(vocabulary))
    elif other:
        words = list(dict.fromkeys([*words, *other.get(part, "").split()]))
    elif shown and not mends:
        better = [one[part].split() for one in shown if part in one][-3:]
        words = [*words, *rng.choice(better or [[]])[:4], rng.choice(vocabulary)]
    else:
        words = _mend(words, mends[:2], rng, skill)
        if rng.random() < 0.3:
            words.append(rng.choice(JUNK))
    words = list(dict.fromkeys(words))
    while len(" ".join(words)) > world.limit:
        words.pop(rng.randrange(len(words)))
    return " ".join(words) or "start"


def _mend(
    words: list[str], mends: list[tuple[str, str]], rng: random.Random, skill: float
) -> list[str]:
    for kind, word in mends:
        if rng.random() > skill:
            continue
        words = [*words, word] if kind == "missing" else [w for w in words if w != word]
    return words
