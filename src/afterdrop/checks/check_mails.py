"""Mails about finished checks, for accounts that want them: one for a single check, one for a whole batch."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from afterdrop.catalogue.life_line import mail_life
from afterdrop.checks import batch
from afterdrop.checks.batch import batch_page
from afterdrop.checks.order import check_page
from afterdrop.checks.store import CheckRow
from afterdrop.delivery.mail import message
from afterdrop.delivery.mail.message import MailButton, MailDomain, mail_figures
from afterdrop.delivery.mail.store import MailContext, MailDraft, queue_mails
from afterdrop.review.history.life import packed, stored_life
from afterdrop.scoring.conclusion import Conclusion, Level, flag_said, gravest, has_score, verdict_beside


async def mail_finished(
    conn: AsyncConnection, mail_context: MailContext, row: CheckRow, now: datetime
) -> None:
    """Mail the owner of a check that has just finished or failed: at once, or when the last of its batch has."""
    owner = await batch.owner_to_mail(conn, row["account_id"])
    if owner is None:
        return
    frame = mail_context.notification(row["account_id"], "checks", owner.zone, now)
    batches = await batch.batches_with(conn, row)
    finished = [(batch_id, rows) for batch_id, rows in batches if rows]
    site = mail_context.site_url
    if not batches:
        finished = [("", [row])]
    for batch_id, rows in finished:
        told = [mail_check(row, check_page(row["id"], site), now) for row in rows]
        mail = message.checks(frame, told, batch_page(batch_id, site) if batch_id else told[0].report_url)
        occasion = f"checked:{batch_id or row['id']}"
        draft = MailDraft(owner.email, mail, row["account_id"], occasion)
        await queue_mails(conn, [draft], now)


def mail_check(row: CheckRow, url: str, now: datetime) -> MailDomain:
    """A finished check as mails show it: what it concluded, the figures and the flags."""
    report: Mapping[str, Any] = row["report"] or {}
    concluded: Conclusion = report["conclusion"] if report else "unknown"
    levels: Mapping[str, Level] = report.get("flag_levels") or {}
    reasons = row["reject_reasons"] or ["Rejected for spam."]
    failed = row["status"] == "failed"
    return MailDomain(
        name=row["domain"],
        report_url=url,
        title="The check failed, and its credit has been returned." if failed else report.get("title"),
        score=row["score"] if has_score(concluded) else None,
        verdict=verdict_beside(concluded),
        severity=gravest(concluded, levels.values()),
        rejected=reasons[0] if concluded == "rejected" else None,
        figures=mail_figures(report.get("metrics") or {}),
        flags=tuple(flag_said(flag, level) for flag, level in levels.items()),
        offer="",
        place="",
        deadline="",
        due_at=None,
        button=MailButton("Open the check", url),
        life=mail_life(packed(stored_life(report.get("history"))), now),
    )
