"""Tools for developers, run as `afterdrop` runs its commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import typer

from afterdrop.cli import console
from afterdrop.cli.private_files import restrict_umask
from afterdrop.core.errors import AfterdropError


def tool(command: Callable[..., None]) -> typer.Typer:
    """The command as a program of its own."""
    made = typer.Typer(pretty_exceptions_enable=False)
    made.command()(command)
    return made


def run(command: Callable[..., None]) -> None:
    """Run one command. An expected failure ends in one line and exit code 2, a closed output in code 1."""
    console.open_streams()
    restrict_umask()
    try:
        tool(command)()
    except AfterdropError as error:
        console.note(f"afterdrop: {error}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        console.note(f"afterdrop: {error.filename or 'system'}: {error.strerror or error}")
        sys.exit(2)
