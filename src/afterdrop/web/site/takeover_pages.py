"""The takeover of a name: the old and the new site, for its followers, operators, and readers of a share link.

The pages that were read are strangers' and may be hostile: what is shown of them is text, and the record of one is a
download for members alone. Operators see the evidence, say which verdicts are right, and see the counts.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, cast, get_args

from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import Response

from afterdrop.accounts.account import Account
from afterdrop.catalogue import store as catalogue
from afterdrop.catalogue import visits
from afterdrop.catalogue.visits import Label
from afterdrop.review.history.after_life import AfterLifeKind
from afterdrop.review.history.life import stored_life, story
from afterdrop.sources.live.warc_record import evidence_dir, record_path
from afterdrop.watching import store, takeover_words, takeovers
from afterdrop.web.problems import Invalid, not_found, plan_required
from afterdrop.web.site.forms import whole_number
from afterdrop.web.site.site_request import SiteRequest, attachment
from afterdrop.web.strict_input import path_domain

KINDS: Final = get_args(AfterLifeKind)
_NEWEST: Final = 50
_PRO: Final = "The takeover of a name is part of Pro."


async def takeover_page(request: SiteRequest) -> Response:
    """The pages at a followed name one after the other, since it got a new holder."""
    name = await _allowed(request)
    async with request.context.database.read() as conn:
        rows = (await visits_of(conn, request.member, [name])).get(name, [])
        _, report = await catalogue.report(conn, name, request.viewer, request.now, request.context.links)
    history = report["history"] if report and report["detail"] == "full" else None
    return shown(request, name, rows, before=story(stored_life(history)))


def shown(
    request: SiteRequest, name: str, rows: list[visits.VisitRow], token: str = "", before: str = ""
) -> Response:
    """The page of these visits, the newest first; with `token` as the link of that token shows it.

    `before` tells of the sites of earlier owners.
    """
    zone = request.zone
    lines = [(row, takeover_words.status_sentence(at, row, zone)) for at, row in takeover_words.spans(rows)]
    passed = takeover_words.passed(rows[0], zone) if rows else ""
    days = request.context.settings.live.evidence_days
    values = {"name": name, "told": lines, "visits": rows, "passed": passed, "before": before}
    return request.page("takeover.html", **values, token=token, days=days)


async def evidence(request: SiteRequest) -> Response:
    """The WARC record of a visit's page, as a download. Only operators are led to it; events name it by its hash."""
    name, wanted = await _allowed(request), request.http.path_params["record"]
    async with request.context.database.read() as conn:
        rows = (await visits_of(conn, request.member, [name])).get(name, [])
    if wanted not in {row["evidence"] for row in rows}:
        raise not_found("No such page was kept of this name.")
    path = record_path(evidence_dir(request.context.settings), wanted)
    try:
        record = await asyncio.to_thread(path.read_bytes)
    except FileNotFoundError:
        raise not_found("This page is not kept on this machine, or not any more.") from None
    return attachment(record, "application/gzip", f"{name}-{wanted[:12]}.warc.gz")


async def say(request: SiteRequest) -> Response:
    """An operator says that a visit's verdict is right or wrong, or takes that back."""
    if not request.member.operator:
        raise not_found("This page does not exist.")
    name, form = path_domain(request.http.path_params["domain"], request.sale_zones), request.form
    label = form.text("label")
    if label not in ("right", "wrong", ""):
        raise Invalid({"label": ["say right or wrong"]})
    began = datetime.fromtimestamp(min(whole_number(form.text("began")), 2**33), UTC)
    async with request.context.database.write() as conn:
        verdict = cast(Label, label) if label else None
        if not await visits.put_label(
            conn, name, began, whole_number(form.text("day")), verdict, request.now
        ):
            raise not_found("No such visit is kept.")
    return request.redirect(f"/domains/{name}/takeover")


async def counts(request: SiteRequest) -> Response:
    """For operators: what became of the names that we listed and rejected, by their last visits; the newest visits."""
    asked = request.http.query_params
    kind = cast(AfterLifeKind, asked["kind"]) if asked.get("kind") in KINDS else None
    ours = asked.get("ours", "")[:32] or None
    async with request.context.database.read() as conn:
        totals = await visits.counts(conn)
        rows = await visits.newest(conn, ours, kind, _NEWEST)
    table: dict[str, dict[str, int]] = defaultdict(dict)
    for outcome, what, count in totals:
        table[outcome or ""][what] = count
    newest = [(row, takeover_words.status_phrase(row)) for row in rows]
    live = request.context.settings.live
    return request.page(
        "admin_takeovers.html", table=table, kinds=KINDS, newest=newest, ours=ours, kind=kind, on=live.visits
    )


async def visits_of(
    conn: AsyncConnection, account: Account, names: Sequence[str]
) -> dict[str, list[visits.VisitRow]]:
    """The visits of these names that the account may read, by name, the newest first; others are left out."""
    if account.operator:
        rows = await visits.of_names(conn, names)
    else:
        rows = await takeovers.read_by(conn, account.id, names)
    by_name: dict[str, list[visits.VisitRow]] = defaultdict(list)
    for row in rows:
        by_name[row["domain"]].append(row)
    return by_name


async def _allowed(request: SiteRequest) -> str:
    """The name in the address, where the member may read what became of it. Raises `not_found` and `plan_required`."""
    name = path_domain(request.http.path_params["domain"], request.sale_zones)
    if request.member.operator:
        return name
    async with request.context.database.read() as conn:
        follows = await store.watches_domain(conn, request.member.id, name)
    if not follows:
        raise not_found("You do not follow this name. Follow it to read what becomes of it.")
    if request.plan != "pro":
        raise plan_required(_PRO)
    return name
