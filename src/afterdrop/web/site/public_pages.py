"""What search engines and strangers look for: robots.txt, sitemap.xml, the operator's terms and privacy policy."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from xml.sax.saxutils import escape

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import PlainTextResponse, Response

from afterdrop.web.problems import not_found
from afterdrop.web.site.doc_pages import GUIDES
from afterdrop.web.site.site_request import SiteRequest

TITLES: Final = {"terms": "Terms", "privacy": "Privacy"}
# Everything behind a sign-in, and addresses that only their owner knows.
_CLOSED: Final = (
    *("/domains", "/csv/", "/compare", "/checks", "/check-one", "/account", "/admin", "/tools", "/desk"),
    *("/drops", "/start", "/tags"),
    *("/api/", "/mcp", "/verify/", "/reset/", "/unsubscribe/", "/components"),
)


async def robots(request: SiteRequest) -> Response:
    """What crawlers may read: the pages that need no account."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _CLOSED)]
    lines += ["", f"Sitemap: {request.context.settings.site_url}/sitemap.xml"]
    return PlainTextResponse("\n".join(lines) + "\n")


async def sitemap(request: SiteRequest) -> Response:
    """The public pages."""
    paths = ["/", "/sample", "/pricing", "/docs", *(f"/docs/{name}" for name in GUIDES)]
    paths += [f"/{name}" for name in request.context.legal]
    site = request.context.settings.site_url
    places = "".join(f"<url><loc>{escape(site + path)}</loc></url>" for path in paths)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>\n'
    return Response(text, media_type="application/xml")


async def terms(request: SiteRequest) -> Response:
    """The operator's terms."""
    return _legal(request, "terms")


async def privacy(request: SiteRequest) -> Response:
    """The operator's privacy policy."""
    return _legal(request, "privacy")


def _legal(request: SiteRequest, name: str) -> Response:
    text = request.context.legal.get(name)
    if text is None:
        raise not_found("There is no such page.")
    return request.page("legal.html", title=TITLES[name], text=_rendered(text))


@lru_cache(maxsize=4)
def _rendered(text: str) -> Markup:
    """Markdown as HTML. HTML inside it is shown as text."""
    return Markup(
        MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    )  # escaped by the renderer
