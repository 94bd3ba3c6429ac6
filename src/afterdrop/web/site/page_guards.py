"""Guards around every page: who may open it, the check of forms before anything is done, failures shown as pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from afterdrop.web.problems import Problem, as_problem, not_found
from afterdrop.web.site.site_request import SiteRequest, open_request, visitors_request

Audience = Literal["anyone", "signed_in", "member", "operator"]
Handler = Callable[[SiteRequest], Awaitable[Response]]


def page_guard(
    handler: Handler, audience: Audience = "anyone", *, signed_link: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """An ASGI endpoint around a handler. `signed_link`: the address itself is the proof, no form token is asked."""

    async def respond(http: Request) -> Response:
        request = visitors_request(http)
        try:
            request = await open_request(http)
            response = await _guarded(request, handler, audience, signed_link)
        except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its page
            response = error_page(request, as_problem(error))
        return request.finish(response)

    return respond


async def _guarded(request: SiteRequest, handler: Handler, audience: Audience, signed_link: bool) -> Response:
    posted = request.http.method == "POST"
    if request.account is not None:
        request.count("form" if posted else "page")
    if audience != "anyone" and request.account is None:
        return request.redirect("/sign-in") if posted else sign_in_prompt(request)
    if posted and not signed_link:
        await request.read_form()
    if audience in ("member", "operator") and request.member.verified_at is None:
        return request.page("confirm_first.html", 200 if not posted else 403)
    if audience == "operator" and not request.member.operator:
        raise not_found("This page does not exist.")
    return await handler(request)


def sign_in_prompt(request: SiteRequest) -> Response:
    """The sign-in form in place of a page for members; it leads back to that page."""
    url = request.http.url
    back = url.path + (f"?{url.query}" if url.query else "")
    return request.page("sign_in.html", back=back, prompt=True)


def error_page(request: SiteRequest, problem: Problem) -> Response:
    """A failure as a page that says what happened and where to go."""
    response = request.page("error.html", problem.status, problem=problem)
    response.headers.update(problem.headers or {})
    return response


async def error_response(http: Request, status: int, error: Exception) -> Response:
    """The page for what the framework would answer itself."""
    try:
        request = await open_request(http)
    except Exception as failure:  # noqa: BLE001  # the request's edge: what failed is told, to a visitor
        request, status, error = visitors_request(http), 500, failure
    if status == 404:
        problem = not_found("This page does not exist.")
    elif status == 405:
        problem = Problem("method_not_allowed", "This page does not take such requests.")
    else:
        problem = as_problem(error)
    return request.finish(error_page(request, problem))
