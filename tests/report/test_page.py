import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report import studies

from optimand.core.budget import Budget
from optimand.core.model import Reply
from optimand.core.record import Usage
from optimand.core.store import StudyInfo
from optimand.evaluation.judges import Contains, Pairwise
from optimand.llm.scripted import Scripted
from optimand.report import report_study
from optimand.report.page import render
from optimand.storage.memory import MemoryStore

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)> \x1b[2J \u202edetrevni"
VERDICT = studies.separated(MemoryStore()).verdict.to_json()


def safe(page):
    """Nothing runs, nothing is loaded, nothing is hidden."""
    assert not page.tags() & {"script", "iframe", "object", "embed", "link", "img", "form", "base"}
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        assert not {"src", "href", "srcset", "action", "data"} & set(attributes), tag
    policy = [a["content"] for t, a in page.elements if a.get("http-equiv")]
    assert policy == [POLICY]
    assert len(page.ids) == len(set(page.ids))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page.text)


@pytest.mark.parametrize("how", studies.ENDS)
def test_every_ending_has_its_page(how, store):
    result = studies.ENDS[how](store)
    assert result.reason == how
    page = studies.page_of(store)
    safe(page)
    assert ("Undecided" in page.text) == (not result.decided)
    for candidate in result.candidates.values():
        assert candidate.name in page.text
    words = {
        "separated": "high is best.",
        "tied": "one and two are equal on these examples.",
        "indifferent": "no rival is better by a margin that matters",
        "cycle": "beat each other in a circle",
        "budget": "Raise the budget",
        "exhausted": "All examples were used",
        "unavailable": "the endpoint answers 503",
        "interrupted": "The run was interrupted",
    }
    assert words[how] in page.text


def test_a_killed_run_shows_its_last_snapshot(store):
    studies.killed(store)
    page = studies.page_of(store)
    safe(page)
    assert "Not finished" in page.text
    assert "after 12 rollouts" in page.text
    assert "Evidence over time" in page.text


def test_a_study_without_events(store):
    store.write("empty-1", {"task": "empty"}).close()
    page = studies.page_of(store)
    safe(page)
    assert "There is no result yet." in page.text


def test_settings_of_another_version_are_borne(store):
    journal = store.write("old-1", {})
    journal.append([studies.Event("verdict", VERDICT | {"news": 1})])
    journal.close()
    page = studies.page_of(store)
    safe(page)
    assert "is best" in page.text


def test_charts_say_what_they_show(store):
    studies.separated(store)
    page = studies.page_of(store)
    charts = [a for tag, a in page.elements if tag == "svg" and a.get("role") == "img"]
    assert len(charts) >= 5
    for chart in charts:
        assert all(name in page.ids for name in chart["aria-labelledby"].split())


def test_tables_have_headers(store):
    studies.separated(store)
    page = studies.page_of(store)
    assert page.tags() >= {"table", "thead", "th"}
    heads = [a for tag, a in page.elements if tag == "th"]
    assert all(a.get("scope") in ("col", "row") for a in heads)


def test_on_a_phone_each_cell_has_its_title(store):
    """Where a table does not fit, its rows are stacked and the head is not seen."""
    studies.separated(store)
    page = studies.page_of(store)
    labels = [a["data-label"] for tag, a in page.elements if tag == "td" and "data-label" in a]
    row = ["Rank", "Score", "Interval", "Rollouts", "Evidence against (out at 3.00)"]
    assert labels[:6] == [*row, "Where it stands"]
    assert labels.count("Rank") == 3


def test_numbers_are_those_of_the_verdict(store):
    result = studies.separated(store)
    page = studies.page_of(store)
    for standing in result.verdict.standings:
        assert f"{standing.estimate:.3f}" in page.text
        assert f"{standing.low:.3f} to {standing.high:.3f}" in page.text
    assert f"after {result.verdict.used:,} rollouts" in page.text
    assert "2.99" in page.text or "3.00" in page.text


def test_outputs_side_by_side_with_input_target_and_reason(store):
    result = studies.written(store, {"say a": "aaa", "say b": "bbb"}, studies.Prefers())
    assert result.best.name == "say a"
    page = studies.page_of(store)
    safe(page)
    assert "question 1" in page.text
    assert "answer 1" in page.text
    assert "say a has 3" in page.text
    assert "say b has 0" in page.text
    assert "Head to head" in page.text


def test_scores_and_feedback_side_by_side(store):
    replies = {"right": lambda said: said.replace("question", "answer"), "wrong": "no idea"}
    studies.written(store, replies, Contains())
    page = studies.page_of(store)
    safe(page)
    assert re.search(r"right did better than wrong on (\d+), worse on 0, the same on 0", page.text)
    assert "score 1" in page.text
    assert "score 0" in page.text
    assert "got 'no idea'" in page.text


def test_what_a_model_wrote_is_only_text(store):
    replies = {f"evil {EVIL}": EVIL + "answer 1 aaa", "plain": "bbb"}
    studies.written(store, replies, studies.Prefers())
    page = studies.page_of(store)
    safe(page)
    assert "<script>alert(1)</script>" in page.text
    assert "␛[2J ⟨U+202E⟩detrevni" in page.text


def test_huge_outputs_are_cut_with_a_note(store):
    replies = {"long": "a" * 1_000_000, "short": "b"}
    studies.written(store, replies, studies.Prefers())
    info = store.studies()[0]
    page = render(info, store.read(info.name))
    assert len(page) < 200_000
    assert "997,000 more characters are left out" in studies.Page(page).text


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(codec=None), max_size=30), st.text(st.characters(codec=None)))
def test_no_text_breaks_the_page(name, said):
    verdict = VERDICT | {"detail": said}
    ids = [s["candidate"] for s in verdict["standings"]]
    known = {i: {"name": name, "parts": {"prompt": said, name: [said]}} for i in ids}
    store = MemoryStore()
    journal = store.write("any-1", {"candidates": known, "task": said})
    rollouts = [
        {"candidate": i, "example": name, "score": n / 3, "output": said, "feedback": said}
        for n, i in enumerate(ids)
    ]
    journal.append([studies.Event("rollout", body, key=str(n)) for n, body in enumerate(rollouts)])
    judge = {"judge": {"type": said, name: said}, "line": 3.0, "models": {name: said}}
    journal.append([studies.Event("session", judge), studies.Event("verdict", verdict)])
    journal.close()
    page = studies.page_of(store)
    safe(page)


def test_many_candidates_stay_readable(store):
    verdict = dict(VERDICT)
    first = verdict["standings"][0]
    ids = [f"{i:032x}" for i in range(1500)]
    verdict["standings"] = [
        {**first, "candidate": c, "rank": n, "alive": n == 1} for n, c in enumerate(ids, 1)
    ]
    verdict |= {"best": ids[0], "history": {"at": [1.0, 2.0], **{c: [0.0, 3.0] for c in ids}}}
    known = {c: {"name": f"candidate {n}", "parts": {"value": n}} for n, c in enumerate(ids)}
    journal = store.write("many-1", {"candidates": known})
    journal.append([studies.Event("verdict", verdict)])
    info = StudyInfo("many-1", "", 1, {"candidates": known})
    text = render(info, journal)
    assert len(text) < 500_000
    page = studies.Page(text)
    assert "1,476 lower ranked candidates are not drawn" in page.text
    assert "1,300 lower ranked candidates are not listed" in page.text


def test_the_page_is_written_in_one_step(store, tmp_path):
    studies.separated(store)
    target = tmp_path / "report.html"
    target.write_text("older")
    assert report_study(store, store.studies()[0].name, target) == target
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_judging_model_is_read_out_with_its_cost(store):
    def judge(request):
        reply = {"verdict": "A", "reasoning": "it is kinder"}
        return Reply("", reply, Usage(1, 100, 10, 0.25, 0))

    pairwise = Pairwise(Scripted(judge, name="judge"), audit=1.0, explain=True)
    limit = Budget(comparisons=6)
    result = studies.written(store, {"a": "aaa", "b": "bbb"}, pairwise, budget=limit)
    assert result.spent["usd"] > 0
    page = studies.page_of(store)
    safe(page)
    assert "The output shown first was preferred in 100.0 %" in page.text
    assert "Cost $" in page.text
    assert "it is kinder" in page.text
