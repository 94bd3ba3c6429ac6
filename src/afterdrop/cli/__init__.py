"""The command `afterdrop`: every command is a thin edge over the stages' functions."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point: run one command; a failure that names what and why ends in one line and exit code 2."""
    from afterdrop.cli.commands import app
    from afterdrop.cli.console import note
    from afterdrop.errors import AfterdropError

    try:
        app()
    except AfterdropError as error:
        note(f"afterdrop: {error}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
