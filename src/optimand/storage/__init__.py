"""Stores: the event log on SQLite, PostgreSQL or in memory."""
