"""`afterdrop doctor`: checks settings, database, feeds, providers and servers, and whether they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import DatabaseUnusable, load_settings, worker_context
from afterdrop.cli.serve import PROXY_UNKNOWN
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from afterdrop.worker.context import WorkerContext

State = Literal["ok", "off", "warns", "fails"]


@dataclass(frozen=True)
class Finding:
    """The result for one part: ok, off (not configured, which may be intended), warns or fails with the reason."""

    part: str
    name: str
    state: State
    remark: str


def doctor(json: bool = False) -> None:
    """Look at settings, database, feeds, providers and servers; exit code 1 when something configured fails."""
    found = asyncio.run(_examine())
    if json:
        console.json_line([vars(one) for one in found])
    else:
        console.table(
            ("part", "name", "state", "remark"),
            [(one.part, one.name, one.state, one.remark) for one in found],
        )
    if any(one.state == "fails" for one in found):
        raise typer.Exit(1)


async def _examine() -> list[Finding]:
    settings = load_settings()
    found = [
        Finding("settings", settings.file or "defaults and environment", "ok", f"site {settings.site_url}"),
        Finding("contact", "User-Agent", "ok" if settings.contact else "off", settings.user_agent),
        _proxies(settings),
    ]
    kind = "PostgreSQL" if settings.database_url.startswith("postgres") else "SQLite"
    try:
        async with worker_context(settings) as context:
            return [
                *found,
                Finding("database", kind, "ok", "at the newest schema"),
                *await _check_connections(context),
            ]
    except DatabaseUnusable as error:
        # The pace towards every server is kept in the database, so nothing else can be checked.
        return [*found, Finding("database", kind, "fails", str(error)[:300])]


def _proxies(settings: Settings) -> Finding:
    if settings.proxy_unknown:
        return Finding("proxy", "trusted_proxies", "warns", PROXY_UNKNOWN)
    if not settings.trusted_proxies:
        return Finding(
            "proxy", "trusted_proxies", "off", "not needed: the site is http, nothing stands in front"
        )
    return Finding("proxy", ", ".join(settings.trusted_proxies), "ok", "tells where visitors come from")


async def _check_connections(context: WorkerContext) -> list[Finding]:
    """Check what needs an open database: RDAP bootstrap, archive, resolvers, exchange rates, mail, feeds, providers."""
    settings = context.settings
    found = await asyncio.gather(
        _probe("registry", settings.registry.bootstrap_url, lambda: _bootstrap(context)),
        _probe("archive", settings.archive.cdx_url, lambda: _archive(context)),
        *(
            _probe("resolver", address, partial(_resolver, context, address))
            for address in settings.dns.resolvers
        ),
        _probe("rates", settings.rates.url, lambda: _reaches(context, settings.rates.url)),
        _mail(context),
    )
    return [*found, *await _feeds(context), *_providers(context), await _link_ranks(context)]


async def _probe(part: str, name: str, look: Callable[[], Awaitable[str]]) -> Finding:
    try:
        return Finding(part, name, "ok", await look())
    except (AfterdropError, OSError) as error:
        return Finding(part, name, "fails", str(error)[:200])


async def _reaches(context: WorkerContext, url: str) -> str:
    answer = await context.fetcher.get(url, timeout=15, patience=15, max_bytes=5_000_000)
    if answer.status >= 400:
        raise AfterdropError("", f"answers {answer.status}")
    return f"answers {answer.status}, {len(answer.body):,} bytes"


async def _bootstrap(context: WorkerContext) -> str:
    from afterdrop.registry.bootstrap import read_bootstrap

    answer = await context.fetcher.get(context.settings.registry.bootstrap_url, timeout=15, patience=15)
    if answer.status != 200:
        raise AfterdropError("", f"answers {answer.status}")
    return f"names servers for {len(read_bootstrap(answer.body).bases):,} extensions"


async def _archive(context: WorkerContext) -> str:
    answer = await context.archive.index("iana.org", context.now())
    return f"answers, {answer.index.captures:,} captures of iana.org"


async def _resolver(context: WorkerContext, address: str) -> str:
    from afterdrop.dns.client import open_dns

    dns = context.settings.dns.model_copy(update={"resolvers": (address,)})
    reply = await open_dns(context.settings.model_copy(update={"dns": dns})).reply("iana.org", "NS")
    if reply.outcome in ("servfail", "timeout"):
        raise AfterdropError("", f"does not answer ({reply.outcome})")
    return f"answers ({reply.outcome})"


async def _mail(context: WorkerContext) -> Finding:
    mail = context.settings.mail
    if not mail.host:
        return Finding("mail", "SMTP", "off", "not configured: mails are kept, see `afterdrop outbox`")
    try:
        async with asyncio.timeout(10):
            _, writer = await asyncio.open_connection(mail.host, mail.port)
            writer.close()
    except (OSError, TimeoutError) as error:
        return Finding("mail", f"{mail.host}:{mail.port}", "fails", f"cannot connect ({error})")
    return Finding("mail", f"{mail.host}:{mail.port}", "ok", "accepts connections")


async def _feeds(context: WorkerContext) -> list[Finding]:
    """Check each feed without downloading it: some marketplaces allow one download a run."""
    from urllib.parse import urlsplit

    from afterdrop.feeds.download import missing_variables

    if not context.feeds:
        return [
            Finding("feed", "none", "off", "name some under [[feeds]]; `afterdrop feeds list` shows presets")
        ]
    found = []
    for spec in context.feeds:
        remark = f"{spec.title or spec.source}, evidence {spec.evidence}, licence {spec.licence}"
        if spec.path is not None:
            there = _is_file(spec.path)
            found.append(Finding("feed", spec.name, "ok" if there else "fails", f"{spec.path}: {remark}"))
            continue
        if missing := missing_variables(spec):
            found.append(Finding("feed", spec.name, "fails", f"set {', '.join(missing)}: {remark}"))
            continue
        host = urlsplit(spec.url or "").hostname or ""
        found.append(await _probe("feed", spec.name, partial(_resolves, context, host, remark)))
    return found


def _is_file(path: str) -> bool:
    return Path(path).expanduser().is_file()


async def _resolves(context: WorkerContext, host: str, remark: str) -> str:
    await asyncio.get_running_loop().getaddrinfo(host, None)
    return f"{host} resolves: {remark}"


def _providers(context: WorkerContext) -> list[Finding]:
    if not context.providers:
        return [Finding("provider", "none", "off", "no vendor is asked for metrics")]
    return [
        Finding("provider", spec.name, "ok", f"{spec.file.tier}, {spec.file.kind}")
        if spec.configured
        else Finding("provider", spec.name, "off", f"set {', '.join(spec.missing)}")
        for spec in context.providers
    ]


async def _link_ranks(context: WorkerContext) -> Finding:
    from afterdrop.webgraph.table_dir import open_table_dir

    if (file := open_table_dir(context.settings).in_use()) is None:
        return Finding("link ranks", "none", "off", "see `afterdrop ranks import --help`")
    return await _probe("link ranks", file.name, partial(asyncio.to_thread, _table, file))


def _table(file: Path) -> str:
    from contextlib import closing

    from afterdrop.cli.ranks_view import table_sentence
    from afterdrop.webgraph.table import open_table

    with closing(open_table(file)) as table:
        table.read_through()
        return table_sentence(table.manifest)
