"""Every store keeps the contract of core.store."""

import pytest

from optimand.testing.stores import STORE_CLAUSES


@pytest.mark.parametrize("clause", STORE_CLAUSES, ids=lambda c: c.__name__)
def test_store(clause, make_store):
    clause(make_store)
