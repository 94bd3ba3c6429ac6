"""The command `afterdrop`: every command is a thin edge over the stages' functions."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Entry point: run one command; a failure that names what and why ends in one line and exit code 2."""
    from afterdrop.cli.commands import app
    from afterdrop.cli.console import note
    from afterdrop.cli.private_files import restrict_umask
    from afterdrop.core.errors import AfterdropError

    restrict_umask()
    try:
        app()
    except AfterdropError as error:
        note(f"afterdrop: {error}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read the output has gone
        sys.exit(1)
    except OSError as error:
        note(f"afterdrop: {error.filename or 'system'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
