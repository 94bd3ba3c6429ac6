"""Sign-up, sign-in, sign-out, confirming an address, a new password. Nothing here tells who has an account."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from afterdrop.accounts import members, sessions, sign_in_limits, store, tokens
from afterdrop.accounts.account import Account
from afterdrop.accounts.emails import normal_email
from afterdrop.accounts.passwords import hash_password, password_fault, password_fits, run_hashing
from afterdrop.delivery.mail.store import MailContext, queue_password_reset, queue_verification
from afterdrop.web.site.site_request import SiteRequest

_LATER = "Too many attempts. Try again in 15 minutes."


def inside(path: str) -> str:
    """Where to go after signing in: a path of ours, never another host."""
    plain = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable() and len(path) < 1000
    return path if plain and "\\" not in path else "/domains"


async def sign_in_page(visit: SiteRequest) -> Response:
    """The form; whoever is signed in goes on."""
    back = inside(visit.request.query_params.get("next", ""))
    if visit.account is not None:
        return visit.go(back)
    return visit.page("sign_in.html", back=back, prompt=False)


async def sign_in(visit: SiteRequest) -> Response:
    """Take e-mail and password; the same answer whichever of them is wrong."""
    form, back = visit.form, inside(visit.form.text("next"))
    email = normal_email(form.text("email")) or ""
    async with visit.env.database.read() as conn:
        account = await store.account_by_email(conn, email) if email else None
        stored = await store.password_hash(conn, account.id) if account else None
    device = visit.device(account)
    limits = {sign_in_limits.device(device): sign_in_limits.PER_DEVICE} if device else None
    if wait := await _wait(visit, "sign-in", email, limits):
        return _later(visit, wait, "sign_in.html", back=back, prompt=False)
    fits = await run_hashing(password_fits, stored, form.raw("password"))
    if account is None or not fits or not await visit.sign_in(account):
        visit.form = form.refused({"form": ["E-mail address or password is wrong."]})
        return visit.page("sign_in.html", 422, back=back, prompt=False)
    async with visit.env.database.write() as conn:
        if device:
            await sessions.forget_attempts(conn, sign_in_limits.device(device))
        else:
            await sessions.forget_attempts(conn, sign_in_limits.pair("sign-in", email, visit.host))
            # an office behind one address may sign in as often as it likes; what others tried stays counted
            theirs = sign_in_limits.from_networks("sign-in", visit.host)
            await sessions.forget_newest_attempt(conn, sign_in_limits.account("sign-in", email), *theirs)
    return visit.go(back)


async def sign_out(visit: SiteRequest) -> Response:
    """End the session."""
    await visit.sign_out()
    return visit.go("/")


async def sign_up_page(visit: SiteRequest) -> Response:
    """The form."""
    return visit.go("/domains") if visit.account else visit.page("sign_up.html")


async def sign_up(visit: SiteRequest) -> Response:
    """Make an account and mail a link. Where the address has one, its owner is mailed a way in instead."""
    form = visit.form
    faults: dict[str, list[str]] = {}
    email = normal_email(form.text("email"))
    if email is None:
        faults["email"] = ["is not an e-mail address"]
    weak = password_fault(form.raw("password"))
    if weak:
        faults["password"] = [weak]
    if faults or email is None:
        visit.form = form.refused(faults)
        return visit.page("sign_up.html", 422)
    if wait := await _wait(visit, "mail", email):
        return _later(visit, wait, "sign_up.html")
    hashed = await run_hashing(hash_password, form.raw("password"))
    welcome = visit.env.settings.plans.welcome_checks
    async with visit.env.database.write() as conn:
        try:
            made = await members.create_account(
                conn, members.NewAccount(email, password_hash=hashed), now=visit.now, welcome=welcome
            )
            await queue_verification(conn, _letterhead(visit), made, visit.now)
        except members.EmailTaken:
            known = await members.find_account(conn, email)
            await queue_password_reset(conn, _letterhead(visit), known, visit.now)
    return visit.page("mail_sent.html", email=email, about="confirm your address", if_known=False)


async def resend(visit: SiteRequest) -> Response:
    """Mail the confirmation link again."""
    email = visit.member.email
    if wait := await _wait(visit, "mail", email):
        return _later(visit, wait, "confirm_first.html")
    async with visit.env.database.write() as conn:
        await queue_verification(conn, _letterhead(visit), visit.member, visit.now)
    return visit.page("mail_sent.html", email=email, about="confirm your address", if_known=False)


async def verify_page(visit: SiteRequest) -> Response:
    """A button, so that a mail scanner that follows links confirms nothing."""
    good = await _speaks_for(visit, "verify") is not None
    return visit.page("verify.html", 200 if good else 410, good=good, done=False)


async def verify(visit: SiteRequest) -> Response:
    """Confirm the address."""
    account = await _speaks_for(visit, "verify")
    if account is None:
        return visit.page("verify.html", 410, good=False, done=False)
    async with visit.env.database.write() as conn:
        there = await members.verify_account(conn, account.id, visit.now)
    return visit.page("verify.html", 200 if there else 410, good=there, done=there)


async def forgotten_page(visit: SiteRequest) -> Response:
    """Ask for the address to mail a link to."""
    return visit.page("forgotten.html")


async def forgotten(visit: SiteRequest) -> Response:
    """Mail a link to choose a new password, if the address has an account; the answer does not tell."""
    email = normal_email(visit.form.text("email"))
    if email is None:
        visit.form = visit.form.refused({"email": ["is not an e-mail address"]})
        return visit.page("forgotten.html", 422)
    if wait := await _wait(visit, "mail", email):
        return _later(visit, wait, "forgotten.html")
    # as long as a password takes, so that writing a mail or none cannot be told by the time
    await run_hashing(password_fits, None, "")
    async with visit.env.database.write() as conn:
        account = await store.account_by_email(conn, email)
        if account is not None:
            await queue_password_reset(conn, _letterhead(visit), account, visit.now)
    return visit.page("mail_sent.html", email=email, about="choose a new password", if_known=True)


async def reset_page(visit: SiteRequest) -> Response:
    """Choose a new password."""
    good = await _speaks_for(visit, "reset") is not None
    return visit.page("reset.html", 200 if good else 410, good=good)


async def reset(visit: SiteRequest) -> Response:
    """Set the password, once for each link, which ends every session and link; who read the mail owns the address."""
    account = await _speaks_for(visit, "reset")
    if account is None:
        return visit.page("reset.html", 410, good=False)
    weak = password_fault(visit.form.raw("password"))
    if weak:
        visit.form = visit.form.refused({"password": [weak]})
        return visit.page("reset.html", 422, good=True)
    hashed = await run_hashing(hash_password, visit.form.raw("password"))
    async with visit.env.database.write() as conn:
        first = await members.set_password(conn, account.id, hashed, token_version=account.token_version)
        changed = await store.account_by_id(conn, account.id) if first else None
        if changed is not None:
            await members.verify_account(conn, account.id, visit.now)
            mine = sign_in_limits.pair("sign-in", account.email, visit.host)
            await sessions.forget_attempts(conn, sign_in_limits.account("sign-in", account.email), mine)
    if changed is None:
        return visit.page("reset.html", 410, good=False)
    visit.forget()
    visit.know(changed)
    return visit.go("/sign-in")


async def _wait(
    visit: SiteRequest, what: sign_in_limits.Form, email: str, limits: dict[str, int] | None = None
) -> int:
    """Note an attempt: 0, or the seconds until another may be made. Counts alike with an account and without."""
    async with visit.env.database.write() as conn:
        return await sessions.record_attempt(
            conn, limits or sign_in_limits.limits(what, email, visit.host), visit.now
        )


def _later(visit: SiteRequest, wait: int, template: str, **values: Any) -> Response:
    visit.form = visit.form.refused({"form": [_LATER]})
    answer = visit.page(template, 429, **values)
    answer.headers["Retry-After"] = str(wait)
    return answer


async def _speaks_for(visit: SiteRequest, purpose: tokens.Purpose) -> Account | None:
    token = visit.request.path_params["token"]
    found = tokens.account_id_in(visit.env.secret_box, purpose, token, visit.now)
    if found is None:
        return None
    async with visit.env.database.read() as conn:
        account = await store.account_by_id(conn, found)
    fits = account is not None and tokens.token_fits(visit.env.secret_box, purpose, token, account)
    return account if fits else None


def _letterhead(visit: SiteRequest) -> MailContext:
    return MailContext.of(visit.env.settings, visit.env.secret_box)
