"""The command line."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process; see `optimand --help`."""
    from optimand.cli.streams import run_to_end

    run_to_end(_app)


def _app() -> None:
    from optimand.cli.app import app

    app(prog_name="optimand")
