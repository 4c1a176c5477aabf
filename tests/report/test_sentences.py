import pytest

from optimand.report.sections import duration
from optimand.report.sentences import percent, several
from optimand.result import money


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
