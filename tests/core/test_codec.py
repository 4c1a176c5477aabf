"""Records as the log keeps them: what is written comes back, and nothing else is accepted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.core.codec import pack, parse, unpack
from optimand.core.errors import InputError, StorageError
from optimand.core.model import Reply
from optimand.core.record import Comparison, Judgement, Record, Usage

KINDS = (Record, Comparison, Judgement, Reply)
SHARES = st.none() | st.floats(0, 1)
MANY = st.integers(0, 2**53)
COSTS = st.builds(Usage, MANY, MANY, MANY, st.floats(0, 2**53), st.integers(0, 9), MANY)
STATUSES = st.sampled_from(["ok", "invalid", "crash", "timeout", "unknown"])
COMMON = {"usage": COSTS, "status": STATUSES, "seconds": st.floats(0, 1e9)}
VALUES = st.one_of(
    st.builds(Record, st.text(), st.text(), st.integers(0, 99), SHARES, st.text(), **COMMON),
    st.builds(Comparison, st.text(), st.text(), st.text(), st.integers(0, 99), SHARES, **COMMON),
    st.builds(Judgement, SHARES, st.text(), COSTS, STATUSES),
    st.builds(Reply, st.text(), st.text(), error=st.text(), finish=st.text(), **COMMON),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
NAMES = sorted({name for kind in KINDS for name in kind.__dataclass_fields__})


@given(VALUES)
def test_what_is_packed_comes_back(value):
    assert unpack(type(value), pack(value)) == value


@given(st.sampled_from(KINDS), JSON | st.dictionaries(st.sampled_from(NAMES), JSON))
def test_any_other_mapping_is_a_value_or_a_storage_error(kind, body):
    try:
        value = unpack(kind, body)
    except StorageError as error:
        value, said = None, str(error)
        assert said.startswith(f"a stored {kind.__name__} cannot be used (")
    assert value is None or unpack(kind, pack(value)) == value


def test_fields_of_another_version_are_left_out():
    assert unpack(Judgement, {"value": 1, "news": object()}) == Judgement(1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Record("c", "e", score=5), "Record cannot be stored: 'score' is 5, .* from 0 to 1"),
        (Record("c", "e", score=math.nan), "'score' is nan"),
        (Record("c", "e", score="1"), "'score' is '1'"),
        (Record("c", "e", status="odd"), "'status' is 'odd', it must be one of crash, invalid"),
        (Record("c", "e", seconds=-1.0), "'seconds' is -1.0"),
        (Reply("x", usage=Usage(usd=math.inf)), "'usage' is"),
        (Reply("x", usage=(1, 2, 3)), "'usage' is None"),
        (Reply(None), "'text' is None, it must be a text"),
        (Judgement(2), "'value' is 2"),
        (Comparison("a", "b", "e", outcome=-0.1), "'outcome' is -0.1"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(value, words):
    with pytest.raises(InputError, match=words):
        pack(value)


def test_costs_hold_steps_and_those_of_before_are_read():
    known = Usage(3, 20, 10, 0.5, 1)
    before = {"value": 1.0, "usage": [3, 20, 10, 0.5, 1]}
    assert parse(Judgement, before) == Judgement(1.0, usage=known)
    assert pack(Judgement(1.0, usage=known))["usage"] == [3, 20, 10, 0.5, 1, 0]
    assert pack(Judgement(1.0, usage=Usage(steps=7)))["usage"] == [0, 0, 0, 0.0, 0, 7]
    for wrong in ([3, 20, 10, 0.5], [3, 20, 10, 0.5, 1, -7], [3, 20, 10, 0.5, 1, 7, 8]):
        with pytest.raises(ValueError, match=r"six finite numbers from 0 up: .* unpriced, steps"):
            parse(Judgement, {"value": 1.0, "usage": wrong})


def test_numbers_of_numpy_are_numbers():
    import numpy as np

    record = Record("c", "e", score=np.float32(0.5), seconds=np.float64(2), repeat=np.int64(3))
    assert pack(record)["score"] == 0.5


def test_a_large_output_that_compares_oddly():
    import numpy as np

    assert "output" in pack(Record("c", "e", output=np.zeros(3)))


def test_what_is_wrong_is_a_value_error_for_other_readers():
    with pytest.raises(ValueError, match="it has no 'example'"):
        parse(Record, {"candidate": "c"})
    with pytest.raises(ValueError, match="it is 3, not a mapping"):
        parse(Record, 3)
