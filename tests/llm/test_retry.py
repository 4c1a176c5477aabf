"""How long is waited before a call is tried again."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimand.llm import Retries
from optimand.llm.retry import retry_after


@given(st.integers(1, 60), st.integers(0, 999))
def test_full_jitter(retry, dice):
    policy = Retries(base=0.5, longest=30.0, rng=random.Random(dice))
    assert 0 <= policy.wait(retry) <= min(30.0, 0.5 * 2**retry)


def test_waits_are_spread_over_the_whole_range():
    policy = Retries(rng=random.Random(1))
    waits = [policy.wait(3) for _ in range(1000)]
    assert min(waits) < 0.1
    assert max(waits) > 3.9
    assert 1.85 < sum(waits) / 1000 < 2.15  # uniform on [0, 4]: standard error 0.04


@given(st.floats(0, 1e6), st.integers(0, 999))
def test_what_the_service_asks_for_is_the_least(asked, dice):
    assert asked <= Retries(rng=random.Random(dice)).wait(1, asked) <= asked + 0.5


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
        ("Thu, 01 Jan 1970 00:01:40 -0000", 90.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("9" * 400, None),
        ("Wed, 21 Oct 99999 07:28:00 GMT", None),
        ("Thu, 01 Jan 1970 00:01:40 +999999999999999", None),
        (" ", None),
    ],
)
def test_retry_after(text, seconds):
    assert retry_after({"retry-after": text}, now=10.0) == seconds


def test_no_header():
    assert retry_after({}, now=0.0) is None
