"""Every page of the site, who may open it, the guards around it, and the static files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final, Literal

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from afterdrop.db.conflicts import repeated
from afterdrop.web.problems import Problem, as_problem, not_found
from afterdrop.web.site import (
    account_pages,
    auth,
    check_pages,
    compare_pages,
    desk_pages,
    doc_pages,
    filter_pages,
    list_pages,
    lookup_pages,
    mark_pages,
    operator_pages,
    rejected_pages,
    report_pages,
    share_pages,
    takeover_pages,
    visitor_pages,
    watchlist_pages,
    webhook_pages,
)
from afterdrop.web.site.site_request import SECURITY_HEADERS, SiteRequest, open_request, visitors_request
from afterdrop.web.site.templates import STATIC

# `stranger`: whoever asks, in a team's deployment, too; `anyone`: its members there.
Visitor = Literal["stranger", "anyone", "signed_in", "member", "operator"]
Handler = Callable[[SiteRequest], Awaitable[Response]]


def page_guard(
    handler: Handler, visitor: Visitor = "stranger", *, proves: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """An ASGI endpoint around a handler. `proves`: it reads the form itself, or the address is proof enough."""

    async def respond(http: Request) -> Response:
        request = visitors_request(http)
        try:
            request = await open_request(http)
            response = await _guarded(request, handler, visitor, proves)
        except Exception as error:  # noqa: BLE001  # the request's edge: every failure becomes its page
            response = error_page(request, as_problem(error))
        return request.finish(response)

    return respond


async def _guarded(request: SiteRequest, handler: Handler, visitor: Visitor, proves: bool) -> Response:
    posted = request.http.method == "POST"
    if visitor == "anyone" and request.context.settings.audience == "team":
        visitor = "member"
    if request.account is not None:
        request.count("form" if posted else "page")
    if visitor not in ("stranger", "anyone") and request.account is None:
        return request.redirect("/sign-in") if posted else sign_in_prompt(request)
    if posted and not proves:
        await request.read_form()
    if visitor in ("member", "operator") and request.member.verified_at is None:
        return request.page("confirm_first.html", 200 if not posted else 403)
    if visitor == "operator" and not request.member.operator:
        raise not_found("This page does not exist.")
    return await repeated(lambda: handler(request))


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


class ListNames(Convertor[str]):
    """The three lists in a path."""

    regex = "live|available|archive"

    def convert(self, value: str) -> str:
        """The value as it stands."""
        return value

    def to_string(self, value: str) -> str:
        """The value as it stands."""
        return value


register_url_convertor("list", ListNames())

# path, who may open it, what it shows (GET), what its form does (POST)
Row = tuple[str, Visitor, Handler | None, Handler | None]
_PAGES: tuple[Row, ...] = (
    ("/", "anyone", visitor_pages.home, None),
    ("/sample", "anyone", visitor_pages.sample, None),
    ("/sample/{domain}", "anyone", visitor_pages.sample, None),
    ("/check-one", "anyone", None, visitor_pages.order),
    ("/check-one/{token}", "anyone", visitor_pages.result, None),
    ("/robots.txt", "stranger", visitor_pages.robots, None),
    ("/sitemap.xml", "anyone", visitor_pages.sitemap, None),
    ("/terms", "stranger", visitor_pages.terms, None),
    ("/privacy", "stranger", visitor_pages.privacy, None),
    ("/sign-in", "stranger", auth.sign_in_page, auth.sign_in),
    ("/once/{token}", "stranger", auth.sign_in_once, None),
    ("/sign-out", "signed_in", None, auth.sign_out),
    ("/sign-up", "stranger", auth.sign_up_page, auth.sign_up),
    ("/resend", "signed_in", None, auth.resend),
    ("/verify/{token}", "stranger", auth.verify_page, auth.verify),
    ("/forgotten", "stranger", auth.forgotten_page, auth.forgotten),
    ("/domains", "member", list_pages.live, None),
    ("/domains/available", "member", list_pages.available, None),
    ("/domains/archive", "member", list_pages.archive, None),
    ("/domains/pick", "member", None, list_pages.pick),
    ("/domains/columns", "member", None, list_pages.keep_columns),
    ("/domains/rejected", "member", rejected_pages.rejected_page, None),
    ("/domains/{domain}", "member", report_pages.report, None),
    ("/domains/{domain}/registration", "member", report_pages.registration, None),
    ("/domains/{domain}/takeover", "member", takeover_pages.takeover_page, takeover_pages.say),
    ("/domains/{domain}/takeover/{record}", "member", takeover_pages.evidence, None),
    ("/domains/{domain}/kit.zip", "member", report_pages.download_kit, None),
    ("/domains/{domain}/end.ics", "member", report_pages.calendar, None),
    ("/compare", "member", compare_pages.compare, None),
    ("/domains/{domain}/watch", "member", None, report_pages.watch),
    ("/domains/{domain}/unwatch", "member", None, report_pages.unwatch),
    ("/domains/{domain}/note", "member", None, report_pages.keep_note),
    ("/desk", "member", desk_pages.desk, None),
    ("/drops", "member", desk_pages.drops_page, None),
    ("/drops/{end}.ics", "member", desk_pages.calendar, None),
    ("/tags", "member", None, mark_pages.change_tags),
    ("/s/{token}", "anyone", share_pages.shared_page, None),
    ("/s/{token}/{domain}", "anyone", share_pages.shared_report, None),
    ("/s/{token}/{domain}/takeover", "anyone", share_pages.shared_takeover, None),
    ("/checks", "member", check_pages.checks_page, check_pages.order_check),
    ("/checks/bulk", "member", check_pages.bulk_page, check_pages.preview_or_order),
    ("/checks/batch/{id}", "member", check_pages.batch_page, None),
    ("/checks/batch/{id}/table.csv", "member", check_pages.batch_file, None),
    ("/checks/{id}", "member", check_pages.check_page, None),
    ("/account", "member", account_pages.overview, None),
    ("/account/keys", "member", account_pages.keys_page, account_pages.change_keys),
    ("/account/settings", "member", account_pages.settings_page, account_pages.save_settings),
    ("/account/watchlist", "member", watchlist_pages.watchlist_page, watchlist_pages.follow),
    ("/account/watchlist.csv", "member", watchlist_pages.watchlist_file, None),
    ("/account/notes", "member", mark_pages.notes_page, None),
    ("/account/notes.csv", "member", mark_pages.notes_file, None),
    ("/account/filters", "member", filter_pages.filters_page, filter_pages.change_filters),
    ("/account/shares", "member", share_pages.shares_page, share_pages.change_shares),
    ("/account/zone", "member", None, account_pages.keep_zone),
    ("/account/webhooks", "member", webhook_pages.webhooks_page, webhook_pages.add_webhook),
    ("/account/webhooks/{id}", "member", webhook_pages.webhook_page, webhook_pages.change_webhook),
    ("/account/webhooks/{id}/{event}", "member", webhook_pages.delivery_page, None),
    ("/account/data", "signed_in", account_pages.data_page, None),
    ("/account/data.json", "signed_in", account_pages.download, None),
    ("/account/delete", "signed_in", None, account_pages.delete_account),
    ("/tools", "member", lookup_pages.tools_page, lookup_pages.look_up),
    ("/docs", "anyone", doc_pages.docs, None),
    ("/docs/{name}", "anyone", doc_pages.guide, None),
    ("/pricing", "anyone", doc_pages.pricing, None),
    ("/admin", "operator", operator_pages.status, operator_pages.mend),
    ("/admin/accounts", "operator", operator_pages.accounts, operator_pages.change_account),
    ("/admin/rejections", "operator", operator_pages.rejections, operator_pages.decide_rejection),
    ("/admin/takeovers", "operator", takeover_pages.counts, None),
    ("/csv/{which:list}", "member", list_pages.export, None),
    ("/reset/{token}", "stranger", auth.reset_page, auth.reset),
)
# Addresses that mails lead to, short enough to be typed.
_SHORT: Final = {
    "/alerts": "/account/filters",
    "/webhooks": "/account/webhooks",
    "/watchlist": "/account/watchlist",
}
_MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
}
_ONE_YEAR: Final = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def _static_files() -> dict[str, tuple[bytes, str]]:
    return {
        path.relative_to(STATIC).as_posix(): (path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for path in STATIC.rglob("*")
        if path.suffix in _MEDIA_TYPES
    }


async def _static_file(http: Request) -> Response:
    """Style sheet, script or icon. Its address changes with its content, so it may be kept for good."""
    file = _static_files().get(http.path_params["name"])
    if file is None:
        return PlainTextResponse("Not found.", 404, headers=SECURITY_HEADERS)
    return Response(file[0], media_type=file[1], headers={**SECURITY_HEADERS, "Cache-Control": _ONE_YEAR})


def _redirect(short: str, path: str) -> Route:
    async def redirect(_: Request) -> Response:
        return RedirectResponse(path, 307, headers=SECURITY_HEADERS)

    return Route(short, redirect, methods=["GET"])


def site_routes() -> list[Route]:
    """The routes, to stand beside the API's."""
    routes = [Route("/static/{name:path}", _static_file), *(_redirect(*each) for each in _SHORT.items())]
    unsubscribe = (
        page_guard(account_pages.unsubscribe_page),
        page_guard(account_pages.end_mails, proves=True),
    )
    routes.append(Route("/unsubscribe/{token}", unsubscribe[0], methods=["GET"]))
    routes.append(Route("/unsubscribe/{token}", unsubscribe[1], methods=["POST"]))
    for path, visitor, shows, does in _PAGES:
        if shows is not None:
            routes.append(Route(path, page_guard(shows, visitor), methods=["GET"]))
        if does is not None:
            routes.append(
                Route(path, page_guard(does, visitor, proves=does is auth.sign_in), methods=["POST"])
            )
    return routes
