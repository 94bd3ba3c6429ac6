"""The result of a check: the judgement for its owner, and the report as its owner or a visitor may see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.accounts.account import Account, Viewer
from afterdrop.catalogue.judged_columns import judged_columns, review_columns
from afterdrop.catalogue.listings import shown_at
from afterdrop.catalogue.placement import shown_price
from afterdrop.catalogue.report import CheckedColumns, check_report
from afterdrop.catalogue.rows import DomainRow, StoredReport
from afterdrop.catalogue.shapes import CheckReport, ReportRegistration
from afterdrop.catalogue.store import visible_domain
from afterdrop.catalogue.summary import Links
from afterdrop.checks.order import check_page
from afterdrop.checks.store import CheckResult, CheckRow
from afterdrop.core.json_shapes import instant
from afterdrop.review.history.domain_history import History
from afterdrop.review.history.life import packed, stored_life
from afterdrop.scoring.judge import Judgement, judge
from afterdrop.sources.metrics.store import metrics_of
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.webgraph.table import PROVIDER as LINK_RANKS


@dataclass(frozen=True, slots=True)
class OwnersJudgement:
    """The judgement for the check's owner, and the domain's row where it is listed for them: then its price counts."""

    judgement: Judgement
    listed: DomainRow | None


async def judge_for_owner(
    conn: AsyncConnection, account: Account, history: History, now: datetime
) -> OwnersJudgement:
    """Judge a reviewed domain on what the check's owner may know of it."""
    viewer = account.viewer(now)
    seen = await visible_domain(conn, history.domain, viewer, now)
    listed = None if seen is None else shown_at(seen.row, now)
    known = await metrics_of(conn, history.domain)
    price = None if listed is None else shown_price(listed["type"], listed["price_usd"])
    return OwnersJudgement(judge(history, known, price, now), listed)


def result_of(
    row: CheckRow,
    account: Account,
    judged: OwnersJudgement,
    answer: RegistryAnswer,
    links: Links,
    now: datetime,
) -> CheckResult:
    """The result of the check, as its owner may see it."""
    record, judgement = answer.record, judged.judgement
    report = report_of(judgement, answer, judged.listed, account.viewer(now), links, now)
    if judged.listed is None:  # the site has no page of a domain that is not published
        report["report_url"] = check_page(row["id"], links.site_url)
    return CheckResult(
        score=report["score"],
        verdict=report["verdict"],
        would_list=not judgement.refusals,
        reject_reasons=judgement.reject_reasons,
        report=report,
        registration={
            "state": answer.state,
            "registrar": record.registrar,
            "registered_at": instant(record.registered_at),
            "expires_at": instant(record.expires_at),
            "statuses": None if answer.state == "unknown" else list(record.statuses),
        },
    )


def report_of(
    judgement: Judgement,
    answer: RegistryAnswer,
    listed: DomainRow | None,
    viewer: Viewer,
    links: Links,
    now: datetime,
) -> CheckReport:
    """The report of a judged domain as `viewer` may see it; `listed` is its row where it is listed for them.

    Of any other name the times are the report's own: when its pages were read and its figures asked for would tell of
    somebody else's check, or of a scan.
    """
    history, columns = judgement.history, judged_columns(judgement)
    if listed is None:
        columns["report"] = _at_its_own_time(columns["report"], instant(now))
    checked: CheckedColumns = {
        "domain": history.domain,
        **review_columns(history),
        "life": packed(stored_life(columns["report"]["history"])),
        **columns,
    }
    # The registry's answer in the shape of a report's `registration`.
    record, available = answer.record, answer.state == "available"
    registered: ReportRegistration = {
        "availability": answer.state,
        "checked_at": instant(now),
        "available_since": None,
        "register_url": links.register(history.domain) if available else None,
        "registrar": record.registrar,
        "registered_at": instant(record.registered_at),
        "expires_at": instant(record.expires_at),
        "caught_after_drop": False,
    }
    report = check_report(checked, listed, registered, viewer, now, links)
    if judgement.learned_nothing:  # missing values are null, never zero
        report["score"] = report["verdict"] = None
    return report


def _at_its_own_time(report: StoredReport, at: str) -> StoredReport:
    """A report without the times at which the service learnt what it says; a table of link ranks has a public date."""
    asked = dict(report["score_inputs"])
    for part, given in asked.items():
        if given.get("source", LINK_RANKS) != LINK_RANKS:
            asked[part] = {**given, "at": at}
    facts = dict(report["fact_sources"])
    for member, fact in facts.items():
        facts[member] = {**fact, "at": at}
    changed: StoredReport = {**report, "score_inputs": asked, "fact_sources": facts}
    day = at[:10]
    if (counted := report["links_today"]) is not None:
        changed["links_today"] = {**counted, "looked_at": day}
    if (links := report["links"]) is not None:
        changed["links"] = [
            {**link, "today": {**link["today"], "looked_at": day}} if link["today"] else link
            for link in links
        ]
    if (history := report["history"]) is not None:
        changed["history"] = {**history, "reviewed_at": at}
    return changed
