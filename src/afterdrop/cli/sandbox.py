"""`afterdrop sandbox`: serves the invented internet until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import Annotated

import typer

from afterdrop.cli.console import line


def sandbox(
    seed: Annotated[int, typer.Option(help="Another seed gives other domains.")] = 1,
    size: Annotated[int, typer.Option(min=1, help="How many domains it has.")] = 250,
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Its first port, followed by the next ones; 0 picks free ones."),
    ] = 0,
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder for the sandbox's day and its truth.")
    ] = None,
    settings_out: Annotated[
        Path | None, typer.Option(help="Write a settings file there with which the service uses the sandbox.")
    ] = None,
    ready_file: Annotated[Path | None, typer.Option(help="Write the address there once it answers.")] = None,
) -> None:
    """Serve a world of invented domains on 127.0.0.1 until interrupted."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(seed, size, port, data_dir, settings_out, ready_file))


async def _serve(
    seed: int, size: int, port: int, data_dir: Path | None, settings_out: Path | None, ready_file: Path | None
) -> None:
    from afterdrop.sandbox import settings_toml, start

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with start(seed, size, port, data_dir=data_dir) as running:
        if settings_out is not None:
            _write(settings_out, settings_toml(running))
        line(f"sandbox of {size} domains (seed {seed}, day {running.world.day}) on {running.url}")
        line(f"truth: {running.url}/_sandbox/truth   log: {running.url}/_sandbox/log")
        if ready_file is not None:
            _write(ready_file, running.url + "\n")
        await stop.wait()


def _write(file: Path, text: str) -> None:
    """Write a file in one step, so that a process that waits for it never reads half of it."""
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
