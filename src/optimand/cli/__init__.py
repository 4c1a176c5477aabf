"""The command line."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process; see `optimand --help`."""
    try:
        from optimand.cli.streams import run_to_end

        run_to_end(_app)
    except KeyboardInterrupt:  # before a command has begun that says how it ended
        raise SystemExit(130) from None


def _app() -> None:
    from optimand.cli.app import app

    app(prog_name="optimand")
