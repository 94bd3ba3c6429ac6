"""Every page of the site and who may open it."""

from __future__ import annotations

from typing import Final

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from afterdrop.web.site import (
    account,
    admin_pages,
    check_pages,
    doc_pages,
    entrance,
    home,
    hook_pages,
    lists,
    report,
    rule_pages,
    tool_pages,
    unsubscribing,
    watch_page,
)
from afterdrop.web.site.doors import Handler, Who, door
from afterdrop.web.site.statics import static_file
from afterdrop.web.site.visit import GUARDS


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
    ("/sign-in", "anyone", entrance.sign_in_page, entrance.sign_in),
    ("/sign-out", "signed_in", None, entrance.sign_out),
    ("/sign-up", "anyone", entrance.sign_up_page, entrance.sign_up),
    ("/resend", "signed_in", None, entrance.resend),
    ("/verify/{token}", "anyone", entrance.verify_page, entrance.verify),
    ("/forgotten", "anyone", entrance.forgotten_page, entrance.forgotten),
    ("/domains", "member", lists.live, None),
    ("/domains/available", "member", lists.available, None),
    ("/domains/archive", "member", lists.archive, None),
    ("/domains/{domain}", "member", report.report, None),
    ("/domains/{domain}/kit.zip", "member", report.download_kit, None),
    ("/domains/{domain}/watch", "member", None, report.watch),
    ("/domains/{domain}/unwatch", "member", None, report.unwatch),
    ("/domains/{domain}/note", "member", None, report.keep_note),
    ("/checks", "member", check_pages.checks_page, check_pages.checks),
    ("/checks/{id}", "member", check_pages.check, None),
    ("/account", "member", account.overview, None),
    ("/account/keys", "member", account.keys_page, account.keys),
    ("/account/settings", "member", account.settings_page, account.settings),
    ("/account/watchlist", "member", watch_page.watchlist_page, None),
    ("/account/rules", "member", rule_pages.rules_page, None),
    ("/account/rules/new", "member", rule_pages.new_page, rule_pages.new),
    ("/account/rules/from-list", "member", None, rule_pages.from_list),
    ("/account/rules/{id}", "member", rule_pages.edit_page, rule_pages.edit),
    ("/account/webhooks", "member", hook_pages.hooks_page, hook_pages.hooks),
    ("/account/webhooks/{id}", "member", hook_pages.hook_page, hook_pages.hook),
    ("/account/data", "signed_in", account.data_page, None),
    ("/account/data.json", "signed_in", account.download, None),
    ("/account/delete", "signed_in", None, account.delete),
    ("/tools", "member", tool_pages.tools_page, tool_pages.tools),
    ("/docs", "anyone", doc_pages.docs, None),
    ("/docs/{name}", "anyone", doc_pages.guide, None),
    ("/pricing", "anyone", doc_pages.pricing, None),
    ("/admin", "operator", admin_pages.status, None),
    ("/admin/accounts", "operator", admin_pages.accounts, None),
    ("/csv/{which:list}", "member", lists.export, None),
    ("/reset/{token}", "anyone", entrance.reset_page, entrance.reset),
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
    ending = door(unsubscribing.end_mails, signed_link=True)
    routes.append(Route("/unsubscribe/{token}", door(unsubscribing.unsubscribe_page), methods=["GET"]))
    routes.append(Route("/unsubscribe/{token}", ending, methods=["POST"]))
    for path, who, shows, does in _PAGES:
        if shows is not None:
            routes.append(Route(path, door(shows, who), methods=["GET"]))
        if does is not None:
            routes.append(Route(path, door(does, who), methods=["POST"]))
    return routes
