"""The command line `afterdrop`: each command calls the features' functions and prints what they return."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one command. An expected failure ends in one line that says what failed and why, and in exit code 2."""
    from afterdrop.cli.commands import app
    from afterdrop.cli.console import note
    from afterdrop.cli.private_files import restrict_umask
    from afterdrop.core.errors import AfterdropError, SettingsFaults

    restrict_umask()
    try:
        app()
    except SettingsFaults as error:
        for where, expected in error.faults:
            note(f"afterdrop: {where}: {expected}")
        sys.exit(2)
    except AfterdropError as error:
        note(f"afterdrop: {error}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the reader of the output has closed the pipe
        sys.exit(1)
    except OSError as error:
        note(f"afterdrop: {error.filename or 'system'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
