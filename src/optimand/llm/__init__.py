"""Clients of language models, and `connect`, which makes one from a short text."""

from __future__ import annotations

from optimand.llm.connect import connect

__all__ = ["connect"]
