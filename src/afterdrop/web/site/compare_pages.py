"""Two to four listed domains side by side, as the account may see each of them."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response

from afterdrop.alerts import store
from afterdrop.web.actions import domains
from afterdrop.web.paths import path_domain
from afterdrop.web.problems import Problem
from afterdrop.web.site.compared import compared, groups
from afterdrop.web.site.site_request import SiteRequest

MOST: Final = 4
_NAME_CHARS: Final = 2000


async def compare(request: SiteRequest) -> Response:
    """The comparison of the domains in the address (`d`, repeated or with commas), with a form to choose them."""
    asked = _asked(request)
    reports: list[Any] = []
    refused: dict[str, str] = {}
    for text in asked[:MOST]:
        try:
            name = path_domain(text, request.sale_zones)
            if all(report["domain"] != name for report in reports):
                reports.append(await domains.report(request, name))
        except Problem as problem:
            refused[text] = problem.message
    async with request.context.database.read() as conn:
        followed = await store.watched_domains(conn, request.member.id)
    shown = [report["domain"] for report in reports]
    return request.page(
        "compare.html",
        compared=compared(reports, request.now),
        groups=groups(reports) if reports else [],
        shown=shown,
        refused=refused,
        too_many=len(asked) > MOST,
        followed=[name for name in sorted(followed) if name not in shown],
        most=MOST,
    )


def _asked(request: SiteRequest) -> list[str]:
    """The names asked for, each once."""
    texts = ",".join(request.http.query_params.getlist("d"))[:_NAME_CHARS].replace(" ", ",").split(",")
    return list(dict.fromkeys(text.strip().lower() for text in texts if text.strip()))
