"""Strategies that pick the best of given candidates."""
