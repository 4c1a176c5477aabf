import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from optimand.core.record import Comparison, Judgement
from optimand.evaluation.judges import Rate, readout


def ask(value, first="a", use="outcome", status="ok"):
    return {"use": use, "first": first, "value": value, "status": status}


def details(*asks, value=None, lengths=(1, 1)):
    return {
        "asks": list(asks),
        "value": asks[0]["value"] if value is None else value,
        "lengths": list(lengths),
    }


def test_counts_by_hand():
    items = [
        details(ask(1.0), ask(0.0, "b", "swap"), lengths=(9, 1)),  # flipped; first slot twice
        details(ask(1.0, "b"), ask(1.0, "b", "repeat"), lengths=(1, 9)),  # repeated; second slot
        details(ask(0.5), lengths=(3, 1)),  # tie
        details(ask(1.0), ask(1.0, "b"), lengths=(2, 1)),  # both orders agree
        details(ask(None, status="invalid")),
        details(ask(None, status="unknown")),
        {},
    ]
    read = readout(items)
    assert read.order_flips == Rate(1, 2)
    assert read.repeats == Rate(1, 1)
    assert read.ties == Rate(1, 4)
    assert read.first_slot == Rate(3, 6)
    assert read.longer == Rate(2, 3)
    assert read.unreadable == Rate(1, 9)


def test_judgements_comparisons_and_mappings_read_alike():
    d = details(ask(1.0), ask(0.0, "b"), value=0.5)
    read = readout([d])
    assert readout([Judgement(0.5, details=d)]) == read
    assert readout([Comparison("a", "b", "e", outcome=0.5, details=d)]) == read
    assert readout([Judgement(1.0, details={"parts": [d, d]})]).order_flips == Rate(2, 2)


def test_a_repeat_is_no_second_order():
    read = readout([details(ask(1.0), ask(1.0, "b"), ask(0.0, "b", "repeat"))])
    assert read.order_flips == Rate(0, 1)
    assert read.repeats == Rate(0, 1)


def test_sentences_name_rate_count_and_interval():
    text = str(readout([details(ask(1.0), lengths=(5, 1))] * 8))
    assert "The longer output won in 100.0 % (8 of 8, 95 % interval 67.6 to 100.0 %)." in text
    assert "Asked again" not in text
    assert str(readout([])) == "Nothing was measured about this judge."


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_is_wilsons(counts):
    hits, n = counts
    wanted = binomtest(hits, n).proportion_ci(0.95, method="wilson")
    assert Rate(hits, n).interval == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_nothing_counted():
    assert Rate().value is None
    assert Rate().interval == (0.0, 1.0)
    assert str(Rate()) == "not measured"
