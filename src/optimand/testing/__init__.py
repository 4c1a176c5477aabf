"""Conformance suites for what plugs into optimand: stores, strategies, clients."""

from __future__ import annotations

from optimand.testing.clients import check_client
from optimand.testing.stores import check_store
from optimand.testing.strategies import check_strategy

__all__ = ["check_client", "check_store", "check_strategy"]
