"""What calls cost, and that an unknown price is never nothing."""

from datetime import datetime
from importlib.metadata import version

import pytest
from genai_prices import data_snapshot

from optimand.core.errors import InputError
from optimand.core.record import Usage
from optimand.llm.prices import Price, Pricing

OPENAI = "https://api.openai.com/v1"


def test_a_listed_price():
    pricing = Pricing("gpt-4o-mini", OPENAI)
    usage = pricing.usage(1_000_000, 1_000_000)
    assert usage == Usage(1, 1_000_000, 1_000_000, pytest.approx(0.75))  # 0.15 in, 0.60 out
    assert pricing.usage(1_000_000, 0, cached=1_000_000).usd == pytest.approx(0.075)


@pytest.mark.parametrize(
    ("model", "url"), [("no-such-model", OPENAI), ("gpt-4o-mini", "http://127.0.0.1:1/v1")]
)
def test_an_unknown_price_is_counted_as_such(model, url):
    assert Pricing(model, url).usage(10, 2) == Usage(1, 10, 2, unpriced=1)


def test_the_users_price():
    pricing = Pricing("no-such-model", OPENAI, Price(2.0, 4))
    assert pricing.usage(1_000_000, 500_000) == Usage(1, 1_000_000, 500_000, 4.0)
    assert Pricing("m", OPENAI, Price(0, 0)).usage(5, 5) == Usage(1, 5, 5)


@pytest.mark.parametrize("bad", [-1, float("nan"), float("inf"), "1", True, None])
def test_a_price_is_a_number(bad):
    with pytest.raises(InputError, match="price: output"):
        Price(1.0, bad)


def test_the_source_is_told():
    listed = Pricing("gpt-4o-mini", OPENAI).source
    assert listed == f"genai-prices {version('genai-prices')}"
    assert Pricing("m", OPENAI, Price(1, 2.5)).source == "given: 1 in, 2.5 out per million tokens"


def test_the_list_in_force_at_the_first_call_stays():
    pricing = Pricing("gpt-4o-mini", OPENAI)
    before = pricing.usage(1000, 1000)
    empty = data_snapshot.DataSnapshot(providers=[], from_auto_update=True)
    empty.timestamp = datetime(2030, 1, 1)
    data_snapshot.set_custom_snapshot(empty)
    try:
        assert pricing.usage(1000, 1000) == before
        later = Pricing("gpt-4o-mini", OPENAI)
        assert later.usage(1000, 1000).unpriced == 1
        assert later.source.endswith(", updated 2030-01-01T00:00:00")
    finally:
        data_snapshot.set_custom_snapshot(None)
