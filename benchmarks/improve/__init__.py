"""Optimizers side by side, on offline worlds with stated rules."""
