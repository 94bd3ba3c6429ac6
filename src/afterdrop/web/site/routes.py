"""Every page of the site and who may open it."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route

from afterdrop.web.site import entrance, home, lists
from afterdrop.web.site.doors import Handler, Who, door
from afterdrop.web.site.statics import static_file


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
    ("/csv/{which:list}", "member", lists.export, None),
    ("/reset/{token}", "anyone", entrance.reset_page, entrance.reset),
)


def site_routes() -> list[Route]:
    """The routes, to stand beside the API's."""
    routes = [Route("/static/{name}", static_file)]
    for path, who, shows, does in _PAGES:
        if shows is not None:
            routes.append(Route(path, door(shows, who), methods=["GET"]))
        if does is not None:
            routes.append(Route(path, door(does, who), methods=["POST"]))
    return routes
