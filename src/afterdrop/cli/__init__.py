"""The command line `afterdrop`: each command calls the features' functions and prints what they return."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one command. An expected failure ends in one line that says what failed and why, and in exit code 2."""
    from afterdrop.cli.console import open_streams

    open_streams()
    from afterdrop.cli.commands import app
    from afterdrop.cli.private_files import restrict_umask
    from afterdrop.core.errors import AfterdropError, SettingsFaults

    if sys.flags.optimize > 1:
        _tell(
            "Python's option -OO (PYTHONOPTIMIZE=2) is not supported: it removes the descriptions of commands and tools"
        )
        sys.exit(2)
    restrict_umask()
    try:
        app()
    except SettingsFaults as error:
        for where, expected in error.faults:
            _tell(f"{where}: {expected}")
        sys.exit(2)
    except AfterdropError as error:
        _tell(str(error))
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the reader of the output has closed the pipe
        sys.exit(1)
    except OSError as error:
        _tell(f"{error.filename or 'system'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _tell(fault: str) -> None:
    """Say why the command failed: in its log if that is JSON, which programs read, else as a line of its own."""
    import logging

    from afterdrop.cli.console import in_json, note

    if in_json():
        logging.getLogger("afterdrop.server").error("%s", fault)
    else:
        note(f"afterdrop: {fault}")
