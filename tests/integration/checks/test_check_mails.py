"""Mails about finished checks: only to those who want them, one a batch, each once, and spam looks like spam."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.accounts import members
from afterdrop.accounts.secret_box import SecretBox
from afterdrop.accounts.store import change_account
from afterdrop.checks.batch import BatchOrder, order_batch
from afterdrop.checks.check_mails import mail_finished
from afterdrop.checks.order import order_check
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import mails
from afterdrop.delivery.mail.store import MailContext
from tests.integration.checks.conftest import Bench
from tests.integration.checks.test_working import work, worker_context
from tests.support import TEST_SECRET, told_reports
from tests.support.rows import NOW, PRO

SETTINGS = Settings()
MAIL = MailContext.of(SETTINGS, SecretBox((TEST_SECRET,)))


@pytest.fixture
async def owner(database: Database) -> int:
    """An account that wants mails about its checks."""
    async with database.write() as conn:
        new = members.NewAccount("me@members.example", verified=True)
        account = await members.create_account(conn, new, now=NOW, welcome=9)
        await change_account(conn, account.id, mail_checks=True)
    return account.id


async def _order(database: Database, owner: int, domain: str) -> str:
    async with database.write() as conn:
        return (await order_check(conn, owner, domain, allowance=0, now=NOW)).check["id"]


async def _batch(database: Database, owner: int, names: Sequence[str]) -> str:
    viewer = type(PRO)(owner, "pro")
    async with database.write() as conn:
        order = BatchOrder(viewer, names, 9, 0)
        return (await order_batch(conn, order, NOW, SETTINGS)).id


async def _finish(database: Database, domain: str, **values: Any) -> None:
    """End a check as a worker does, and mail its owner in the same transaction."""
    changes = {"status": "done", "slot": None, "finished_at": NOW, **values}
    async with database.write() as conn:
        changed = sa.update(checks).where(checks.c.domain == domain).values(**changes).returning(*checks.c)
        row: Any = dict((await conn.execute(changed)).mappings().one())
        await mail_finished(conn, MAIL, row, NOW)


async def _mails(database: Database) -> list[Any]:
    async with database.read() as conn:
        return list((await conn.execute(sa.select(mails).order_by(mails.c.id))).mappings())


async def test_a_single_check_is_mailed_with_what_it_concluded(database: Database, owner: int) -> None:
    check_id = await _order(database, owner, "casino.com")
    values = told_reports.check_values(told_reports.casino(), "casino.com")
    wanted = ("score", "verdict", "would_list", "reject_reasons", "report")
    await _finish(database, "casino.com", **{name: values[name] for name in wanted})
    [mail] = await _mails(database)
    assert (mail["kind"], mail["recipient"]) == ("checks", "me@members.example")
    assert mail["subject"] == "casino.com: rejected for spam"
    assert f"/checks/{check_id}" in mail["text"]
    assert "REJECTED" in mail["text"]
    assert str(values["score"]) + " of 100" not in mail["text"]
    assert "/unsubscribe/" in mail["headers"]["List-Unsubscribe"]


async def test_a_batch_is_mailed_once_when_its_last_check_has_ended(database: Database, owner: int) -> None:
    await _order(database, owner, "earlier.com")
    batch_id = await _batch(database, owner, ["earlier.com", "a.com", "b.com"])
    await _finish(database, "a.com", score=71, verdict="ok", report={"conclusion": "clean", "metrics": {}})
    await _finish(database, "b.com", status="failed")
    assert await _mails(database) == []
    await _finish(database, "earlier.com", score=None, report={"conclusion": "unknown", "metrics": {}})
    [mail] = await _mails(database)
    assert mail["subject"] == "Your 3 checks have finished"
    assert f"/checks/batch/{batch_id}" in mail["text"]
    assert "a.com – 71 of 100" in mail["text"]
    assert "its credit has been returned" in mail["text"]
    assert "earlier.com – not enough data" in mail["text"]
    await _finish(database, "a.com", score=71, report={"conclusion": "clean", "metrics": {}})
    assert len(await _mails(database)) == 1


async def test_two_last_checks_at_once_make_one_mail(database: Database, owner: int) -> None:
    await _batch(database, owner, ["a.com", "b.com", "c.com", "d.com"])
    report = {"conclusion": "clean", "metrics": {}}
    await asyncio.gather(
        *(_finish(database, f"{name}.com", score=70, verdict="ok", report=report) for name in "abcd")
    )
    assert len(await _mails(database)) == 1


async def test_nobody_is_mailed_unasked(database: Database, owner: int) -> None:
    async with database.write() as conn:
        await change_account(conn, owner, mail_checks=False)
    await _order(database, owner, "a.com")
    await _finish(database, "a.com", score=70, report={"conclusion": "clean", "metrics": {}})
    assert await _mails(database) == []


async def test_the_worker_mails(bench: Bench) -> None:
    async with bench.database.write() as conn:
        await change_account(conn, bench.account, mail_checks=True)
    await bench.order(bench.named("live_bid"))
    async with worker_context(bench) as context:
        await work(context)
    [mail] = await _mails(bench.database)
    assert mail["kind"] == "checks"
    assert "of 100" in mail["text"]
