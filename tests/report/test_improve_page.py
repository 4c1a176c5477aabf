"""The page of an improvement: its sections, its endings, and what a model wrote."""

import json
import random
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.benches import token_editor, tokens_task
from tests.report import studies
from tests.report.test_page import EVIL, safe

import optimand
from optimand import Budget, FunctionTask
from optimand.core.store import Event
from optimand.llm.scripted import Scripted
from optimand.report.improve.diff import diff_texts
from optimand.report.improve.view import view_search
from optimand.storage.memory import MemoryStore


def improved(store, method="gepa", rollouts=2000, **options):
    options = {"proposer": token_editor(), "budget": Budget(rollouts=rollouts), **options}
    return optimand.improve("start", tokens_task(), method=method, store=store, **options)


def view_of(store):
    (info,) = store.studies()
    with closing(store.read(info.name)) as journal:
        return view_search(info, journal)


def test_a_proven_gain(store):
    result = improved(store)
    assert result.proven
    page = studies.page_of(store)
    safe(page)
    gain = result.gain
    said = f"gain {gain['estimate']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]"
    assert f"{result.best.name} is proven better than start: {said}" in page.text
    for head in ("What was changed", "The search", "Where it came from", "Ranking", "Training and"):
        assert head in page.text
    assert "no better than its parent on the batch" in page.text
    assert "gepa (merges: 5, minibatch: 3, steps: 100)" in page.text
    assert "train 36, val 24, test 60" in page.text
    assert page.text.count("score (up) against short (right)") == 1
    assert {"ins", "svg", "ol"} <= page.tags()
    charts = [a for tag, a in page.elements if tag == "svg" and a.get("role") == "img"]
    assert all(name in page.ids for c in charts for name in c["aria-labelledby"].split())


def test_the_view_agrees_with_the_result(store):
    result = improved(store)
    view = view_of(store)
    assert view.proven == result.proven
    assert view.best == result.best.id
    assert [c.name for c in view.lineage] == [c.name for c in result.lineage]
    assert {c.id for c in view.candidates.values()} == set(result.known)
    assert sum(not t["accepted"] for t in view.trials) == sum(result.reasons.values())
    listed = {s.candidate: s.estimate for s in result.search.standings}
    for candidate, estimate in listed.items():
        assert view.value(candidate) == pytest.approx(estimate)


def test_nothing_found(store):
    result = improved(store, {"type": "opro", "steps": 3}, proposer=token_editor(junk=1.0))
    assert not result.proven
    page = studies.page_of(store)
    safe(page)
    assert "Nothing is proven: the search found nothing that scored higher" in page.text
    assert "the reply could not be read" in page.text
    assert "Where it came from" not in page.text


def test_no_gain_is_proven(store):
    def noise(value, example, seed):
        return float(random.Random(f"{value}|{example.id}").random() < 0.5)

    rows = [{"id": f"e{i}", "input": i} for i in range(60)]
    result = optimand.improve(
        "start",
        FunctionTask(noise, rows, name="noise"),
        method={"type": "opro", "steps": 3},
        proposer=token_editor(0.0),
        store=store,
    )
    assert result.certificate is not None
    assert not result.proven
    page = studies.page_of(store)
    safe(page)
    assert "start is kept: no gain is proven." in page.text
    assert "which is not proven better" in page.text


def test_examples_without_end(store):
    def coin(value, example, seed):
        return float(random.Random(f"{value}{seed}").random() < 0.2 + 0.1 * value.count("t"))

    optimand.improve(
        "start",
        FunctionTask(coin, name="coin"),
        method={"type": "gepa", "steps": 6},
        proposer=token_editor(0.0),
        budget=Budget(rollouts=600),
        store=store,
    )
    page = studies.page_of(store)
    safe(page)
    assert "drawn from the seed, without end" in page.text


@pytest.mark.parametrize("kept", [0, 1, 3, 20, 60])
def test_a_run_that_was_killed(store, kept):
    result = improved(store, rollouts=500)
    (info,) = store.studies()
    with closing(store.read(info.name)) as journal:
        events = [e for e in journal.events() if e.kind not in ("search", "verdict")][:kept]
    other = MemoryStore()
    with closing(other.write(result.study, info.settings)) as journal:
        journal.append(events)
    page = studies.page_of(other)
    safe(page)
    assert "Not finished" in page.text


def test_warnings_and_overfit_are_on_the_page(store):
    phrase = "Always think before you answer it."

    def writer(request):
        return f'<part name="value">\n{phrase} {phrase} {phrase} {"x " * 300}\n</part>'

    result = optimand.improve(
        "start",
        FunctionTask(lambda v, e, s: float(len(v) > 9), [{"input": i} for i in range(60)]),
        method={"type": "gepa", "steps": 2},
        proposer=Scripted(writer, name="writer"),
        store=store,
    )
    assert result.proven
    assert len(result.warnings) == 2
    assert "\nWarning: " in str(result)
    assert result.to_json()["warnings"] == list(result.warnings)
    page = studies.page_of(store)
    safe(page)
    for text in result.warnings:
        assert " ".join(text.split()) in page.text


def test_what_a_proposer_wrote_is_only_text(store):
    def writer(request):
        return f'<part name="value">\n{EVIL}\n</part>'

    optimand.improve(
        EVIL[:30],
        FunctionTask(lambda v, e, s: float(len(v) > 40), [{"input": i} for i in range(40)]),
        method={"type": "gepa", "steps": 2},
        proposer=Scripted(writer, name=f"writer {EVIL}"),
        store=store,
    )
    page = studies.page_of(store)
    safe(page)
    assert "<script>alert(1)</script>" in page.text
    assert "␛[2J ⟨U+202E⟩detrevni" in page.text


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=40))
def test_no_text_breaks_the_page(said):
    store = MemoryStore()
    result = improved(store, {"type": "gepa", "steps": 4}, 300)
    (info,) = store.studies()
    with closing(store.read(info.name)) as journal:
        events = list(journal.events())
    swapped = json.loads(json.dumps(info.settings))
    swapped["candidates"][result.start.id] = {"name": said, "parts": {"value": said, said: [said]}}
    other = MemoryStore()
    body = {"id": "c1", "name": said, "parents": [result.start.id], "operator": said, "parts": {}}
    trials = [
        {"candidate": "c1", "accepted": True, "why": "", "scores": {"val": 0.5}},
        {"candidate": None, "accepted": False, "why": said, "scores": {}},
    ]
    more = [
        Event("candidate", body),
        Event("step", {"number": 99, "parents": [], "trials": trials, "spent": {"calls": 9}}),
        Event("warnings", {"candidate": "c1", "texts": [said]}),
    ]
    with closing(other.write("any-1", swapped)) as journal:
        journal.append([*events, *more])
    safe(studies.page_of(other))


def test_the_result_writes_its_page(tmp_path):
    result = improved(tmp_path / "runs.db", rollouts=400)
    written = result.report(tmp_path / "out.html")
    page = studies.Page(written.read_text(encoding="utf-8"))
    safe(page)
    assert "The search" in page.text


@given(st.text("ab \n.", max_size=80), st.text("ab \n.", max_size=80))
def test_a_diff_holds_both_texts(before, after):
    pieces = diff_texts(before, after)
    assert "".join(p.text for p in pieces if p.kind != "ins") == before
    assert "".join(p.text for p in pieces if p.kind != "del") == after
    assert all(p.text for p in pieces)


def test_a_diff_is_by_words():
    pieces = diff_texts("Answer in one word.\nBe kind.\n", "Answer in two words.\nBe kind.\n")
    assert [(p.kind, p.text) for p in pieces][1:3] == [("del", "one"), ("ins", "two")]
    assert pieces[-1].text == ".\nBe kind.\n"


def test_huge_texts_are_not_matched_word_by_word():
    for before, after in (("a b " * 5000, "b a " * 5000), ("x\n" * 5000, "y\n" * 5000)):
        pieces = diff_texts(before, after)
        assert [p.kind for p in pieces] == ["del", "ins"]


def test_the_controllers_choices_have_accounts(tmp_path):
    page = improved(MemoryStore(), {"type": "opticom", "steps": 12}).report(tmp_path / "a.html")
    text = page.read_text(encoding="utf-8")
    assert "What the controller chose" in text
    assert "<bdi>repair</bdi>" in text
    other = improved(MemoryStore(), {"type": "gepa", "steps": 5}).report(tmp_path / "b.html")
    assert "What the controller chose" not in other.read_text(encoding="utf-8")
