"""Conformance suites for what plugs into optimand: stores, strategies, clients."""
