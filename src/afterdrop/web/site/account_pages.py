"""The account: plan and use, keys, notifications, a copy of its data, deleting it, and the end of its mails."""

from __future__ import annotations

import secrets
from typing import Final, cast

from starlette.responses import Response

from afterdrop.accounts import members, sessions, store
from afterdrop.accounts.account import REMINDER_HOURS
from afterdrop.accounts.api_keys import SCOPES, Scope
from afterdrop.accounts.passwords import password_fits, run_hashing
from afterdrop.core.time_zones import zones_to_choose
from afterdrop.delivery.mail.store import read_token, unsubscribe
from afterdrop.watching.watchlist import most_unlisted
from afterdrop.web import account_export
from afterdrop.web.actions.account import account_usage
from afterdrop.web.problems import Invalid, not_found
from afterdrop.web.site.forms import own_path, whole_number
from afterdrop.web.site.site_request import SiteRequest, attachment

SWITCHES: Final = ("mail_alerts", "mail_watches", "mail_rule_reminders", "mail_checks", "mail_weekly")


async def overview(request: SiteRequest) -> Response:
    """Plan, limits, and what is used of them."""
    most = most_unlisted(request.viewer, request.limits)
    return request.page("account.html", used=await account_usage(request), most_unlisted=most)


async def change_keys(request: SiteRequest) -> Response:
    """Make a key, which is shown only now; or delete one."""
    form = request.form
    if form.text("delete"):
        text = "Programs that use it stop working at once, and it cannot be restored."
        if asked := request.ask_once("Delete this API key?", text, "Delete the key"):
            return asked
        async with request.context.database.write() as conn:
            gone = await members.revoke_key(conn, request.member.id, whole_number(form.text("delete")))
        if not gone:
            raise not_found("This key does not exist.")
        return request.redirect("/account/keys")
    name, scope = form.text("name"), form.text("scope") or "full"
    errors: dict[str, list[str]] = {}
    if not name or len(name) > members.KEY_NAME_LENGTH or not name.isprintable():
        errors["name"] = ["is required, at most 80 characters"]
    if scope not in SCOPES:
        errors["scope"] = ["must be one of those offered"]
    if errors:
        request.form = form.with_errors(errors)
        return await keys_page(request, 422)
    try:
        async with request.context.database.write() as conn:
            entropy = secrets.token_bytes(32)
            issued = await members.issue_key(conn, request.member.id, name, entropy=entropy, now=request.now)
            await members.set_key_scope(conn, request.member.id, issued.id, cast(Scope, scope))
    except members.TooManyKeys as error:
        request.form = form.with_errors({"form": [error.message]})
        return await keys_page(request, 409)
    return await keys_page(request, made=issued.key.text)


async def keys_page(request: SiteRequest, status: int = 200, made: str | None = None) -> Response:
    """The API keys."""
    async with request.context.database.read() as conn:
        keys = await members.list_keys(conn, request.member.id)
    return request.page(
        "keys.html", status, keys=keys, made=made, scopes=SCOPES, most_keys=members.KEYS_PER_ACCOUNT
    )


async def save_settings(request: SiteRequest) -> Response:
    """Save when and what is mailed."""
    form = request.form
    errors: dict[str, list[str]] = {}
    zone, hour = form.text("zone"), form.number("digest_hour")
    if zone not in zones_to_choose():
        errors["zone"] = ["is not a time zone we know; try one like Europe/Berlin"]
    if not isinstance(hour, int) or hour > 23:
        errors["digest_hour"] = ["must be an hour from 0 to 23"]
    hours = {whole_number(text) for text in form.all("reminder_hours")}
    if not hours <= set(REMINDER_HOURS):
        errors["reminder_hours"] = ["must be among 1, 3, 6, 12, 24 and 48"]
    if errors:
        request.form = form.with_errors(errors)
        return await settings_page(request, 422)
    switches = {name: form.has(name) for name in SWITCHES}
    times = {"zone": zone, "digest_hour": hour, "reminder_hours": sorted(hours, reverse=True)}
    async with request.context.database.write() as conn:
        await store.change_account(conn, request.member.id, **switches, **times)
    return request.redirect("/account/settings?saved=1")


async def keep_zone(request: SiteRequest) -> Response:
    """Keep the browser's time zone, which the reader was asked about in a line."""
    zone = request.form.text("zone")
    if zone not in zones_to_choose():
        raise Invalid({"zone": ["is not a time zone we know"]})
    async with request.context.database.write() as conn:
        await store.change_account(conn, request.member.id, zone=zone)
    return request.redirect(own_path(request.form.text("back"), "/account/settings"))


async def settings_page(request: SiteRequest, status: int = 200) -> Response:
    """The settings: when and what is mailed."""
    async with request.context.database.read() as conn:
        kept = await account_export.account_row(conn, request.member.id)
    saved = request.http.query_params.get("saved") == "1"
    return request.page(
        "settings.html", status, kept=kept, zones=zones_to_choose(), hours=REMINDER_HOURS, saved=saved
    )


async def data_page(request: SiteRequest) -> Response:
    """Take a copy of everything, or delete the account."""
    return request.page("data.html")


async def download(request: SiteRequest) -> Response:
    """Everything the account owns, as JSON."""
    async with request.context.database.read() as conn:
        content = await account_export.export_account(conn, request.member.id)
    return attachment(content, "application/json", "afterdrop-account.json")


async def delete_account(request: SiteRequest) -> Response:
    """Delete the account and everything it owns, after its password was given once more."""
    limits = {f"delete:{request.member.id}": 5}
    async with request.context.database.write() as conn:
        allowed = not await sessions.record_attempt(conn, limits, request.now)
    async with request.context.database.read() as conn:
        stored = await store.password_hash(conn, request.member.id)
    if not allowed or not await run_hashing(password_fits, stored, request.form.raw("password")):
        request.form = request.form.with_errors(
            {"password": ["is wrong" if allowed else "was wrong too often; try again in 15 minutes"]}
        )
        return request.page("data.html", 422)
    async with request.context.database.write() as conn:
        await store.delete_account(conn, request.member.id)
    request.forget_browser()
    request.account = None
    return request.page("gone.html")


async def unsubscribe_page(request: SiteRequest) -> Response:
    """A button that ends mails. The page itself ends nothing, because mail scanners open links.

    The address in a mail is the proof, so no sign-in is asked (RFC 8058).
    """
    known = read_token(request.context.secret_box, request.http.path_params["token"], request.now)
    topic = known[1] if known else None
    return request.page("unsubscribe.html", 200 if known else 410, topic=topic, done=False)


async def end_mails(request: SiteRequest) -> Response:
    """End the mails of the link's topic. Mail programs send this request by themselves."""
    known = read_token(request.context.secret_box, request.http.path_params["token"], request.now)
    if known is None:
        return request.page("unsubscribe.html", 410, topic=None, done=False)
    async with request.context.database.write() as conn:
        await unsubscribe(conn, *known)
    return request.page("unsubscribe.html", topic=known[1], done=True)
