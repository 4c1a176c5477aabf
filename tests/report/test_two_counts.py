"""What a verdict rests on and what was paid for are told apart; names and axes are readable."""

from contextlib import closing

import pytest

import optimand
from optimand.core.verdict import Verdict
from optimand.core.wording import joined, made, under_way
from optimand.evaluation.judges.consistency import Rate
from optimand.report.calls import read_calls
from optimand.report.charts.ranking import Row, scale_of
from optimand.report.sections import facts
from optimand.report.sentences import several
from optimand.report.study import view_study
from optimand.storage.memory import MemoryStore


@pytest.mark.parametrize(
    ("decided", "reason", "spent", "said"),
    [
        (True, "separated", 110, "they decided it; 5 more were under way"),
        (False, "interrupted", 106, "1 more was under way"),
        (False, "running", 110, "and 5 more that were not looked at yet"),
        (True, "separated", 105, ""),
    ],
)
def test_under_way(decided, reason, spent, said):
    verdict = Verdict(decided, "a", reason, used=105)
    assert under_way(verdict, {"comparisons": spent}) == said
    whole = made(verdict, {"comparisons": spent})
    assert whole == (f"105 comparisons ({said})" if said else "105 comparisons")


def test_the_report_and_the_sentence_give_the_same_counts():
    def compare(a, b, example, seed):
        return float(a > b)

    task = optimand.DuelTask(compare, width=8)
    for seed in range(20):  # how many are under way is a matter of timing, and may be none
        store = MemoryStore()
        result = optimand.pick([1, 2, 3], task, store=store, seed=seed)
        if result.spent["comparisons"] > result.verdict.used:
            break
    info = store.studies()[0]
    with closing(store.read(info.name)) as journal:
        view, calls = view_study(info, journal), read_calls(journal, None)
    fact = next(entry for entry in facts(view, calls) if entry[0] == "Comparisons")
    more = int(result.spent["comparisons"]) - result.verdict.used
    assert more > 0
    assert fact[1] == str(result.verdict.used)
    assert f"{more} more w" in fact[2]
    assert f"{result.verdict.used} comparisons (they decided it; {more} more w" in str(result)


def test_names_with_commas_are_told_apart():
    assert joined(["a", "b"]) == "a, b"
    assert joined(["a, b", "c"]) == "a, b; c"
    assert several(["a, b", "c"]) == "a, b; c"
    assert several(["a", "b"]) == "a and b"


def test_an_axis_ends_at_a_mark():
    scale = scale_of([Row("a", 0.4, 0.21, 0.88, "in", "0.4")])
    assert (scale.low, scale.high) == (scale.ticks()[0], scale.ticks()[-1])
    assert scale.high >= 0.88


def test_a_single_case_is_no_rate():
    assert str(Rate(0, 1)) == "0 of 1 (a single case says nothing about the rate)"
    assert "interval" in str(Rate(0, 2))
