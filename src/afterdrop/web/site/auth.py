"""Sign-up, sign-in, sign-out, confirming an address, a new password. No answer tells who has an account."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.responses import Response

from afterdrop.accounts import members, sessions, sign_in_limits, store, tokens
from afterdrop.accounts.account import Account, normal_email
from afterdrop.accounts.passwords import hash_password, password_fault, password_fits, run_hashing
from afterdrop.accounts.tokens import invited
from afterdrop.core.audience import MEMBERS_PLAN
from afterdrop.core.time_zones import zones_to_choose
from afterdrop.delivery.mail.store import MailContext, queue_password_reset, queue_verification
from afterdrop.web.problems import not_found
from afterdrop.web.request_guards import is_loopback
from afterdrop.web.site.forms import own_path
from afterdrop.web.site.site_request import Outdated, SiteRequest

_TOO_MANY = "Too many attempts. Try again in 15 minutes."


def path_after_sign_in(path: str) -> str:
    """The path of ours to go to after signing in, never another host."""
    return own_path(path, "/desk")


async def sign_in_page(request: SiteRequest) -> Response:
    """The form; a person who is signed in already is sent on."""
    back = path_after_sign_in(request.http.query_params.get("next", ""))
    if request.account is not None:
        return request.redirect(back)
    return request.page("sign_in.html", back=back, prompt=False)


async def sign_in(request: SiteRequest) -> Response:
    """Sign in with e-mail and password. The answer is the same whichever of them is wrong.

    A form from before, in a second tab or one that the browser restored, leads on as well.
    """
    outdated = await _reads_outdated(request)
    form, back = request.form, path_after_sign_in(request.form.text("next"))
    if outdated and request.account is not None:
        return request.redirect(back)
    if outdated and not request.is_from_our_page:
        request.form = form.with_errors(
            {"form": ["This page was open for long. Enter your password once more."]}
        )
        return request.page("sign_in.html", back=back, prompt=False)
    email = normal_email(form.text("email")) or ""
    async with request.context.database.read() as conn:
        account = await store.account_by_email(conn, email) if email else None
        stored = await store.password_hash(conn, account.id) if account else None
    device = request.device(account)
    limits = {sign_in_limits.device(device): sign_in_limits.PER_DEVICE} if device else None
    if wait := await _wait(request, "sign-in", email, limits):
        return _too_many(request, wait, "sign_in.html", back=back, prompt=False)
    fits = await run_hashing(password_fits, stored, form.raw("password"))
    if account is None or not fits or not await request.sign_in(account):
        request.form = form.with_errors({"form": ["The e-mail address or the password is wrong."]})
        return request.page("sign_in.html", 422, back=back, prompt=False)
    async with request.context.database.write() as conn:
        if device:
            await sessions.forget_attempts(conn, sign_in_limits.device(device))
        else:
            await sessions.forget_attempts(conn, sign_in_limits.pair("sign-in", email, request.host))
            # An office behind one address may sign in as often as it likes; attempts from elsewhere stay counted.
            theirs = sign_in_limits.from_networks("sign-in", request.host)
            await sessions.forget_newest_attempt(conn, sign_in_limits.account("sign-in", email), *theirs)
    return request.redirect(back)


async def _reads_outdated(request: SiteRequest) -> bool:
    try:
        await request.read_form()
    except Outdated:
        return True
    return False


async def sign_in_once(request: SiteRequest) -> Response:
    """Sign in with the one-time address that a demo prints. It exists where the site is on loopback only.

    A HEAD, with which chats and shells look at an address, does not use it up.
    """
    site = urlsplit(request.context.settings.site_url).hostname
    if not (is_loopback(site or "") and is_loopback(request.host or "")):
        raise not_found("This page does not exist.")
    account = await _account_of_link(request, "sign_in")
    if account is not None and request.http.method == "GET":
        async with request.context.database.write() as conn:
            account = await members.redeem_link(conn, account)
        if account is not None and not await request.sign_in(account):
            account = None
    return request.redirect("/sign-in" if account is None else "/domains")


async def sign_out(request: SiteRequest) -> Response:
    """End the session."""
    await request.sign_out()
    return request.redirect("/")


async def sign_up_page(request: SiteRequest) -> Response:
    """The sign-up form, or why there is none."""
    if request.account:
        return request.redirect("/domains")
    invite = request.http.query_params.get("invite", "")
    if not _may_sign_up(request, invite, None):
        return request.page("sign_up_closed.html", 403 if invite else 200)
    return request.page("sign_up.html", invite=invite)


def _may_sign_up(request: SiteRequest, invite: str, email: str | None) -> bool:
    """Whether the settings let a visitor sign up, with this address if it is known already."""
    chosen = request.context.settings.sign_up
    if chosen != "invite":
        return chosen == "open"
    guest = invited(request.context.secret_box, invite, request.now)
    return guest is not None and email in (None, guest)


async def sign_up(request: SiteRequest) -> Response:
    """Make an account and mail a link. Where the address has an account, mail a link to reset its password instead."""
    form = request.form
    errors: dict[str, list[str]] = {}
    invite = form.raw("invite")
    if not _may_sign_up(request, invite, None):
        return request.page("sign_up_closed.html", 403)
    email = normal_email(form.text("email"))
    if email is None:
        errors["email"] = ["is not an e-mail address"]
    elif not _may_sign_up(request, invite, email):
        errors["email"] = ["is not the address we invited"]
    weak = password_fault(form.raw("password"))
    if weak:
        errors["password"] = [weak]
    if errors or email is None:
        request.form = form.with_errors(errors)
        return request.page("sign_up.html", 422, invite=invite)
    if wait := await _wait(request, "mail", email):
        return _too_many(request, wait, "sign_up.html", invite=invite)
    hashed = await run_hashing(hash_password, form.raw("password"))
    settings = request.context.settings
    welcome = settings.plans.welcome_checks
    plan_until = request.now + MEMBERS_PLAN if settings.audience == "team" else None
    # As a script of the page told it: the browser's own.
    zone = form.text("zone") if form.text("zone") in zones_to_choose() else "UTC"
    async with request.context.database.write() as conn:
        try:
            made = await members.create_account(
                conn,
                members.NewAccount(email, password_hash=hashed, plan_until=plan_until, zone=zone),
                now=request.now,
                welcome=welcome,
            )
            await queue_verification(conn, _mail_context(request), made, request.now)
        except members.EmailTaken:
            known = await members.find_account(conn, email)
            await queue_password_reset(conn, _mail_context(request), known, request.now)
    request.remember_newcomer(email)
    return request.page("mail_sent.html", email=email, about="confirm your address", if_known=False)


async def resend(request: SiteRequest) -> Response:
    """Mail the confirmation link again."""
    email = request.member.email
    if wait := await _wait(request, "mail", email):
        return _too_many(request, wait, "confirm_first.html")
    async with request.context.database.write() as conn:
        await queue_verification(conn, _mail_context(request), request.member, request.now)
    return request.page("mail_sent.html", email=email, about="confirm your address", if_known=False)


async def verify_page(request: SiteRequest) -> Response:
    """A button that confirms the address, so that a mail scanner that opens links confirms nothing."""
    good = await _account_of_link(request, "verify") is not None
    return request.page("verify.html", 200 if good else 410, good=good, done=False)


async def verify(request: SiteRequest) -> Response:
    """Confirm the address. The browser in which its owner signed up is then signed in, too: no other is."""
    account = await _account_of_link(request, "verify")
    if account is None:
        return request.page("verify.html", 410, good=False, done=False)
    async with request.context.database.write() as conn:
        there = await members.verify_account(conn, account.id, request.now)
    if there and request.is_newcomer(account) and await request.sign_in(account):
        return request.redirect("/domains")
    return request.page("verify.html", 200 if there else 410, good=there, done=there)


async def forgotten_page(request: SiteRequest) -> Response:
    """The form that asks for the address to mail a link to."""
    return request.page("forgotten.html")


async def forgotten(request: SiteRequest) -> Response:
    """Mail a link to choose a new password if the address has an account. The answer does not tell whether it has."""
    email = normal_email(request.form.text("email"))
    if email is None:
        request.form = request.form.with_errors({"email": ["is not an e-mail address"]})
        return request.page("forgotten.html", 422)
    if wait := await _wait(request, "mail", email):
        return _too_many(request, wait, "forgotten.html")
    # Take as long as a password check takes, so that the time does not tell whether a mail was written.
    await run_hashing(password_fits, None, "")
    async with request.context.database.write() as conn:
        account = await store.account_by_email(conn, email)
        if account is not None:
            await queue_password_reset(conn, _mail_context(request), account, request.now)
    return request.page("mail_sent.html", email=email, about="choose a new password", if_known=True)


async def reset_page(request: SiteRequest) -> Response:
    """The form for a new password."""
    account = await _account_of_link(request, "reset")
    if account is None:
        return request.page("reset.html", 410, good=False)
    return request.page("reset.html", good=True, email=account.email)


async def reset(request: SiteRequest) -> Response:
    """Set the password, once for each link. It ends every session and link, and the address is confirmed."""
    account = await _account_of_link(request, "reset")
    if account is None:
        return request.page("reset.html", 410, good=False)
    weak = password_fault(request.form.raw("password"))
    if weak:
        request.form = request.form.with_errors({"password": [weak]})
        return request.page("reset.html", 422, good=True, email=account.email)
    hashed = await run_hashing(hash_password, request.form.raw("password"))
    async with request.context.database.write() as conn:
        first = await members.set_password(conn, account.id, hashed, token_version=account.token_version)
        changed = await store.account_by_id(conn, account.id) if first else None
        if changed is not None:
            await members.verify_account(conn, account.id, request.now)
            mine = sign_in_limits.pair("sign-in", account.email, request.host)
            await sessions.forget_attempts(conn, sign_in_limits.account("sign-in", account.email), mine)
    if changed is None:
        return request.page("reset.html", 410, good=False)
    request.forget_browser()
    request.remember_device(changed)
    return request.redirect("/sign-in")


async def _wait(
    request: SiteRequest, what: sign_in_limits.Form, email: str, limits: dict[str, int] | None = None
) -> int:
    """Count an attempt, with an account or without. 0, or the seconds until another may be made."""
    async with request.context.database.write() as conn:
        return await sessions.record_attempt(
            conn, limits or sign_in_limits.limits(what, email, request.host), request.now
        )


def _too_many(request: SiteRequest, wait: int, template: str, **values: object) -> Response:
    request.form = request.form.with_errors({"form": [_TOO_MANY]})
    response = request.page(template, 429, **values)
    response.headers["Retry-After"] = str(wait)
    return response


async def _account_of_link(request: SiteRequest, purpose: tokens.Purpose) -> Account | None:
    """The account that the token in the address was made for; None for one that is too old or used."""
    token = request.http.path_params["token"]
    account_id = tokens.account_id_in(request.context.secret_box, purpose, token, request.now)
    if account_id is None:
        return None
    async with request.context.database.read() as conn:
        account = await store.account_by_id(conn, account_id)
    fits = account is not None and tokens.token_fits(request.context.secret_box, purpose, token, account)
    return account if fits else None


def _mail_context(request: SiteRequest) -> MailContext:
    return MailContext.of(request.context.settings, request.context.secret_box)
