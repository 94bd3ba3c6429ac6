"""Pages of operators: scans, sources, queues, failures, accounts, providers of link metrics."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict
from urllib.parse import urlencode, urlsplit

from starlette.responses import Response

from afterdrop.accounts import members, store
from afterdrop.accounts.account import Account, PlanName
from afterdrop.accounts.members import Grant, GrantClash, apply_grant
from afterdrop.accounts.sessions import digest
from afterdrop.catalogue import operator_actions
from afterdrop.catalogue import rejections as rejected
from afterdrop.catalogue.rejections import SHOWN
from afterdrop.checks.visitors import ordered_on
from afterdrop.core.safe_text import one_line
from afterdrop.core.settings import Settings
from afterdrop.delivery.events import KEPT
from afterdrop.delivery.webhooks.delivery_states import TroubledEndpoint, troubled
from afterdrop.delivery.webhooks.endpoint_store import Replay, replay
from afterdrop.feeds.preset_files import feed_titles
from afterdrop.http import pace
from afterdrop.http.circuit_breaker import end_outage
from afterdrop.sources.metrics.store import end_cool_down, provider_usage
from afterdrop.sources.webgraph.errors import RanksError
from afterdrop.sources.webgraph.table_dir import open_table_dir, release_of
from afterdrop.web.problems import not_found
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest
from afterdrop.web.site.visitor_pages import rejected_row
from afterdrop.web.strict_input import read_domain
from afterdrop.worker.alarms import Alarm, advice, needs
from afterdrop.worker.health_shapes import Health, SourceRow
from afterdrop.worker.observation import Deployment, observe

if TYPE_CHECKING:
    from afterdrop.sources.webgraph.table import Manifest

log = logging.getLogger("afterdrop.operator")
PER_PAGE: Final = 50
# What one form may give, and how long an e-mail address is at most.
_MOST_DAYS: Final = 3650
_MOST_CREDITS: Final = 1_000_000
_LONGEST_ADDRESS: Final = 254
_MOST_REJECTED: Final = 25
_AT_ONCE: Final = 500
# Alarms that leave time.
_MILD: Final = ("backup", "budget", "unheard")
# The button against an alarm, by its key or the first part of it, and what its form sends; "" is the rest of the key.
_BUTTONS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "outage": ("Ask it again now", {"do": "ask", "host": ""}),
    "refused": ("Ask it again now", {"do": "ask", "host": ""}),
    "provider": ("Ask it again now", {"do": "provider", "provider": ""}),
    "failing:deliveries": ("Send them again", {"do": "replay"}),
}


class LinkRanksRow(TypedDict):
    """The table of link ranks in use; what a damaged one does not tell is None."""

    release: str
    imported_at: datetime | None
    names: int | None
    state: str
    fault: str | None


class AccountRow(TypedDict):
    """An account with its plan now and the check credits it has left."""

    account: Account
    plan: PlanName
    credits: int


class FeedLine(TypedDict):
    """A feed under the name people know, with its newest run; `run` is None before the first."""

    name: str
    title: str
    configured: bool
    run: SourceRow | None


class EndpointLine(TypedDict):
    """An endpoint with trouble. Of its address only the host is told: the rest may be its owner's secret."""

    host: str
    off: bool
    trouble: TroubledEndpoint


@dataclass(frozen=True, slots=True)
class Fault:
    """An alarm, what to do about it, and the form fields of the button that does it, where there is one."""

    text: str
    advice: str
    grave: bool
    button: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


async def status(request: SiteRequest) -> Response:
    """How the service is doing: what is wrong and what to do first, then what `afterdrop status` shows."""
    context, settings = request.context, request.context.settings
    deployment = Deployment(
        settings, context.database, context.providers, lambda: request.now, secret_box=context.secret_box
    )
    seen = await observe(deployment)
    titles = await asyncio.to_thread(feed_titles, settings.feeds)
    async with context.database.read() as conn:
        usage = await provider_usage(conn, [provider.name for provider in context.providers], request.now)
        endpoints = await troubled(conn, request.now)
        asked = await ordered_on(conn, f"{request.now:%Y-%m-%d}")
    return request.page(
        "admin.html",
        seen=seen,
        health=seen.health,
        faults=[_fault(alarm) for alarm in needs(seen, settings, titles)],
        feeds=_feed_lines(seen.health, titles),
        endpoints=[_endpoint_line(endpoint) for endpoint in endpoints],
        providers=usage,
        visitor_checks=asked,
        ranks=await _link_ranks(settings),
        done=request.http.query_params.get("done", ""),
        count=whole_number(request.http.query_params.get("n", "0")),
    )


def _fault(alarm: Alarm) -> Fault:
    kind, _, subject = alarm.key.partition(":")
    first = alarm.text.partition(" ")[0]
    # A host is written as it is.
    begun = alarm.text[:1].upper() + alarm.text[1:] if first.isalpha() else alarm.text
    button, fields = _BUTTONS.get(alarm.key) or _BUTTONS.get(kind, ("", {}))
    filled = {name: value or subject for name, value in fields.items()}
    return Fault(f"{begun.removesuffix('.')}.", advice(alarm), kind not in _MILD, button, filled)


def _feed_lines(health: Health, titles: Mapping[str, str]) -> list[FeedLine]:
    """The configured feeds by title, those with trouble first; then those that are no longer configured."""
    runs = {row["feed"]: row for row in health.get("sources", [])}
    lines: list[FeedLine] = [
        {
            "name": name,
            "title": titles.get(name, name),
            "configured": name in titles,
            "run": runs.get(name),
        }
        for name in {**titles, **runs}
    ]
    return sorted(lines, key=_feed_order)


def _feed_order(line: FeedLine) -> tuple[bool, bool, str]:
    bad = line["run"] is not None and line["run"]["state"] in ("failed", "suspect")
    return not line["configured"], not bad, line["title"].casefold()


def _endpoint_line(trouble: TroubledEndpoint) -> EndpointLine:
    off = not (trouble["active"] and trouble["on_pro"])
    return {"host": urlsplit(trouble["url"]).hostname or "", "off": off, "trouble": trouble}


async def mend(request: SiteRequest) -> Response:
    """Do what helps against a failure: send deliveries again, review a name again, ask a host or provider again."""
    do, form = request.form.text("do"), request.form
    if do == "replay":
        return await _replay(request)
    async with request.context.database.write() as conn:
        if do == "review":
            domain = read_domain(form.text("domain"), request.sale_zones)
            actor = request.member.email
            await operator_actions.review_again(conn, domain, actor, "its review failed", request.now)
            return request.redirect("/admin?done=review")
        if do == "ask":
            ended = await end_outage(conn, form.text("host"))
            known = await pace.unblock(conn, form.text("host")) or ended
        else:
            specs = [
                provider for provider in request.context.providers if provider.name == form.text("provider")
            ]
            for spec in specs:
                await end_cool_down(conn, spec.name)
            known = do == "provider" and bool(specs)
    if not known:
        raise not_found("Nothing is kept of it any more. Look at the page again.")
    return request.redirect("/admin?done=ask")


async def _replay(request: SiteRequest) -> Response:
    """Send failed deliveries again, of all endpoints that are on or of one: what `afterdrop deliveries replay` does."""
    endpoint = request.form.text("endpoint")
    wanted = Replay(request.now - KEPT, whole_number(endpoint) if endpoint else None)
    sent, some = 0, _AT_ONCE
    while some == _AT_ONCE:
        async with request.context.database.write() as conn:
            some = await replay(conn, wanted, request.now, _AT_ONCE)
        sent += some
    return request.redirect(f"/admin?done=replay&n={sent}")


async def _link_ranks(settings: Settings) -> list[LinkRanksRow]:
    """One row for the table of link ranks in use, none without a table."""
    file = open_table_dir(settings).in_use()
    if file is None:
        return []
    row: LinkRanksRow
    try:
        manifest = await asyncio.to_thread(_manifest, file)
        row = {
            "release": manifest.release,
            "imported_at": manifest.imported_at,
            "names": manifest.nodes,
            "state": "readable",
            "fault": None,
        }
    except RanksError as error:
        row = {
            "release": release_of(file),
            "imported_at": None,
            "names": None,
            "state": "damaged",
            "fault": error.message,
        }
    return [row]


def _manifest(file: Path) -> Manifest:
    from afterdrop.sources.webgraph.table import open_table  # noqa: PLC0415  # a heavy engine that only this page needs

    with closing(open_table(file)) as table:
        return table.manifest


async def accounts(request: SiteRequest, status: int = 200) -> Response:
    """Accounts by id with plan and credits, or those with a text in their address; a single one can be changed."""
    asked = request.http.query_params
    part = one_line(asked.get("q", "") or request.form.text("email"), _LONGEST_ADDRESS).lower()
    rows: list[AccountRow] = []
    async with request.context.database.read() as conn:
        whole = await store.account_by_email(conn, part)
        after = whole_number(asked.get("after", "0"))
        page = [whole] if whole else await store.every_account(conn, after=after, limit=PER_PAGE, part=part)
        for account in page:
            plan = account.plan(request.now)
            allowance = request.context.settings.plan(plan).checks_per_month
            left = await store.credit_balance(conn, account.id, allowance=allowance, now=request.now)
            rows.append({"account": account, "plan": plan, "credits": left.available})
    values = {"part": part, "rows": rows, "full": len(page) == PER_PAGE, "done": asked.get("done", "")}
    return request.page("admin_accounts.html", status, **values, most=(_MOST_DAYS, _MOST_CREDITS))


async def change_account(request: SiteRequest) -> Response:
    """Give an account Pro for some days, credits or both, or close it (`do=close`): what `afterdrop account` does."""
    form = request.form
    async with request.context.database.read() as conn:
        account = await members.find_account(conn, form.text("email"))
    if form.text("do") == "close":
        return await _close(request, account)
    texts = form.text("days"), form.text("credits")
    days, credits = map(whole_number, texts)
    given = [number for text, number in zip(texts, (days, credits), strict=True) if text]
    if not given or 0 in given or days > _MOST_DAYS or credits > _MOST_CREDITS:
        said = f"Give up to {_MOST_DAYS:,} days of Pro, up to {_MOST_CREDITS:,} credits, or both."
        request.form = form.with_errors({"form": [said]})
        return await accounts(request, 422)
    until = request.now + timedelta(days=days) if days else None
    # A form that is sent twice gives once: every page has a token of its own.
    sent = digest(f"{form.raw('csrf')} {account.id} {days} {credits}")
    grant = Grant(f"site:{sent}", until, credits)
    try:
        async with request.context.database.write() as conn:
            done = "given" if await apply_grant(conn, account.email, grant, request.now) else "again"
    except GrantClash:
        done = "again"
    log.info(
        "operator %s: account %s, %s Pro days, %s credits: %s",
        request.member.id,
        account.id,
        days,
        credits,
        done,
    )
    return request.redirect("/admin/accounts?" + urlencode({"q": account.email, "done": done}))


async def _close(request: SiteRequest, account: Account) -> Response:
    if account.id == request.member.id:
        said = "This is your own account. You can close it under Account, with your password."
        request.form = request.form.with_errors({"form": [said]})
        return await accounts(request, 422)
    text = "Its checks, filters, webhooks, keys and credits are deleted, too. This cannot be undone."
    if asked := request.ask_once(f"Close {account.email}?", text, "Close the account"):
        return asked
    async with request.context.database.write() as conn:
        await store.delete_account(conn, account.id)
    log.info("operator %s: account %s closed", request.member.id, account.id)
    return request.redirect("/admin/accounts?done=closed")


async def rejections(request: SiteRequest) -> Response:
    """The rejected names that strangers may be shown, with their names, and those that were withdrawn."""
    async with request.context.database.read() as conn:
        public = await rejected.rejected_names(conn, most=_MOST_REJECTED)
        withdrawn = await rejected.withdrawn_names(conn, most=_MOST_REJECTED)
    return request.page(
        "admin_rejections.html",
        shown=[(each.domain, rejected_row(each, request)) for each in public],
        withdrawn=[(each.domain, rejected_row(each, request)) for each in withdrawn],
        public=SHOWN,
    )


async def decide_rejection(request: SiteRequest) -> Response:
    """Withdraw a rejected name from the start page, or let it be shown again."""
    domain = read_domain(request.form.text("domain"), request.sale_zones)
    act = operator_actions.readmit if request.form.text("do") == "readmit" else operator_actions.withdraw
    async with request.context.database.write() as conn:
        await act(conn, domain, request.member.email, "decided on the site", request.now)
    return request.redirect("/admin/rejections")
