"""Strategies that make better candidates."""
