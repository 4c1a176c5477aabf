"""A price that is not known is said, never counted as nothing."""

import pytest

from optimand.core.budget import Budget
from optimand.core.errors import Stopped
from optimand.core.ledger import Ledger
from optimand.core.record import Usage


def test_unpriced_calls_are_counted_apart():
    ledger = Ledger()
    with ledger.admit("ask") as hold:
        hold.settle(Usage(1, 10, 5, 0.0, 1))
    assert ledger.spent()["unpriced"] == 1
    assert ledger.spent()["usd"] == 0.0


def test_a_dollar_limit_is_not_kept_by_guessing():
    ledger = Ledger(Budget(usd=1.0))
    with ledger.admit("ask") as hold:
        hold.settle(Usage(1, 10, 5, 0.0, 1))
    with pytest.raises(Stopped, match="price of the model is not known"), ledger.admit("ask"):
        pass
