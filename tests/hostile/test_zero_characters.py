"""A zero character in every text that a source, a server or a client can send is never stored, and stops nothing.

Feeds have tests of their own (`tests/integration/feeds/test_odd_texts.py`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.schema import Instant
from afterdrop.db.tables import metadata
from afterdrop.delivery.mail import store
from afterdrop.delivery.mail.message import MailFrame, verification
from afterdrop.delivery.mail.smtp import SmtpResult
from afterdrop.delivery.mail.store import MailDraft
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.http.client import Fetched, Fetcher
from afterdrop.sandbox import start
from afterdrop.scan.run import run_scan
from tests.support.mcp_client import call
from tests.support.rows import NOW, row
from tests.support.sandboxes import context_for, outcomes
from tests.support.service import Service, clock, more_settings, service
from tests.support.world import World

__all__ = ["clock", "more_settings", "service"]  # fixtures


def spoiled(value: Any) -> Any:
    """A JSON value with a zero at the end of every text that is no name, date, word or address of a protocol."""
    if isinstance(value, dict):
        return {key: spoiled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item) for item in value]
    return f"{value}\0" if isinstance(value, str) and " " in value.strip() else value


def spoil(fetched: Fetched) -> Fetched:
    """The same answer with zeros in its texts: in those of JSON, and before every closing tag of a page."""
    kind = fetched.headers.get("Content-Type", "")
    if "json" in kind:
        body = orjson.dumps(spoiled(orjson.loads(fetched.body)))
    elif "html" in kind:
        body = fetched.body.replace(b"</", b"\0</").replace(b'content="', b'content="\0')
    else:
        return fetched
    return replace(fetched, body=body)


async def stored(database: Database) -> str:
    """Every row of every table, as text; the bytes of kept answers are no text."""
    rows = []
    async with database.read() as conn:
        for table in metadata.sorted_tables:
            columns = [each for each in table.columns if not isinstance(each.type, sa.LargeBinary)]
            rows += [(table.name, *row) for row in await conn.execute(sa.select(*columns))]
    return repr(rows)


def sample(column: sa.Column[Any], taken: dict[str, Any]) -> Any:
    """A value of the column's type; texts and JSON have a zero."""
    for key in column.foreign_keys:
        return taken[str(key.column)]
    kind = column.type
    if isinstance(kind, Instant):
        return NOW
    if isinstance(kind, sa.JSON):
        return {"a\0": ["b\0", {"c": "\0"}]}
    if isinstance(kind, sa.String):
        return "\0" if kind.length and kind.length < 9 else f"{column.name[:8]}\0"
    if isinstance(kind, sa.Boolean):
        return False
    return b"\0" if isinstance(kind, sa.LargeBinary) else 1


async def test_every_text_column_of_every_table_takes_a_zero(database: Database) -> None:
    taken: dict[str, Any] = {}
    texts = 0
    async with database.write() as conn:
        for table in metadata.sorted_tables:
            values = {column.name: sample(column, taken) for column in table.columns}
            await conn.execute(sa.insert(table).values(values))
            taken |= {str(column): values[column.name] for column in table.columns}
            texts += sum("\0" in str(value) for value in values.values())
    assert texts > 120
    kept = await stored(database)
    assert "\\x00" not in kept and "\\u0000" not in kept
    assert kept.count("\ufffd") >= texts - 4, "all but bytes"


async def test_sources_that_send_zeros_stop_no_scan(
    database: Database, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, changed = Fetcher._send, 0

    async def send_zeros(self: Fetcher, *given: Any) -> Fetched:
        nonlocal changed
        fetched = await send(self, *given)
        changed += (made := spoil(fetched)).body != fetched.body
        return made

    monkeypatch.setattr(Fetcher, "_send", send_zeros)
    async with start(3, 25) as running, context_for(running, database, tmp_path, database_url) as context:
        result = await run_scan(context)
    assert changed > 20, "pages of the archive and answers in JSON"
    assert result["passed_authority_filter"] > 0
    assert "published" in (found := (await outcomes(database)).values()) and "failed" not in found
    kept = await stored(database)
    assert "\\x00" not in kept and "\\u0000" not in kept


async def test_a_mail_servers_reply_with_a_zero_is_told(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(database, settings)

    async def refuse(*given: object) -> SmtpResult:
        return SmtpResult("refused", "the mail server answered 550: no\0such user")

    monkeypatch.setattr("afterdrop.delivery.mail.worker.send_mail", refuse)
    mail = world.settings.mail.model_copy(update={"host": "127.0.0.1"})
    world.context = replace(world.context, settings=world.settings.model_copy(update={"mail": mail}))
    words = verification(MailFrame("Afterdrop", "https://drops.example"), "https://drops.example/verify/t")
    async with database.write() as conn:
        await store.queue_mails(conn, [MailDraft("a@members.example", words, None)], world.now)
    await world.work(mail_queue(world.context))
    [mailed] = await world.mails()
    assert (mailed["status"], mailed["error"]) == (
        "failed",
        "the mail server answered 550: no\ufffdsuch user",
    )


NAME, ZEROS = "kettle.com", "a\0b"
TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("write_note", {"domain": NAME, "note": ZEROS}),
    ("tag_domains", {"domains": [NAME], "tag": ZEROS}),
    ("untag_domains", {"domains": [NAME], "tag": ZEROS}),
    ("list_tagged", {"tags": [ZEROS]}),
    ("create_rule", {"name": ZEROS}),
    ("create_rule", {"name": "rule", "keywords": [ZEROS]}),
    ("watch_domain", {"domain": ZEROS}),
    ("search_domains", {"q": ZEROS}),
]
REQUESTS: list[tuple[str, str, Any]] = [
    ("POST", "/alerts", {"name": ZEROS}),
    ("POST", "/alerts", {"name": "rule", "keywords": [ZEROS], "topics": [ZEROS], "tlds": [ZEROS]}),
    ("POST", "/webhooks", {"url": f"https://hooks.example.org/{ZEROS}", "events": ["alert.matched"]}),
    ("POST", "/checks", {"domain": ZEROS}),
    ("GET", "/domains?q=a%00b&topic=%00&tld=%00&lang=%00", None),
    ("GET", "/domains/a%00b.com", None),
]


async def test_a_client_that_sends_zeros_is_answered_and_stores_none(service: Service) -> None:
    await service.show(row(NAME))
    for tool, arguments in TOOLS:
        error = (await call(service, tool, **arguments)).structured_content or {}
        assert error.get("error", {}).get("code") != "server_error", (tool, error)
    for method, path, body in REQUESTS:
        answer = await service.ask(method, path, json=body)
        assert answer.status_code < 500, (path, answer.text)
    kept = await stored(service.database)
    assert "\\x00" not in kept and "\\u0000" not in kept
