"""Part A: what may change, and within which limits."""
