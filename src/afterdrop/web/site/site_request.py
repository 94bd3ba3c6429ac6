"""One request to the site: who is there, what they sent, and the answer with its cookies and guards."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from afterdrop.accounts import sessions, tokens
from afterdrop.accounts.account import Account
from afterdrop.accounts.plans import PlanName, Viewer
from afterdrop.core.plan_limits import Plan
from afterdrop.web.environment import Environment
from afterdrop.web.problems import Problem
from afterdrop.web.session_limits import Kind
from afterdrop.web.site.forms import Form, read_form
from afterdrop.web.site.templates import render

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
GUARDS: Final = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_LASTING: Final = {
    "session": 30 * 86_400,
    "device": int(tokens.VALID["device"].total_seconds()),
}


class Forged(Problem):
    """403: the form does not come from a page of ours."""

    def __init__(self) -> None:
        super().__init__(
            "validation_failed",
            "The form was too old or came from another site. Go back, reload the page and send it again.",
            status=403,
        )


@dataclass
class SiteRequest:
    """Who is there (`account` None: nobody signed in) and what they ask. Handlers take it and give a Response."""

    request: Request
    env: Environment
    now: datetime
    account: Account | None = None
    token: str = ""
    form: Form = field(default_factory=Form)
    _cookies: dict[str, str | None] = field(default_factory=dict)

    @property
    def member(self) -> Account:
        """The signed-in account; only behind a door for members."""
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
        return self.env.settings.plan(self.plan)

    @property
    def zones(self) -> tuple[str, ...]:
        """Third-level sale zones the operator counts as extensions."""
        return self.env.settings.scan.sale_zones

    @property
    def viewer(self) -> Viewer:
        """Whose eyes the page is made for."""
        return self.member.viewer(self.now)

    @property
    def secure(self) -> bool:
        """Whether the site is reached over https."""
        return self.env.settings.site_url.startswith("https://")

    def cookie(self, kind: str) -> str:
        """The name of one of our cookies; behind https bound to this very host."""
        return f"__Host-afterdrop_{kind}" if self.secure else f"afterdrop_{kind}"

    @property
    def csrf(self) -> str:
        """What every form carries: proof that we made it for this browser."""
        if not self.token:
            self.token = secrets.token_urlsafe(24)
            self._cookies["visitor"] = self.token
        return self.env.secret_box.sign("form", sessions.digest(self.token))

    def count(self, kind: Kind) -> None:
        """Count what this session asks. Raises Problem `rate_limited`."""
        self.env.sessions.take(sessions.digest(self.token), kind, self.now)

    async def read_form(self) -> None:
        """Take the form in. Raises Forged for one that another site made."""
        self.form = await read_form(self.request)
        made_for = self.env.secret_box.verify("form", self.form.raw("csrf"))
        mine = sessions.digest(self.token)
        if not self.token or not isinstance(made_for, str) or not hmac.compare_digest(made_for, mine):
            raise Forged

    async def sign_in(self, account: Account) -> bool:
        """Begin a new session (the old one, if any, ends); False when the password was changed meanwhile."""
        fresh = secrets.token_urlsafe(32)
        async with self.env.database.write() as conn:
            if not await sessions.begin(conn, fresh, account, self.now):
                return False
            if self.account is not None:
                await sessions.end(conn, self.token)
        self._cookies |= {"session": fresh, "visitor": None}
        self.know(account)
        return True

    @property
    def host(self) -> str | None:
        """The address the request comes from; a trusted proxy says which."""
        return self.request.client.host if self.request.client else None

    def know(self, account: Account) -> None:
        """Let the browser show from now on that the account's owner uses it."""
        self._cookies["device"] = tokens.make_token(self.env.secret_box, "device", account, self.now)

    def device(self, account: Account | None) -> str:
        """What the browser shows to have been used by this account's owner; empty when it does not."""
        shown = self.request.cookies.get(self.cookie("device"), "")
        if (
            account is None
            or tokens.account_id_in(self.env.secret_box, "device", shown, self.now) != account.id
        ):
            return ""
        return shown if tokens.token_fits(self.env.secret_box, "device", shown, account) else ""

    async def sign_out(self) -> None:
        """End this browser's session."""
        async with self.env.database.write() as conn:
            await sessions.end(conn, self.token)
        self.forget()

    def forget(self) -> None:
        """Take the browser's cookies away."""
        self._cookies |= {"session": None, "visitor": None}

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page from a template; `visit` and `form` are always there."""
        shown = {"visit": self, "form": self.form, **values}
        return HTMLResponse(render(self.env.settings, template, shown), status)

    def go(self, path: str) -> Response:
        """Look there next (after a form, so that reloading sends nothing twice)."""
        return RedirectResponse(path, 303)

    def finish(self, response: Response) -> Response:
        """The answer with cookies and guards."""
        for name, value in GUARDS.items():
            response.headers[name] = value
        if self.secure:
            response.headers["Strict-Transport-Security"] = "max-age=31536000"
        response.headers.setdefault("Cache-Control", "private, no-store")
        for kind, held in self._cookies.items():
            age = _LASTING.get(kind) if held else None
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


async def open_request(request: Request) -> SiteRequest:
    """Who is there."""
    env: Environment = request.app.state.environment
    visit = SiteRequest(request, env, env.now())
    session = request.cookies.get(visit.cookie("session"), "")
    if session:
        async with env.database.read() as conn:
            visit.account = await sessions.account_of(conn, session, visit.now)
    visit.token = session if visit.account else request.cookies.get(visit.cookie("visitor"), "")
    return visit
