"""`afterdrop doctor`: checks settings, database, feeds, providers and servers, and whether they answer."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, worker_context
from afterdrop.cli.private_files import open_to_others
from afterdrop.cli.serve import PROXY_UNKNOWN
from afterdrop.cli.trials import Trial, about_feed, probe, try_feed, try_provider, try_registry
from afterdrop.core import clock
from afterdrop.core.audience import UNSET, own_use_faults
from afterdrop.core.errors import AfterdropError, DatabaseUnusable
from afterdrop.core.settings import Settings
from afterdrop.sources.archive.cdx_index import WAYBACK
from afterdrop.sources.metrics.model import LINK_FIGURES

if TYPE_CHECKING:
    from afterdrop.worker_context import WorkerContext

_CLOCK_SECONDS: Final = 60
_WELL_KNOWN: Final = "iana.org"


def clock_ahead(headers: Mapping[str, str], epoch: float) -> list[float]:
    """By how many seconds the answering host's clock is ahead of ours: its Date (RFC 9110 §6.6.1), plus the Age that a
    cache adds. Empty without a readable Date."""
    try:
        there = parsedate_to_datetime(headers.get("Date", "")).timestamp()
        return [there + int(headers.get("Age", "0")) - epoch]
    except (ValueError, TypeError, OverflowError):
        return []


def compare_clock(with_what: str, ahead: Sequence[float]) -> list[Trial]:
    """Whether this machine's clock is right; of several others the nearest counts, as one of them may be wrong."""
    if not ahead:
        return []
    seconds = min(ahead, key=abs)
    if abs(seconds) <= _CLOCK_SECONDS:
        return [Trial("clock", with_what, "ok", f"agrees within {_CLOCK_SECONDS} seconds")]
    way = "behind" if seconds > 0 else "ahead"
    remark = f"this machine's clock is {abs(seconds):,.0f} seconds {way}: set it, such as with NTP"
    return [Trial("clock", with_what, "fails", remark)]


def metric_sources(context: WorkerContext, ranks: bool) -> Trial:
    """Whether anything can pass the authority filter: it needs a metric of a name."""
    named = [spec.name for spec in context.feeds if set(LINK_FIGURES) & spec.metrics.keys()]
    named += [spec.name for spec in context.providers if spec.configured]
    named += ["the link ranks"] if ranks else []
    if named:
        return Trial("metrics", ", ".join(named), "ok", "names can pass the authority filter")
    remark = "nothing can be listed without link ranks, a provider with a key or a feed with metrics"
    return Trial("metrics", "none", "warns", remark)


def check_files(settings: Settings, url: str) -> Trial:
    """Whether the folders are there and writable, and what other users of this machine can read or change."""
    folders, files = _places(settings, url)
    for folder in folders:
        if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
            return Trial("files", str(folder), "fails", "is no folder that this user can write")
    missing = [folder for folder in folders if folder != settings.data_dir and not folder.exists()]
    if missing:
        remark = "is not there yet: `afterdrop doctor --fix` makes it"
        return Trial("files", ", ".join(map(str, missing)), "warns", remark)
    if found := open_to_others([*folders, *files]):
        remark = "other users of this machine can read or change it: `afterdrop doctor --fix` closes it"
        return Trial("files", ", ".join(found), "warns", remark)
    return Trial("files", str(settings.data_dir), "ok", "only the owner can read them")


def fix_files(settings: Settings, url: str) -> None:
    """Make the folders that are missing, and take other users' rights to folders and files away.

    Raises OSError where this user may not.
    """
    folders, files = _places(settings, url)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for path in [*folders, *files]:
        if open_to_others([path]):
            path.chmod(path.stat().st_mode & 0o700)


def _places(settings: Settings, url: str) -> tuple[list[Path], list[Path]]:
    """The deployment's folders, and its files that have secrets."""
    from afterdrop.db.schema_version import sqlite_file

    chosen = (settings.data_dir, settings.backup.dir, settings.ranks.dir)
    folders, database = [folder for folder in chosen if folder], sqlite_file(url)
    files = [database] if database else []
    secrets = settings.secret_keys or settings.mail.password or settings.operator_token or settings.keys
    if settings.file and secrets:
        files.append(Path(settings.file))
    return folders, files


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as one JSON array.")] = False,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="First make missing folders, and close folders and files to other users."),
    ] = False,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Query all sources again, paid providers too (it costs units), and show their answers.",
        ),
    ] = False,
) -> None:
    """Check settings, database, feeds, providers and servers. Exit with code 1 if something configured fails."""
    found = asyncio.run(_examine(fix, live))
    headings = ("part", "name", "state", "remark")
    rows = [
        (one.part, one.name, one.state, "; ".join([one.remark, *(map(str.strip, one.lines) if live else ())]))
        for one in found
    ]
    if json:
        console.json_line([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        console.table(headings, rows)
    if any(one.state == "fails" for one in found):
        raise typer.Exit(1)


async def _examine(fix: bool, live: bool) -> list[Trial]:
    from afterdrop.db.engine import database_url

    settings = load_settings(without_audience=True)
    url = database_url(settings)
    if fix:
        fix_files(settings, url)
    settings, audience = check_audience(settings)
    found = [
        *audience,
        Trial("settings", settings.file or "defaults and environment", "ok", f"site {settings.site_url}"),
        _contact(settings),
        _proxies(settings),
        check_files(settings, url),
    ]
    kind = "PostgreSQL" if settings.database_url.startswith("postgres") else "SQLite"
    try:
        async with worker_context(settings, missing="temporary") as context:
            found += [_database(context, kind, url), *await _database_clock(context)]
            found += await _backup(context, url)
            return [*found, *await _check_connections(context, live)]
    except DatabaseUnusable as error:
        # The pace towards every server is kept in the database, so nothing else can be checked.
        return [*found, Trial("database", kind, "fails", str(error)[:300])]


def check_audience(settings: Settings) -> tuple[Settings, list[Trial]]:
    """Check the audience and the sources that it may not use. Also gives the settings without those sources.

    Raises SettingsError for a wrong feed or provider file.
    """
    if settings.audience == "team":
        return settings, [Trial("audience", "team", "ok", "the invited see everything, strangers nothing")]
    from afterdrop.feeds.preset_files import configured
    from afterdrop.sources.metrics.provider_files import load_provider

    feeds = [(feed, configured(feed)) for feed in settings.feeds]
    providers = [(each, load_provider(each, settings, os.environ)) for each in settings.providers]
    refused = [
        *own_use_faults("feeds", [spec for _, spec in feeds]),
        *own_use_faults("providers", [spec for _, spec in providers]),
    ]
    kept = {
        "feeds": tuple(feed for feed, spec in feeds if not spec.own_use),
        "providers": tuple(each for each, spec in providers if not spec.own_use),
    }
    chosen = "audience" in settings.model_fields_set
    found = [] if chosen else [Trial("audience", "none", "fails", UNSET)]
    found += [Trial("audience", name, "fails" if chosen else "warns", text) for name, text in refused]
    found = found or [Trial("audience", "public", "ok", "no feed or provider is for your own use alone")]
    return settings.model_copy(update=kept), found


def _contact(settings: Settings) -> Trial:
    """Check that requests name a contact: no scan runs without."""
    if settings.contact:
        return Trial("contact", "User-Agent", "ok", settings.user_agent)
    text = "`contact` is not set, and no scan runs without it"
    return Trial("contact", "User-Agent", "fails" if settings.feeds else "off", text)


def _database(context: WorkerContext, kind: str, url: str) -> Trial:
    """The open database: the deployment's, or an empty one where there is none yet."""
    if not context.database.sqlite or str(context.database.engine.url.database) in url:
        return Trial("database", kind, "ok", "has the newest schema")
    return Trial(
        "database", kind, "off", "not there yet; `afterdrop serve` or `afterdrop migrate` creates it"
    )


def _proxies(settings: Settings) -> Trial:
    if settings.proxy_unknown:
        return Trial("proxy", "trusted_proxies", "warns", PROXY_UNKNOWN)
    if not settings.trusted_proxies:
        return Trial(
            "proxy", "trusted_proxies", "off", "not needed: the site is http, with no proxy in front"
        )
    return Trial("proxy", ", ".join(settings.trusted_proxies), "ok", "tells us where visitors come from")


async def _check_connections(context: WorkerContext, live: bool) -> list[Trial]:
    """Check what needs an open database: RDAP bootstrap, archive, resolvers, exchange rates, mail, feeds, providers."""
    settings, clocks = context.settings, list[float]()
    found = await asyncio.gather(
        probe("registry", settings.registry.bootstrap_url, lambda: _bootstrap(context, clocks)),
        *(
            probe(
                "archive",
                settings.archive.cdx_url if name == WAYBACK else settings.archive.crawl_url,
                partial(_archive, context, name),
            )
            for name in context.archives.hosts
        ),
        *(
            probe("resolver", address, partial(_resolver, context, address))
            for address in settings.dns.resolvers
        ),
        probe("rates", settings.rates.url, lambda: _reaches(context, settings.rates.url, clocks)),
        _mail(context),
    )
    ranks = await _link_ranks(context)
    return [
        *found,
        *compare_clock("HTTP", clocks),
        *(await _registries(context) if live else ()),
        *await _feeds(context, live),
        *await check_providers(context, live=live),
        ranks,
        metric_sources(context, ranks.state == "ok"),
    ]


async def _feeds(context: WorkerContext, live: bool) -> list[Trial]:
    """Read the first rows of each feed, with `live` of files downloaded anew."""
    from afterdrop.feeds.download import missing_variables

    if not context.feeds:
        remark = "add some under [[feeds]]; `afterdrop feeds list` shows the presets"
        return [Trial("feed", "none", "off", remark)]
    settings, now = context.settings, context.now()
    found = []
    for spec in context.feeds:
        if missing := missing_variables(spec):
            remark = f"set {', '.join(missing)}: {about_feed(spec)}"
            found.append(Trial("feed", spec.name, "fails", remark))
        else:
            look = partial(try_feed, spec, settings, context.fetcher, now, scans=True, anew=live)
            found.append(await probe("feed", spec.name, look))
    return found


async def check_providers(context: WorkerContext, *, live: bool = False) -> list[Trial]:
    """Query the providers, paid ones with `live` only, and report the last refusal of each."""
    from afterdrop.sources.metrics.store import given_up

    if not context.providers:
        return [Trial("provider", "none", "off", "no provider is asked for link figures")]
    async with context.database.read() as conn:
        faults = await given_up(conn)
    found = []
    for spec in context.providers:
        advice = f"`afterdrop providers try {spec.name} {_WELL_KNOWN}` asks"
        if not spec.configured:
            one = Trial("provider", spec.name, "off", f"set {', '.join(spec.missing)}")
        elif live or spec.file.tier == "free":
            ask = partial(try_provider, spec, [_WELL_KNOWN], context.fetcher, context.database, context.now())
            one = await probe("provider", spec.name, ask)
        elif fault := faults.get(spec.name):
            remark = f"was given up: {fault}; {advice} once it is mended"
            one = Trial("provider", spec.name, "fails", remark)
        else:
            one = Trial("provider", spec.name, "ok", f"not asked: an answer costs units; {advice}")
        found.append(one)
    return found


async def _registries(context: WorkerContext) -> list[Trial]:
    """Query the registries of each extension that feeds or canaries name."""
    named = {extension for spec in context.feeds for extension in spec.extensions}
    named |= context.settings.registry.canaries.keys()
    return [await try_registry(context.sources.registry, each, context.now()) for each in sorted(named)]


async def _database_clock(context: WorkerContext) -> list[Trial]:
    """PostgreSQL may be on another machine; SQLite has this one's clock."""
    import sqlalchemy as sa

    if context.database.sqlite:
        return []
    async with context.database.read() as conn:
        there = await conn.scalar(sa.select(sa.func.clock_timestamp()))
    ahead = [(there - clock.now()).total_seconds()] if there else []
    return compare_clock("PostgreSQL", ahead)


async def _backup(context: WorkerContext, url: str) -> list[Trial]:
    """Whether PostgreSQL's tools can dump our database; without a folder for backups others may make them."""
    from afterdrop.db.postgres_tools import try_dump

    if context.database.sqlite:
        return []
    try:
        await asyncio.to_thread(try_dump, url)
    except AfterdropError as error:
        remark = f"no backup can be made: {error}"
        return [Trial("backup", "pg_dump", "fails" if context.settings.backup.dir else "warns", remark)]
    return [Trial("backup", "pg_dump", "ok", "dumps the tables; it was tried without rows")]


async def _reaches(context: WorkerContext, url: str, clocks: list[float]) -> str:
    answer = await context.fetcher.get(url, timeout=15, patience=15, max_bytes=5_000_000)
    clocks += clock_ahead(answer.headers, clock.epoch())
    if answer.status >= 400:
        raise AfterdropError("", f"answers {answer.status}")
    return f"answers {answer.status}, {len(answer.body):,} bytes"


async def _bootstrap(context: WorkerContext, clocks: list[float]) -> str:
    from afterdrop.sources.registry.bootstrap import read_bootstrap

    answer = await context.fetcher.get(context.settings.registry.bootstrap_url, timeout=15, patience=15)
    clocks += clock_ahead(answer.headers, clock.epoch())
    if answer.status != 200:
        raise AfterdropError("", f"answers {answer.status}")
    return f"names servers for {len(read_bootstrap(answer.body).bases):,} extensions"


async def _archive(context: WorkerContext, name: str) -> str:
    archives = context.archives
    if name == WAYBACK:
        answer = await replace(archives, crawl=None).of().index(_WELL_KNOWN, context.now())
        return f"answers, {answer.index.captures:,} captures of {_WELL_KNOWN}"
    assert archives.crawl is not None
    if not (tables := archives.crawl.tables()):
        return "no table of its index is here yet; the worker fetches them"
    answer = await replace(archives, wayback=None).of().index(_WELL_KNOWN, context.now())
    return f"answers, {answer.index.captures:,} captures of {_WELL_KNOWN} in {len(tables)} crawls"


async def _resolver(context: WorkerContext, address: str) -> str:
    from afterdrop.sources.dns.client import open_dns

    dns = context.settings.dns.model_copy(update={"resolvers": (address,)})
    resolver = open_dns(context.settings.model_copy(update={"dns": dns}))
    reply = await resolver.reply(_WELL_KNOWN, "NS")
    if reply.outcome in ("servfail", "timeout"):
        raise AfterdropError("", f"does not answer ({reply.outcome})")
    # Some resolvers answer names that do not exist with an address of their own, and names would never be free.
    missing = await resolver.reply(f"{secrets.token_hex(12)}.com", "A")
    if missing.outcome == "ok" or missing.records:
        raise AfterdropError("", "returns addresses for names that do not exist; use another resolver")
    return f"answers ({reply.outcome}), and says that a made-up name does not exist"


async def _mail(context: WorkerContext) -> Trial:
    """Whether the mail server accepts a mail to the operator, or to the sender where there is no operator."""
    from afterdrop.delivery.mail.smtp import rehearse_mail

    settings, mail = context.settings, context.settings.mail
    if not mail.host:
        return Trial("mail", "SMTP", "off", "not configured: mails are kept; see `afterdrop outbox`")
    name = f"{mail.host}:{mail.port}"
    recipient = settings.operator.mail or parseaddr(mail.sender)[1]
    result = await rehearse_mail(mail, settings.ehlo_name, recipient)
    if result.error is None:
        who = mail.user or "mail without a user"
        remark = f"accepts {who} as {settings.ehlo_name}, and a mail to {recipient}; none was sent"
        return Trial("mail", name, "ok", remark)
    if result.result == "refused" and not settings.operator.mail:
        # Nobody needs to read the sender's mail; others may well get theirs.
        hint = "bounces would be lost; `operator.mail` names another recipient to test with"
        return Trial("mail", name, "warns", f"{result.error}; {hint}")
    return Trial("mail", name, "fails", result.error)


async def _link_ranks(context: WorkerContext) -> Trial:
    from afterdrop.sources.webgraph.table_dir import open_table_dir

    if (file := open_table_dir(context.settings).in_use()) is None:
        return Trial("link ranks", "none", "off", "see `afterdrop ranks import --help`")
    return await probe("link ranks", file.name, partial(asyncio.to_thread, _table, file))


def _table(file: Path) -> str:
    from contextlib import closing

    from afterdrop.cli.ranks import table_sentence
    from afterdrop.sources.webgraph.table import open_table

    with closing(open_table(file)) as table:
        table.read_through()
        return table_sentence(table.manifest)
