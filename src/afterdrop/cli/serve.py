"""`afterdrop serve`, `worker` and `migrate`: the service, a worker, and the database they use."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import shutil
import socket
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import (
    load_settings,
    migrate_database,
    open_existing,
    open_migrated,
    run_service,
    stop_on_signals,
    worker_context,
)
from afterdrop.cli.sockets import bind_socket
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from afterdrop.db.engine import Database

log = logging.getLogger("afterdrop.server")


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="By default the site URL's port, or 8000.")
    ] = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave scans and deliveries to other workers.")
    ] = False,
) -> None:
    """Run the API and the site, with a worker inside unless --no-worker is given."""
    settings = load_settings(service=True)
    check_binding(settings, host)
    if no_worker:
        require_database(settings)
    with bind_socket(host, port or urlsplit(settings.site_url).port or 8000) as server_socket:
        run_service(_serve(settings, server_socket, no_worker))
    log.info("afterdrop has stopped")


def check_binding(settings: Settings, host: str) -> None:
    """Refuse plain http beyond loopback, where keys would travel in clear text, unless the operator allows it."""
    loopback = host == "localhost" or _is_loopback(host)
    if loopback or settings.site_url.startswith("https://"):
        return
    if not settings.allow_http:
        raise SettingsError(
            "site_url",
            f"must be https:// to listen on {host} (or set AFTERDROP_ALLOW_HTTP=1, if you know why)",
        )
    log.warning("listening on %s over plain HTTP: keys and passwords travel unencrypted", host)


def require_database(settings: Settings) -> None:
    """Refuse to create a database without an address: processes that share one would each have their own."""
    from afterdrop.db.engine import database_url
    from afterdrop.db.schema_version import sqlite_file

    file = sqlite_file(database_url(settings))
    if not settings.database_url and file and not file.exists():
        raise SettingsError(
            "database_url",
            f"is not set and {file} does not exist: API nodes and workers share a database, so name it"
            " (AFTERDROP_DATABASE_URL=postgresql://…)",
        )


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def warn_about_loosened_guards(settings: Settings) -> None:
    """Log warnings about settings that loosen the guard on outbound requests."""
    if settings.trusted_origins:
        origins = ", ".join(settings.trusted_origins)
        log.warning("trusted origins (private addresses are allowed there): %s", origins)
    if settings.webhook.allow_loopback:
        log.warning("webhooks may be delivered to loopback addresses (AFTERDROP_WEBHOOK_ALLOW_LOOPBACK=1)")


PROXY_UNKNOWN = (
    "trusted_proxies is empty though the site is https: behind the proxy all visitors share one address, so"
    ' limits on sign-ins and mails count them as one; name the proxy: trusted_proxies = ["127.0.0.1"]'
)


async def _serve(settings: Settings, server_socket: socket.socket, no_worker: bool) -> None:
    warn_about_loosened_guards(settings)
    if settings.proxy_unknown:
        log.warning(PROXY_UNKNOWN)
    stop = asyncio.Event()
    # The server raises the signal again once it has closed. Without this handler that would end the process, and the
    # worker in it would still hold rows.
    stop_on_signals(stop)
    if no_worker:
        async with open_migrated(settings) as database:
            await serve_http(settings, database, server_socket, stop)
        return
    from afterdrop.worker.wiring import make_worker

    async with worker_context(settings) as context:
        working = asyncio.create_task(make_worker(context, stop).run())
        try:
            await serve_http(settings, context.database, server_socket, stop, worker_inside=True)
        finally:
            stop.set()
            await working


async def serve_http(
    settings: Settings,
    database: Database,
    server_socket: socket.socket,
    stop: asyncio.Event,
    *,
    worker_inside: bool = False,
) -> None:
    """Serve HTTP on `server_socket` until a signal comes or `stop` is set."""
    from afterdrop.cli.http_server import probes_served, run_server, server_config
    from afterdrop.web.app import create_app
    from afterdrop.web.context import make_web_context
    from afterdrop.worker.observation import Deployment

    context = make_web_context(settings, database)
    app = create_app(context, worker_inside=worker_inside)
    deployment = Deployment(settings, database, context.providers, context.now, worker_inside)
    async with probes_served(deployment):
        config = server_config(app, settings)
        await run_server(config, server_socket, stop, settings.server.drain_seconds)


def worker() -> None:
    """Run one worker: scans, reviews, checks, deliveries. Any number may share a PostgreSQL database."""
    settings = load_settings(service=True)
    require_database(settings)
    run_service(_worker(settings))


async def _worker(settings: Settings) -> None:
    from afterdrop.cli.http_server import probes_served
    from afterdrop.worker.observation import Deployment
    from afterdrop.worker.wiring import make_worker

    warn_about_loosened_guards(settings)
    async with worker_context(settings) as context:
        stop = asyncio.Event()
        stop_on_signals(stop, tell=True)
        log.info("worker %s started; stop it with Ctrl-C", context.worker)
        deployment = Deployment(
            settings, context.database, context.providers, context.now, worker_inside=True
        )
        async with probes_served(deployment):
            await make_worker(context, stop).run()
        log.info("worker %s has stopped", context.worker)


def migrate(
    accounts: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many accounts will see everything, where a team takes a database over."
        ),
    ] = None,
    forget_own_use: Annotated[
        bool,
        typer.Option("--forget-own-use", help="Delete data from 1.x that a public service may not keep."),
    ] = False,
) -> None:
    """Bring the database to the newest schema."""
    settings = load_settings()
    changed = migrate_database(settings, accounts=accounts, forget_own_use=forget_own_use, tell=console.line)
    if changed:
        # Remove the lists that 1.x kept for each audience; with `spool`, what was downloaded of feeds, too.
        for name in ("public", "operators"):
            (settings.data_dir / "lists" / name).unlink(missing_ok=True)
        if forget_own_use:
            shutil.rmtree(settings.data_dir / "spool", ignore_errors=True)
    asyncio.run(_settle(settings, accounts))
    console.line("the database has the newest schema" + (" now" if changed else ""))


async def _settle(settings: Settings, accounts: int | None) -> None:
    async with open_existing(settings, accounts=accounts):
        pass
