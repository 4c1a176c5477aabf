import pytest

from optimand.core.amounts import money, price
from optimand.core.verdict import Standing, Verdict
from optimand.report.sections import duration
from optimand.report.sentences import beside_least, headline, percent, rests_on, several
from optimand.report.study import StudyView
from optimand.result import closest


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (1.0, "100 %"),
        (0.95, "95.0 %"),
        (0.99999, "99.99 %"),
        (0.9995, "99.95 %"),
        (0.0, "0.0 %"),
        (0.05, "5.0 %"),
    ],
)
def test_a_percentage_never_rounds_up_to_certainty(share, said):
    assert percent(share) == said


def test_money():
    assert [money(x) for x in (0, 0.004, 0.25, 1234.5)] == ["$0.00", "$0.004", "$0.25", "$1,234.50"]


def test_several():
    assert several(["a"]) == "a"
    assert several(["a", "b"]) == "a and b"
    assert several(["a", "b", "c", "d"]) == "a, b, c and d"
    assert several(list("abcdefg")) == "a, b, c and 4 more"


def test_duration():
    assert [duration(s) for s in (1.23, 45, 600, 7200)] == ["1.2 s", "45 s", "10 min", "2.0 h"]


def test_what_was_used_beside_the_least():
    verdict = Verdict(True, "a", "separated", unit="rollouts", used=70, least=100.0)
    fewer = beside_least(verdict)
    assert fewer.startswith("70 rollouts were used, fewer than the 100 rollouts that any method")
    assert "not a bound" in fewer
    assert "times" not in fewer
    verdict = Verdict(True, "a", "separated", unit="rollouts", used=170, least=100.0)
    assert "1.7 times the 100 rollouts" in beside_least(verdict)
    assert beside_least(Verdict(True, "a", "separated", used=70)) == ""
    assert beside_least(Verdict(False, "a", "budget", used=70, least=100.0)) == ""


def test_prices():
    assert [price(usd, n) for usd, n in ((0.0, 0), (0.0, 3), (0.5, 3), (0.5, 0))] == [
        "$0.00",
        "unknown",
        "at least $0.50",
        "$0.50",
    ]


def standing(name, evidence, alive=True):
    return Standing(name, 1, 0.5, 0.4, 0.6, 9, evidence, alive)


def test_how_far_an_undecided_run_is():
    standings = (standing("a", -1.0), standing("b", 1.5), standing("c", 9.0, alive=False))
    verdict = Verdict(False, "a", "budget", standings=standings, used=9, confidence=0.2)
    assert closest(verdict, 3.0) == 0.5
    assert closest(verdict, None) is None
    view = StudyView("s", "", {}, {}, {}, (), verdict, line=3.0)
    assert "20.0 %; evidence against the closest rival: 50 % of what is needed." in rests_on(view)
    circle = Verdict(False, None, "cycle", standings=standings, used=9, confidence=0.97)
    assert "onfidence" not in rests_on(StudyView("s", "", {}, {}, {}, (), circle, line=3.0))


def test_an_undecided_run_says_what_it_keeps_beside_a_baseline():
    rows = (standing("new", 0.1), standing("old", 0.5))
    gain = {"estimate": 0.08, "low": 0.02, "high": 0.14, "proven": True}

    def said(measure, best, gain):
        v = Verdict(
            False, best, "budget", standings=rows, measure=measure, baseline="old", gain=gain
        )
        return headline(StudyView("s", "", {}, {}, {}, (), v))

    proven = said("score", "new", gain)
    assert proven.startswith("new is proven better than old by 0.080 [0.020, 0.140];")
    assert "in win rate above one half" in said("win rate against the leader", "new", gain)
    assert said("score", "old", {**gain, "proven": False}) == (
        "old is kept: nothing is proven better."
    )
