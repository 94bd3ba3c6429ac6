"""One request to the site: who is signed in, the form they sent, and the response with its cookies and headers."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from afterdrop.accounts import sessions, tokens
from afterdrop.accounts.account import Account, PlanName, Viewer
from afterdrop.accounts.api_keys import Scope
from afterdrop.accounts.sign_in_limits import networks
from afterdrop.core.plan_limits import Plan
from afterdrop.web.actions.rejected import is_told
from afterdrop.web.context import WebContext
from afterdrop.web.problems import Problem, plan_required
from afterdrop.web.request_guards import origin_of
from afterdrop.web.session_limits import Kind
from afterdrop.web.site.forms import Form, read_form
from afterdrop.web.site.templates import render

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
STRANGER: Final = Viewer(0, "free")
_COOKIE_SECONDS: Final = {
    "session": 30 * 86_400,
    "device": int(tokens.VALID["device"].total_seconds()),
    "newcomer": int(tokens.NEWCOMER_VALID.total_seconds()),
}


class Forged(Problem):
    """403: the form does not come from a page of ours."""

    def __init__(self) -> None:
        super().__init__(
            "validation_failed",
            "This form has expired or came from another site. Go back, reload the page and send it again.",
            status=403,
        )


class Outdated(Forged):
    """The form is one of ours, and was made before somebody signed in or out in this browser, or for another one."""


@dataclass
class SiteRequest:
    """A request to the site; `account` is None where nobody is signed in. Handlers take it and give a Response.

    `token` is the session's, or the one that a visitor's forms are bound to. `own_names` keeps what filters read of the
    account's seen and rejected names, so that it is read once.
    """

    http: Request
    context: WebContext
    now: datetime
    account: Account | None = None
    token: str = ""
    form: Form = field(default_factory=Form)
    own_names: dict[str, set[str]] = field(default_factory=dict)
    _cookies: dict[str, str | None] = field(default_factory=dict)
    _form_token: str = ""

    @property
    def member(self) -> Account:
        """The signed-in account, on pages that ask for one."""
        if self.account is None:
            raise Problem("unauthenticated", "Sign in first.")
        return self.account

    @property
    def plan(self) -> PlanName:
        """The account's plan now."""
        return self.member.plan(self.now)

    @property
    def limits(self) -> Plan:
        """The plan's limits."""
        return self.context.settings.plan(self.plan)

    def require_pro(self, feature: str) -> None:
        """Raises `plan_required` on the free plan; `feature` is a plural."""
        if self.plan != "pro":
            raise plan_required(f"{feature} are part of the Pro plan.")

    @property
    def scope(self) -> Scope:
        """The full scope: an account that is signed in may do everything."""
        return "full"

    @property
    def sale_zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""
        return self.context.settings.scan.sale_zones

    @property
    def viewer(self) -> Viewer:
        """The viewer for whom the page is made. A stranger is a viewer of the free plan."""
        return STRANGER if self.account is None else self.account.viewer(self.now)

    @property
    def part(self) -> str:
        """The id of the part of a page that htmx asks for (`this` for one without); empty for a whole page."""
        headers = self.http.headers
        return (headers.get("hx-target") or "this") if "hx-request" in headers else ""

    @property
    def tells_rejected(self) -> bool:
        """Whether the reader is told what was rejected."""
        return is_told(self)

    @property
    def zone(self) -> str:
        """The reader's time zone; strangers read UTC."""
        return self.account.zone if self.account is not None else "UTC"

    @property
    def secure(self) -> bool:
        """Whether the site is reached over https."""
        return self.context.settings.site_url.startswith("https://")

    def cookie(self, kind: str) -> str:
        """The name of one of our cookies. Over https the prefix binds it to this very host."""
        return f"__Host-afterdrop_{kind}" if self.secure else f"afterdrop_{kind}"

    @property
    def csrf(self) -> str:
        """The token in every form: proof that we made it for this browser.

        It is salted, so that it is another on every page: pages are sent compressed, and the size of a page tells what
        in it repeats.
        """
        if not self.token:
            self.token = secrets.token_urlsafe(24)
            self._cookies["visitor"] = self.token
        if not self._form_token:
            salt = secrets.token_urlsafe(12)
            self._form_token = self.context.secret_box.sign("form", [salt, self._salted(salt)])
        return self._form_token

    def _salted(self, salt: str) -> str:
        return hashlib.sha256(f"{salt}.{sessions.digest(self.token)}".encode()).hexdigest()

    def count(self, kind: Kind) -> None:
        """Count a request of this session. Raises Problem `rate_limited`."""
        self.context.session_limits.take(sessions.digest(self.token), kind, self.now)

    def count_stranger(self, kind: Kind) -> None:
        """Count a stranger's request of a costly page by their network. Raises Problem `rate_limited`."""
        if self.account is None:
            self.context.session_limits.take(networks(self.host)[1], kind, self.now)

    async def read_form(self) -> None:
        """Read the form. Raises Forged for one that another site made, Outdated for one of ours that fits no more."""
        self.form = await read_form(self.http)
        made_for = self.context.secret_box.verify("form", self.form.raw("csrf"))
        if not isinstance(made_for, list):
            raise Forged
        salt, salted = made_for
        if not self.token or not hmac.compare_digest(salted, self._salted(salt)):
            raise Outdated

    @property
    def is_from_our_page(self) -> bool:
        """Whether the browser says so: it sends `Origin` with every form (Fetch standard, 3.1). No page can set it."""
        sent = self.http.headers.get("origin")
        return sent is not None and origin_of(sent) == origin_of(self.context.settings.site_url)

    async def sign_in(self, account: Account) -> bool:
        """Begin a new session (the old one, if any, ends); False when the password was changed meanwhile."""
        fresh = secrets.token_urlsafe(32)
        async with self.context.database.write() as conn:
            if not await sessions.begin(conn, fresh, account, self.now):
                return False
            if self.account is not None:
                await sessions.end(conn, self.token)
        self._cookies |= {"session": fresh, "visitor": None}
        self.remember_device(account)
        return True

    @property
    def host(self) -> str | None:
        """The address the request comes from, as a trusted proxy tells it."""
        return self.http.client.host if self.http.client else None

    def remember_device(self, account: Account) -> None:
        """Give the browser a cookie that shows that the account's owner uses it."""
        self._cookies["device"] = tokens.make_token(self.context.secret_box, "device", account, self.now)

    def remember_newcomer(self, email: str) -> None:
        """Give the browser a cookie that shows that somebody signed up in it with this address."""
        self._cookies["newcomer"] = tokens.newcomer(self.context.secret_box, email, self.now)

    def is_newcomer(self, account: Account) -> bool:
        """Whether somebody signed up in this browser with the account's address."""
        sent = self.http.cookies.get(self.cookie("newcomer"), "")
        return tokens.newcomer_in(self.context.secret_box, sent, self.now) == account.email

    def device(self, account: Account | None) -> str:
        """The cookie which shows that this account's owner has used the browser; empty without one."""
        sent = self.http.cookies.get(self.cookie("device"), "")
        if (
            account is None
            or tokens.account_id_in(self.context.secret_box, "device", sent, self.now) != account.id
        ):
            return ""
        return sent if tokens.token_fits(self.context.secret_box, "device", sent, account) else ""

    async def sign_out(self) -> None:
        """End this browser's session."""
        async with self.context.database.write() as conn:
            await sessions.end(conn, self.token)
        self.forget_browser()

    def forget_browser(self) -> None:
        """Delete the browser's session cookies."""
        self._cookies |= {"session": None, "visitor": None}

    def page(self, template: str, status: int = 200, /, **values: object) -> Response:
        """A page from a template; `request` and `form` are always there."""
        context = {"request": self, "form": self.form, **values}
        return HTMLResponse(render(self.context.settings, template, context), status)

    def ask_once(self, question: str, consequence: str, button: str) -> Response | None:
        """The page that asks whether to go on, for what cannot be undone; None once it was answered.

        It sends the same form again, to the same address, and needs no script.
        """
        if self.form.has("sure"):
            return None
        kept = [(name, text) for name, texts in self.form.values.items() if name != "csrf" for text in texts]
        back = self.http.url.path
        return self.page(
            "ask.html", question=question, consequence=consequence, button=button, kept=kept, back=back
        )

    def redirect(self, path: str) -> Response:
        """Send the browser to a path (after a form, so that reloading sends nothing twice)."""
        return RedirectResponse(path, 303)

    def finish(self, response: Response) -> Response:
        """The response with cookies and security headers."""
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        if self.secure:
            response.headers["Strict-Transport-Security"] = "max-age=31536000"
        response.headers.setdefault("Cache-Control", "private, no-store")
        for kind, held in self._cookies.items():
            age = _COOKIE_SECONDS.get(kind) if held else None
            response.set_cookie(
                self.cookie(kind),
                held or "",
                max_age=0 if held is None else age,
                httponly=True,
                samesite="lax",
                secure=self.secure,
                path="/",
            )
        return response


def attachment(content: str | bytes, media_type: str, name: str) -> Response:
    """A download under a file name of our own. Spreadsheets take a text for UTF-8 only with its mark."""
    if isinstance(content, str) and media_type == "text/csv":
        content = f"\ufeff{content}"
    disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=disposition)


def visitors_request(http: Request) -> SiteRequest:
    """The request as a visitor's, without a look at the database."""
    context: WebContext = http.app.state.context
    return SiteRequest(http, context, context.now())


async def open_request(http: Request) -> SiteRequest:
    """The request with the account that its session cookie belongs to."""
    request = visitors_request(http)
    context = request.context
    session = http.cookies.get(request.cookie("session"), "")
    if session:
        async with context.database.read(single=True) as conn:
            request.account = await sessions.account_of(conn, session, request.now)
    request.token = session if request.account else http.cookies.get(request.cookie("visitor"), "")
    return request
