"""Every page of the site and who may open it, and the static files."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from afterdrop.web.site import (
    account_pages,
    alert_pages,
    auth,
    batch_pages,
    check_pages,
    compare_pages,
    component_pages,
    desk_pages,
    doc_pages,
    drops_pages,
    filter_pages,
    landing_pages,
    list_actions,
    list_pages,
    lookup_pages,
    mark_pages,
    operator_pages,
    public_pages,
    report_pages,
    share_pages,
    start_pages,
    visitor_pages,
    webhook_pages,
)
from afterdrop.web.site.page_guards import Audience, Handler, page_guard
from afterdrop.web.site.site_request import SECURITY_HEADERS
from afterdrop.web.site.templates import STATIC


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
Row = tuple[str, Audience, Handler | None, Handler | None]
_PAGES: tuple[Row, ...] = (
    ("/", "anyone", landing_pages.home, None),
    ("/sample", "anyone", landing_pages.sample, None),
    ("/check-one", "anyone", None, visitor_pages.order),
    ("/check-one/{token}", "anyone", visitor_pages.result, None),
    ("/robots.txt", "anyone", public_pages.robots, None),
    ("/sitemap.xml", "anyone", public_pages.sitemap, None),
    ("/terms", "anyone", public_pages.terms, None),
    ("/privacy", "anyone", public_pages.privacy, None),
    ("/sign-in", "anyone", auth.sign_in_page, auth.sign_in),
    ("/sign-out", "signed_in", None, auth.sign_out),
    ("/sign-up", "anyone", auth.sign_up_page, auth.sign_up),
    ("/resend", "signed_in", None, auth.resend),
    ("/verify/{token}", "anyone", auth.verify_page, auth.verify),
    ("/forgotten", "anyone", auth.forgotten_page, auth.forgotten),
    ("/domains", "member", list_pages.live, None),
    ("/domains/available", "member", list_pages.available, None),
    ("/domains/archive", "member", list_pages.archive, None),
    ("/domains/pick", "member", None, list_actions.pick),
    ("/domains/columns", "member", None, list_actions.keep_columns),
    ("/domains/{domain}", "member", report_pages.report, None),
    ("/domains/{domain}/kit.zip", "member", report_pages.download_kit, None),
    ("/domains/{domain}/end.ics", "member", report_pages.calendar, None),
    ("/compare", "member", compare_pages.compare, None),
    ("/domains/{domain}/watch", "member", None, report_pages.watch),
    ("/domains/{domain}/unwatch", "member", None, report_pages.unwatch),
    ("/domains/{domain}/note", "member", None, report_pages.keep_note),
    ("/start", "member", start_pages.start, start_pages.keep_mails),
    ("/desk", "member", desk_pages.desk, None),
    ("/drops", "member", drops_pages.drops_page, None),
    ("/drops/{end}.ics", "member", drops_pages.calendar, None),
    ("/tags", "member", None, mark_pages.change_tags),
    ("/s/{token}", "anyone", share_pages.shared_page, None),
    ("/checks", "member", check_pages.checks_page, check_pages.order_check),
    ("/checks/bulk", "member", batch_pages.bulk_page, batch_pages.preview_or_order),
    ("/checks/batch/{id}", "member", batch_pages.batch_page, None),
    ("/checks/batch/{id}/table.csv", "member", batch_pages.batch_file, None),
    ("/checks/{id}", "member", check_pages.check_page, None),
    ("/account", "member", account_pages.overview, None),
    ("/account/keys", "member", account_pages.keys_page, account_pages.change_keys),
    ("/account/settings", "member", account_pages.settings_page, account_pages.save_settings),
    ("/account/watchlist", "member", report_pages.watchlist_page, None),
    ("/account/watchlist.csv", "member", report_pages.watchlist_file, None),
    ("/account/notes", "member", mark_pages.notes_page, None),
    ("/account/notes.csv", "member", mark_pages.notes_file, None),
    ("/account/filters", "member", filter_pages.filters_page, filter_pages.change_filters),
    ("/account/shares", "member", share_pages.shares_page, share_pages.change_shares),
    ("/account/rules", "member", alert_pages.rules_page, None),
    ("/account/rules/new", "member", alert_pages.new_page, alert_pages.create_or_preview),
    ("/account/rules/from-list", "member", None, alert_pages.create_from_list),
    ("/account/rules/{id}", "member", alert_pages.edit_page, alert_pages.change_or_preview),
    ("/account/webhooks", "member", webhook_pages.webhooks_page, webhook_pages.add_webhook),
    ("/account/webhooks/{id}", "member", webhook_pages.webhook_page, webhook_pages.change_webhook),
    ("/account/data", "signed_in", account_pages.data_page, None),
    ("/account/data.json", "signed_in", account_pages.download, None),
    ("/account/delete", "signed_in", None, account_pages.delete_account),
    ("/tools", "member", lookup_pages.tools_page, lookup_pages.look_up),
    ("/components", "anyone", component_pages.components, None),
    ("/docs", "anyone", doc_pages.docs, None),
    ("/docs/{name}", "anyone", doc_pages.guide, None),
    ("/pricing", "anyone", doc_pages.pricing, None),
    ("/admin", "operator", operator_pages.status, None),
    ("/admin/accounts", "operator", operator_pages.accounts, None),
    ("/admin/rejections", "operator", operator_pages.rejections, operator_pages.decide_rejection),
    ("/csv/{which:list}", "member", list_actions.export, None),
    ("/reset/{token}", "anyone", auth.reset_page, auth.reset),
)
# Addresses that mails lead to, short enough to be typed.
_SHORT: Final = {
    "/alerts": "/account/rules",
    "/webhooks": "/account/webhooks",
    "/watchlist": "/account/watchlist",
}
_MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
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
    found = _static_files().get(http.path_params["name"])
    if found is None:
        return PlainTextResponse("Not found.", 404, headers=SECURITY_HEADERS)
    return Response(found[0], media_type=found[1], headers={**SECURITY_HEADERS, "Cache-Control": _ONE_YEAR})


def _redirect(short: str, path: str) -> Route:
    async def redirect(_: Request) -> Response:
        return RedirectResponse(path, 307, headers=SECURITY_HEADERS)

    return Route(short, redirect, methods=["GET"])


def site_routes() -> list[Route]:
    """The routes, to stand beside the API's."""
    routes = [Route("/static/{name:path}", _static_file), *(_redirect(*each) for each in _SHORT.items())]
    unsubscribe = (
        page_guard(account_pages.unsubscribe_page),
        page_guard(account_pages.end_mails, signed_link=True),
    )
    routes.append(Route("/unsubscribe/{token}", unsubscribe[0], methods=["GET"]))
    routes.append(Route("/unsubscribe/{token}", unsubscribe[1], methods=["POST"]))
    for path, audience, shows, does in _PAGES:
        if shows is not None:
            routes.append(Route(path, page_guard(shows, audience), methods=["GET"]))
        if does is not None:
            routes.append(Route(path, page_guard(does, audience), methods=["POST"]))
    return routes
