"""SPRIG on the token bench, with its tokens and some junk as components; no model is asked."""

from __future__ import annotations

import itertools

import pytest
from tests.methods.benches import TOKENS, improved, token_editor, tokens_task

from optimand import Budget, improve
from optimand.core.errors import InputError
from optimand.core.model import Request
from optimand.improve_result import ImproveResult
from optimand.llm.scripted import Scripted
from optimand.memory.rewards import Rewards

JUNK = [f"junk{i}" for i in range(6)]
SMALL = {"beam": 4, "sample": 12, "most": 24, "steps": 12}


def built(rollouts: int = 6000, **options: object) -> ImproveResult:
    method = {"type": "sprig", "components": [*TOKENS, *JUNK], **SMALL, **options}
    return improved(method, rollouts, proposer=None)


def test_it_builds_a_prompt_without_a_model() -> None:
    result = built()
    words = result.best.artifact.parts["value"].split()
    assert words[0] == "start"
    assert len(set(TOKENS) & set(words)) >= 8
    assert result.proven
    assert result.spent.get("calls", 0) == 0


def test_the_archive_keeps_what_a_beam_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    from optimand.strategies.improve import search

    best, beam = [], []
    note = search.note_step

    async def watch(run, number, step):  # type: ignore[no-untyped-def]
        beam.append(max((t.score() for t in step.trials), default=0.0))
        best.append(max([0.0, *best[-1:], *beam[-1:]]))
        await note(run, number, step)

    monkeypatch.setattr(search, "note_step", watch)
    result = built(sample=3, steps=14)
    assert any(after < before for before, after in itertools.pairwise(beam))
    top = max(s.estimate for s in result.search.standings)
    assert top == pytest.approx(best[-1])
    assert result.search.standings[0].estimate == pytest.approx(top)


def test_junk_sinks(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Rewards] = []
    init = Rewards.__init__

    def watch(self: Rewards) -> None:
        init(self)
        kept.append(self)

    monkeypatch.setattr(Rewards, "__init__", watch)
    built(explore=0.1, top=8)
    rewards = kept[-1]  # a first search only tries whether the problem fits
    ranked = rewards.ranked([*JUNK, *TOKENS], 0.1)
    assert sum(map(ranked.index, JUNK)) / 6 > sum(map(ranked.index, TOKENS)) / 12
    assert max(map(rewards.mean, JUNK)) < 0.01
    assert sum(map(rewards.count, TOKENS)) / 12 > sum(map(rewards.count, JUNK)) / 6


def test_paraphrases_are_used_where_a_proposer_is_given() -> None:
    def other_words(request: Request) -> str:
        shown = request.messages[-1].content.split("## the instruction\n")[1].split("\n")[0]
        return f'<part name="component">\nplease {shown}\n</part>'

    client = Scripted(other_words, name="other-words")
    result = improved(
        {"type": "sprig", "components": [*TOKENS, *JUNK], **SMALL}, 4000, proposer=client
    )
    assert result.spent["calls"] > 0
    assert any(c.operator == "paraphrase" for c in result.known.values())
    assert any("please" in c.artifact.parts["value"] for c in result.known.values())


def test_unreadable_paraphrases_do_not_end_it() -> None:
    result = improved(
        {"type": "sprig", "components": TOKENS, **SMALL}, 4000, proposer=token_editor(1.0)
    )
    assert result.reasons["the reply could not be read"] > 0
    assert result.proven


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"components": "one text"}, "must be a list of texts"),
        ({"components": [1]}, "must be a list of texts"),
        ({"beam": -1}, "a number from 1 to"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        built(**options)


def test_it_needs_a_text() -> None:
    with pytest.raises(InputError, match="edits a text"):
        improve(
            {"value": "start", "n": 3},
            tokens_task(),
            method="sprig",
            change={"settings": {"n": {"low": 1, "high": 5}}},
            budget=Budget(rollouts=200),
        )
