"""The account: plan and use, keys, notifications, the watchlist, a copy of everything, and the end of it."""

from __future__ import annotations

import secrets
from typing import Any, Final
from zoneinfo import available_timezones

from starlette.responses import Response

from afterdrop.accounts import members, sessions, store
from afterdrop.accounts.account import REMINDER_HOURS
from afterdrop.accounts.passwords import password_fits, run_hashing
from afterdrop.alerts import rules, watchlist
from afterdrop.delivery.webhooks import endpoint_store
from afterdrop.web import account_export
from afterdrop.web.problems import not_found
from afterdrop.web.site.site_request import SiteRequest

ZONES: Final = tuple(sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC"))
SWITCHES: Final = ("mail_alerts", "mail_watches", "mail_rule_reminders")


async def overview(visit: SiteRequest) -> Response:
    """Plan, limits, and what is used of them."""
    limits = visit.limits
    meter = await visit.env.usage.limiter(visit.member.id, visit.now)
    epoch = int(visit.now.timestamp())
    async with visit.env.database.read() as conn:
        used: dict[str, Any] = {
            "credits": await store.credit_balance(
                conn, visit.member.id, allowance=limits.checks_per_month, now=visit.now
            ),
            "rules": await rules.count_rules(conn, visit.member.id),
            "watches": await watchlist.count_watches(conn, visit.member.id),
            "endpoints": await endpoint_store.count_endpoints(conn, visit.member.id),
        }
    used |= {"requests": meter.requests_today(epoch), "lookups": meter.lookups_this_hour(epoch)}
    return visit.page("account.html", used=used)


async def keys_page(visit: SiteRequest) -> Response:
    """The API keys."""
    return await _keys(visit)


async def keys(visit: SiteRequest) -> Response:
    """Make a key, shown now and never again; or delete one."""
    form = visit.form
    if form.text("delete"):
        async with visit.env.database.write() as conn:
            gone = await members.revoke_key(conn, visit.member.id, number(form.text("delete")))
        if not gone:
            raise not_found("There is no such key.")
        return visit.go("/account/keys")
    name = form.text("name")
    if not name or len(name) > members.KEY_NAME_LENGTH or not name.isprintable():
        visit.form = form.refused({"name": ["is required, at most 80 characters"]})
        return await _keys(visit, 422)
    try:
        async with visit.env.database.write() as conn:
            issued = await members.issue_key(
                conn,
                visit.member.id,
                name,
                entropy=secrets.token_bytes(32),
                now=visit.now,
                limit=visit.env.settings.plans.keys_per_account,
            )
    except members.TooManyKeys as error:
        visit.form = form.refused({"form": [error.message]})
        return await _keys(visit, 409)
    return await _keys(visit, made=issued.key.text)


async def _keys(visit: SiteRequest, status: int = 200, made: str | None = None) -> Response:
    async with visit.env.database.read() as conn:
        found = await members.list_keys(conn, visit.member.id)
    return visit.page("keys.html", status, keys=found, made=made)


def number(text: str) -> int:
    """An id from a form; one that is none belongs to nobody."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


async def settings_page(visit: SiteRequest) -> Response:
    """When and what is mailed."""
    return await _settings(visit)


async def settings(visit: SiteRequest) -> Response:
    """Save when and what is mailed."""
    form = visit.form
    faults: dict[str, list[str]] = {}
    zone, hour = form.text("zone"), form.number("digest_hour")
    if zone not in ZONES:
        faults["zone"] = ["is not a time zone we know, such as Europe/Berlin"]
    if not isinstance(hour, int) or hour > 23:
        faults["digest_hour"] = ["is an hour from 0 to 23"]
    hours = {number(text) for text in form.all("reminder_hours")}
    if not hours <= set(REMINDER_HOURS):
        faults["reminder_hours"] = ["are among 1, 3, 6, 12, 24 and 48"]
    if faults:
        visit.form = form.refused(faults)
        return await _settings(visit, 422)
    values: dict[str, Any] = {name: form.has(name) for name in SWITCHES}
    values |= {"zone": zone, "digest_hour": hour, "reminder_hours": sorted(hours, reverse=True)}
    async with visit.env.database.write() as conn:
        await store.change_account(conn, visit.member.id, **values)
    return visit.go("/account/settings?saved=1")


async def _settings(visit: SiteRequest, status: int = 200) -> Response:
    async with visit.env.database.read() as conn:
        kept = await account_export.notification_settings(conn, visit.member.id)
    saved = visit.request.query_params.get("saved") == "1"
    return visit.page("settings.html", status, kept=kept, zones=ZONES, hours=REMINDER_HOURS, saved=saved)


async def data_page(visit: SiteRequest) -> Response:
    """Take a copy of everything, or delete the account."""
    return visit.page("data.html")


async def download(visit: SiteRequest) -> Response:
    """Everything the account owns, as JSON."""
    async with visit.env.database.read() as conn:
        content = await account_export.everything(conn, visit.member.id)
    return Response(
        content,
        media_type="application/json",
        headers={"Content-Disposition": 'attachment; filename="afterdrop-account.json"'},
    )


async def delete(visit: SiteRequest) -> Response:
    """Delete the account and everything it owns; asks for the password once more."""
    limits = {f"delete:{visit.member.id}": 5}
    async with visit.env.database.write() as conn:
        may = not await sessions.record_attempt(conn, limits, visit.now)
    async with visit.env.database.read() as conn:
        stored = await store.password_hash(conn, visit.member.id)
    if not may or not await run_hashing(password_fits, stored, visit.form.raw("password")):
        visit.form = visit.form.refused({"password": ["is wrong" if may else "was wrong too often"]})
        return visit.page("data.html", 422)
    async with visit.env.database.write() as conn:
        await store.delete_account(conn, visit.member.id)
    visit.forget()
    visit.account = None
    return visit.page("gone.html")
