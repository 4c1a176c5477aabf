from contextlib import closing

import pytest
from tests.report import studies

import optimand
from optimand.report import report_study
from optimand.storage.connect import connect


@pytest.mark.parametrize("how", ["budget", "unavailable", "interrupted"])
@pytest.mark.parametrize("place", ["memory", "file"])
def test_how_to_go_on_depends_on_the_store(how, place, tmp_path):
    store = None if place == "memory" else str(tmp_path / "s.db")
    result = studies.ENDS[how](store)
    assert result.lasting == (place == "file")
    page = studies.Page(result.report(tmp_path / "page.html").read_text(encoding="utf-8"))
    same = "un the same command again: it goes on from here"
    assert (same in page.text) == (place == "file")
    assert ("needs a file as its store" in page.text) == (place == "memory")


CALLS = []  # a module's variable is no part of a study's identity


def note(value, example, seed):
    CALLS.append(value)
    return 0.5


def test_what_the_page_says_of_a_study_in_memory_is_true():
    def run(rollouts, store):
        limit = optimand.Budget(rollouts=rollouts)
        return optimand.pick(["a", "b"], optimand.FunctionTask(note), store=store, budget=limit)

    CALLS.clear()
    first = run(6, None)
    second = run(10, first.source)
    assert (second.study, len(CALLS)) == (first.study, 10)


def test_a_snapshot_in_a_file_can_be_continued(tmp_path):
    with closing(connect(tmp_path / "s.db")) as store:
        studies.killed(store)
        page = report_study(store, "killed-1", tmp_path / "page.html").read_text(encoding="utf-8")
    assert "If it is no longer running: run the same command again" in page
