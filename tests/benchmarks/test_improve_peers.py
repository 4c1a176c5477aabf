"""The peers of the improve benchmark: what their scripted model answers, and short runs."""

from __future__ import annotations

import json
import random

import pytest
from benchmarks.improve.peers import PEERS, peer
from benchmarks.improve.replies import dspy_reply, our_reply, textgrad_reply

from optimand.queries.ask import template_text


def _rng() -> random.Random:
    return random.Random(1)  # its first draw keeps to what is named


def test_our_proposer_adds_what_is_named_and_the_critic_names_it() -> None:
    asked = '<part name="value">\nstart t1\n</part>\nfeedback: missing t4\n'
    assert our_reply(asked, _rng()) == '<part name="value">\nstart t1 t4\n</part>'
    assert our_reply(f"You do not correct it.\n{asked}", _rng()) == "missing t4"
    assert our_reply("You do not correct it.\nscore: 1", _rng()) == "Nothing."


@pytest.mark.parametrize("template", ["loss", "gradient"])
def test_our_critics_are_known_by_the_words_of_their_templates(template: str) -> None:
    assert our_reply(f"{template_text(template)}\nfeedback: missing t4", _rng()) == "missing t4"


def test_textgrad_is_told_what_is_missing_and_gets_the_whole_text_back() -> None:
    assert textgrad_reply("<OUTPUT_OF_FUNCTION> score 0.0 missing t7 <", _rng()) == "missing t7"
    assert textgrad_reply("<OUTPUT_OF_FUNCTION> score 1.0 <", _rng()) == ""
    long = " ".join(["start", *["junk0"] * 30])
    asked = (
        "<VARIABLE> start (...) junk0 </VARIABLE>"
        f"<LM_SYSTEM_PROMPT> {long} </LM_SYSTEM_PROMPT><FEEDBACK>missing t7</FEEDBACK>"
        "<IMPROVED_VARIABLE>{the improved variable}</IMPROVED_VARIABLE>"
    )
    expected = f"<IMPROVED_VARIABLE>{long} t7</IMPROVED_VARIABLE>"
    assert textgrad_reply(asked, _rng()) == expected


def _chat(fields: dict[str, str], *wanted: str) -> str:
    shown = "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items())
    asks = ", then ".join(f"`[[ ## {name} ## ]]`" for name in (*wanted, "completed"))
    return f"{shown}\n\nRespond with the corresponding output fields, starting with {asks}."


def test_copro_gets_a_change_of_the_best_attempt() -> None:
    tried = "[1] «Instruction #1: start junk1»\n[2] «Instruction #2: start t1 t2»"
    asked = _chat({"attempted_instructions": tried}, "proposed_instruction", "proposed_prefix_x")
    replies = {dspy_reply(asked, random.Random(seed)) for seed in range(20)}
    assert len(replies) > 5
    for reply in replies:
        assert reply.endswith("[[ ## completed ## ]]")
        text = reply.split("\n")[1].split()
        assert text[0] == "start"
        assert len(set(text) ^ {"start", "t1", "t2"}) <= 1


def test_gepa_of_dspy_asks_in_json_and_is_answered_in_json() -> None:
    fields = {"current_instruction": "start", "examples_with_feedback": '"missing t3"'}
    asked = _chat(fields).partition("Respond")[0]
    asked += "Respond with a JSON object in the following order of fields: `new_instruction`."
    assert json.loads(dspy_reply(asked, _rng())) == {"new_instruction": "start t3"}


def test_simba_is_advised_a_word_that_is_new() -> None:
    module = "Module step\n\tOriginal Instructions: \n\t\tstart\n\t\t\n\t\tt2\n-----"
    fields = {"modules_defn": module, "worse_reward_info": "{}"}
    for seed in range(20):
        reply = dspy_reply(_chat(fields, "discussion", "module_advice"), random.Random(seed))
        advice = json.loads(reply.split("module_advice ## ]]\n")[1].split("\n")[0])["step"]
        assert advice
        assert advice not in ("start", "t2")


def test_without_a_python_for_peers_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPTIMAND_PEERS", raising=False)
    assert [peer(name, False, 1, 60) for name in PEERS] == [[]] * len(PEERS)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_runs_within_about_its_executions(name: str) -> None:
    found = peer(name, False, 1, 700)
    if not found:
        pytest.skip("OPTIMAND_PEERS names no Python that has the package")
    assert 60 <= found[0].calls <= (1400 if "MIPRO" in name else 735)
    assert 0.0 <= found[0].truth <= 1.0
    assert (found[0].truth == 1.0) == ("textgrad" in name or "gepa" in name.lower())
