"""`afterdrop doctor`: checks settings, database, feeds, providers and servers, and whether they answer."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import DatabaseUnusable, load_settings, worker_context
from afterdrop.cli.doctor_findings import Finding, check_feeds, check_files, metric_sources, probe
from afterdrop.cli.serve import PROXY_UNKNOWN
from afterdrop.core.errors import AfterdropError
from afterdrop.core.settings import Settings

if TYPE_CHECKING:
    from afterdrop.worker.context import WorkerContext


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as one JSON array.")] = False,
) -> None:
    """Check settings, database, feeds, providers and servers. Exit with code 1 if something configured fails."""
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
    from afterdrop.db.engine import database_url

    settings = load_settings()
    url = database_url(settings)
    found = [
        Finding("settings", settings.file or "defaults and environment", "ok", f"site {settings.site_url}"),
        Finding("contact", "User-Agent", "ok" if settings.contact else "off", settings.user_agent),
        _proxies(settings),
        check_files(settings, url),
    ]
    kind = "PostgreSQL" if settings.database_url.startswith("postgres") else "SQLite"
    try:
        async with worker_context(settings, create=False) as context:
            return [*found, _database(context, kind, url), *await _check_connections(context)]
    except DatabaseUnusable as error:
        # The pace towards every server is kept in the database, so nothing else can be checked.
        return [*found, Finding("database", kind, "fails", str(error)[:300])]


def _database(context: WorkerContext, kind: str, url: str) -> Finding:
    """What was opened: the deployment's database, or an empty one where there is none yet."""
    if not context.database.sqlite or str(context.database.engine.url.database) in url:
        return Finding("database", kind, "ok", "has the newest schema")
    return Finding(
        "database", kind, "off", "not there yet; `afterdrop serve` or `afterdrop migrate` creates it"
    )


def _proxies(settings: Settings) -> Finding:
    if settings.proxy_unknown:
        return Finding("proxy", "trusted_proxies", "warns", PROXY_UNKNOWN)
    if not settings.trusted_proxies:
        return Finding(
            "proxy", "trusted_proxies", "off", "not needed: the site is http, with no proxy in front"
        )
    return Finding("proxy", ", ".join(settings.trusted_proxies), "ok", "tells us where visitors come from")


async def _check_connections(context: WorkerContext) -> list[Finding]:
    """Check what needs an open database: RDAP bootstrap, archive, resolvers, exchange rates, mail, feeds, providers."""
    settings = context.settings
    found = await asyncio.gather(
        probe("registry", settings.registry.bootstrap_url, lambda: _bootstrap(context)),
        probe("archive", settings.archive.cdx_url, lambda: _archive(context)),
        *(
            probe("resolver", address, partial(_resolver, context, address))
            for address in settings.dns.resolvers
        ),
        probe("rates", settings.rates.url, lambda: _reaches(context, settings.rates.url)),
        _mail(context),
    )
    ranks = await _link_ranks(context)
    return [
        *found,
        *await check_feeds(context),
        *_providers(context),
        ranks,
        metric_sources(context, ranks.state == "ok"),
    ]


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
    resolver = open_dns(context.settings.model_copy(update={"dns": dns}))
    reply = await resolver.reply("iana.org", "NS")
    if reply.outcome in ("servfail", "timeout"):
        raise AfterdropError("", f"does not answer ({reply.outcome})")
    # Some resolvers answer names that do not exist with an address of their own, and names would never be free.
    missing = await resolver.reply(f"{secrets.token_hex(12)}.com", "A")
    if missing.outcome == "ok" or missing.records:
        raise AfterdropError("", "returns addresses for names that do not exist; use another resolver")
    return f"answers ({reply.outcome}), and says that a made-up name does not exist"


async def _mail(context: WorkerContext) -> Finding:
    from afterdrop.delivery.mail.smtp import log_in

    mail = context.settings.mail
    if not mail.host:
        return Finding("mail", "SMTP", "off", "not configured: mails are kept; see `afterdrop outbox`")
    name = f"{mail.host}:{mail.port}"
    if fault := await log_in(mail):
        return Finding("mail", name, "fails", fault)
    return Finding("mail", name, "ok", f"accepts {mail.user}" if mail.user else "accepts mail without a user")


def _providers(context: WorkerContext) -> list[Finding]:
    if not context.providers:
        return [Finding("provider", "none", "off", "no provider is asked for link figures")]
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
    return await probe("link ranks", file.name, partial(asyncio.to_thread, _table, file))


def _table(file: Path) -> str:
    from contextlib import closing

    from afterdrop.cli.ranks_view import table_sentence
    from afterdrop.webgraph.table import open_table

    with closing(open_table(file)) as table:
        table.read_through()
        return table_sentence(table.manifest)
