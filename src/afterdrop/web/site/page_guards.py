"""The doors of the site: who may come in, forms checked before anything is done, failures shown as pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from afterdrop.web.problems import Problem, as_problem, not_found
from afterdrop.web.site.site_request import SiteRequest, open_request

Who = Literal["anyone", "signed_in", "member", "operator"]
Handler = Callable[[SiteRequest], Awaitable[Response]]
_log = logging.getLogger(__name__)


def page_guard(
    handler: Handler, who: Who = "anyone", *, signed_link: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """An ASGI endpoint around a handler. `signed_link`: the address itself is the proof, no form token is asked."""

    async def answer(request: Request) -> Response:
        visit = await open_request(request)
        try:
            response = await _answer(visit, handler, who, signed_link)
        except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its page
            response = error_page(visit, as_problem(error))
        return visit.finish(response)

    return answer


async def _answer(visit: SiteRequest, handler: Handler, who: Who, signed_link: bool) -> Response:
    posted = visit.request.method == "POST"
    if visit.account is not None:
        visit.count("form" if posted else "page")
    if who != "anyone" and visit.account is None:
        return visit.go("/sign-in") if posted else sign_in_prompt(visit)
    if posted and not signed_link:
        await visit.read_form()
    if who in ("member", "operator") and visit.member.verified_at is None:
        return visit.page("confirm_first.html", 200 if not posted else 403)
    if who == "operator" and not visit.member.operator:
        raise not_found("There is no such page.")
    return await handler(visit)


def sign_in_prompt(visit: SiteRequest) -> Response:
    """What visitors see instead of a page for members: the way in, which leads back here."""
    url = visit.request.url
    back = url.path + (f"?{url.query}" if url.query else "")
    return visit.page("sign_in.html", back=back, prompt=True)


def error_page(visit: SiteRequest, problem: Problem) -> Response:
    """A failure as a page that says what happened and where to go."""
    answer = visit.page("error.html", problem.status, problem=problem)
    answer.headers.update(problem.headers or {})
    return answer


async def plain_error(request: Request, status: int, error: Exception) -> Response:
    """The page for what the framework would answer itself."""
    visit = await open_request(request)
    if status == 404:
        problem = not_found("There is no such page.")
    elif status == 405:
        problem = Problem("method_not_allowed", "This page cannot be asked for that way.")
    else:
        problem = as_problem(error)
    return visit.finish(error_page(visit, problem))
