"""Stores: the event log on SQLite, PostgreSQL or in memory."""

from __future__ import annotations

from optimand.storage.connect import connect

__all__ = ["connect"]
