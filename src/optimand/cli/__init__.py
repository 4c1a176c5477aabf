"""The command line."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; see `optimand --help`."""
    from optimand.cli.app import app

    app(prog_name="optimand")
