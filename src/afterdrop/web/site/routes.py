"""Every page of the site and who may open it."""

from __future__ import annotations

from typing import Final

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from afterdrop.web.site import (
    account_pages,
    alert_pages,
    auth,
    check_pages,
    doc_pages,
    home,
    list_pages,
    lookup_pages,
    operator_pages,
    report_pages,
    unsubscribe_page,
    watchlist_page,
    webhook_pages,
)
from afterdrop.web.site.page_guards import Handler, Who, page_guard
from afterdrop.web.site.site_request import GUARDS
from afterdrop.web.site.static_files import static_file


class ListNames(Convertor[str]):
    """The three lists in a path."""

    regex = "live|available|archive"

    def convert(self, value: str) -> str:
        """As it stands."""
        return value

    def to_string(self, value: str) -> str:
        """As it stands."""
        return value


register_url_convertor("list", ListNames())

# path, who, what it shows (GET), what its form does (POST)
Row = tuple[str, Who, Handler | None, Handler | None]
_PAGES: tuple[Row, ...] = (
    ("/", "anyone", home.home, None),
    ("/sign-in", "anyone", auth.sign_in_page, auth.sign_in),
    ("/sign-out", "signed_in", None, auth.sign_out),
    ("/sign-up", "anyone", auth.sign_up_page, auth.sign_up),
    ("/resend", "signed_in", None, auth.resend),
    ("/verify/{token}", "anyone", auth.verify_page, auth.verify),
    ("/forgotten", "anyone", auth.forgotten_page, auth.forgotten),
    ("/domains", "member", list_pages.live, None),
    ("/domains/available", "member", list_pages.available, None),
    ("/domains/archive", "member", list_pages.archive, None),
    ("/domains/{domain}", "member", report_pages.report, None),
    ("/domains/{domain}/kit.zip", "member", report_pages.download_kit, None),
    ("/domains/{domain}/watch", "member", None, report_pages.watch),
    ("/domains/{domain}/unwatch", "member", None, report_pages.unwatch),
    ("/domains/{domain}/note", "member", None, report_pages.keep_note),
    ("/checks", "member", check_pages.checks_page, check_pages.checks),
    ("/checks/{id}", "member", check_pages.check, None),
    ("/account", "member", account_pages.overview, None),
    ("/account/keys", "member", account_pages.keys_page, account_pages.keys),
    ("/account/settings", "member", account_pages.settings_page, account_pages.settings),
    ("/account/watchlist", "member", watchlist_page.watchlist_page, None),
    ("/account/rules", "member", alert_pages.rules_page, None),
    ("/account/rules/new", "member", alert_pages.new_page, alert_pages.new),
    ("/account/rules/from-list", "member", None, alert_pages.from_list),
    ("/account/rules/{id}", "member", alert_pages.edit_page, alert_pages.edit),
    ("/account/webhooks", "member", webhook_pages.webhooks_page, webhook_pages.webhooks),
    ("/account/webhooks/{id}", "member", webhook_pages.webhook_page, webhook_pages.webhook),
    ("/account/data", "signed_in", account_pages.data_page, None),
    ("/account/data.json", "signed_in", account_pages.download, None),
    ("/account/delete", "signed_in", None, account_pages.delete),
    ("/tools", "member", lookup_pages.tools_page, lookup_pages.tools),
    ("/docs", "anyone", doc_pages.docs, None),
    ("/docs/{name}", "anyone", doc_pages.guide, None),
    ("/pricing", "anyone", doc_pages.pricing, None),
    ("/admin", "operator", operator_pages.status, None),
    ("/admin/accounts", "operator", operator_pages.accounts, None),
    ("/csv/{which:list}", "member", list_pages.export, None),
    ("/reset/{token}", "anyone", auth.reset_page, auth.reset),
)


# addresses that mails lead to, short enough to be typed
_SHORT: Final = {
    "/alerts": "/account/rules",
    "/webhooks": "/account/webhooks",
    "/watchlist": "/account/watchlist",
}


def _leads(short: str, path: str) -> Route:
    async def lead(_: Request) -> Response:
        return RedirectResponse(path, 307, headers=GUARDS)

    return Route(short, lead, methods=["GET"])


def site_routes() -> list[Route]:
    """The routes, to stand beside the API's."""
    routes = [Route("/static/{name}", static_file), *(_leads(*each) for each in _SHORT.items())]
    ending = page_guard(unsubscribe_page.end_mails, signed_link=True)
    routes.append(
        Route("/unsubscribe/{token}", page_guard(unsubscribe_page.unsubscribe_page), methods=["GET"])
    )
    routes.append(Route("/unsubscribe/{token}", ending, methods=["POST"]))
    for path, who, shows, does in _PAGES:
        if shows is not None:
            routes.append(Route(path, page_guard(shows, who), methods=["GET"]))
        if does is not None:
            routes.append(Route(path, page_guard(does, who), methods=["POST"]))
    return routes
