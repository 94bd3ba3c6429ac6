"""Mails from row to mail server: headers, retries, refusals, encryption, and mails kept without a server."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from psycopg.errors import DeadlockDetected
from typer.testing import CliRunner, Result

from afterdrop.accounts import tokens
from afterdrop.accounts.store import account_by_id
from afterdrop.cli.commands import app
from afterdrop.core.settings import Mail, Settings
from afterdrop.db.leases import Claim
from afterdrop.db.tables.accounts import accounts
from afterdrop.db.tables.delivery import mails as table
from afterdrop.delivery.mail import smtp, store
from afterdrop.delivery.mail.message import MailFrame, MailMessage, Topic, verification
from afterdrop.delivery.mail.smtp import SmtpResult, compose, send_mail
from afterdrop.delivery.mail.store import MailContent, MailContext, MailDraft
from afterdrop.delivery.mail.worker import MAIL_WAITS, mail_queue
from afterdrop.worker.pruning import prune
from tests.support.mailserver import mailserver
from tests.support.receivers import server_tls
from tests.support.rows import DAY, NOW
from tests.support.world import World

WORDS = verification(MailFrame("Afterdrop", "https://drops.example"), "https://drops.example/verify/tökén")
NAME = "drops.example"
TOKEN_LINE = "https://drops.example/unsubscribe/" + "t" * 180


def notification() -> MailMessage:
    """A mail that can be unsubscribed from."""
    return replace(WORDS, topic="alerts", unsubscribe_url=TOKEN_LINE)


def serve(world: World, port: int, sender: str = "Dröps <drops@drops.example>", **more: Any) -> None:
    """Use this mail server."""
    given = Mail(host="127.0.0.1", port=port, security="none", sender=sender, **more)
    world.context = replace(world.context, settings=world.settings.model_copy(update={"mail": given}))


async def write(
    world: World, recipient: str = "a@members.example", words: MailMessage = WORDS, **more: Any
) -> None:
    """Queue a mail."""
    async with world.database.write() as conn:
        await store.queue_mails(conn, [MailDraft(recipient, words, None, **more)], world.now)


async def send(world: World) -> dict[str, Any]:
    """Send the mails that are due; gives the newest mail's row."""
    await world.work(mail_queue(world.context))
    return (await world.mails())[-1]


async def test_a_mail_leaves_a_sender_with_a_unicode_host(world: World) -> None:
    await write(world)
    site = Settings(site_url="https://bücher.example").site_url
    world.settings = world.settings.model_copy(update={"site_url": site})
    async with mailserver() as server:
        serve(world, server.port, sender="Dröps <drops@bücher.example>")
        row = await send(world)
    assert (row["status"], row["error"]) == ("sent", None)
    [taken] = server.taken
    assert taken.sender == "drops@xn--bcher-kva.example"
    assert taken.mail["From"] == "Dröps <drops@xn--bcher-kva.example>"
    assert taken.mail["Message-ID"].endswith("@xn--bcher-kva.example>")


async def test_a_mail_is_handed_over_once_with_text_html_and_headers(world: World) -> None:
    await write(world, words=notification())
    async with mailserver() as server:
        serve(world, server.port)
        row = await send(world)
        await send(world)
    assert (row["status"], row["sent_at"], row["due_at"], row["error"]) == ("sent", world.now, None, None)
    [taken] = server.taken
    assert (taken.sender, taken.recipients) == ("drops@drops.example", ["a@members.example"])
    mail = taken.mail
    assert mail["From"] == "Dröps <drops@drops.example>"
    assert mail["To"] == "a@members.example"
    assert mail["Subject"] == "Confirm your address for Afterdrop"
    assert mail["Date"] == "Fri, 20 Nov 2026 18:00:00 +0000"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["Message-ID"] == f"<{row['id']}.{int(NOW.timestamp())}@127.0.0.1>"
    assert mail["List-Unsubscribe"] == f"<{TOKEN_LINE}>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"List-Unsubscribe: <{TOKEN_LINE}>\r\n".encode() in taken.raw, "in one piece, as RFC 8058 wants it"
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert html is not None
    assert "tökén" in text.get_content()
    assert "<html" in html.get_content()
    assert taken.raw.isascii()


async def test_an_occasion_gets_one_mail(world: World) -> None:
    await write(world, occasion="once")
    await write(world, occasion="once")
    await write(world)
    await write(world)
    assert len(await world.mails()) == 3


async def test_a_4xx_is_tried_again_and_a_5xx_recorded(world: World) -> None:
    async with mailserver() as server:
        serve(world, server.port)
        await write(world, "later@members.example")
        row = await send(world)
        assert (row["status"], row["error"]) == ("pending", "the mail server answered 451: 4.3.0 busy")
        assert 60 <= (row["due_at"] - world.now).total_seconds() <= 66
        world.move(seconds=30)
        assert (await send(world))["attempts"] == 1, "not before its time"
        await write(world, "refused@members.example")
        row = await send(world)
        assert (row["status"], row["due_at"]) == ("failed", None)
        assert row["error"] == "the mail server answered 550: 5.1.1 no such user"
        server.replies["DATA"] = "554 5.7.1 spam"
        await write(world)
        row = await send(world)
        assert (row["status"], row["error"]) == ("failed", "the mail server answered 554: 5.7.1 spam")
        server.replies["DATA"] = "452 4.2.2 full"
        await write(world)
        assert (await send(world))["status"] == "pending"
    assert server.taken == []


async def test_mails_survive_a_server_that_is_down_for_a_day_and_then_fail(world: World) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        serve(world, taken.getsockname()[1])
        await write(world)
        for _ in MAIL_WAITS:
            row = await send(world)
            assert row["status"] == "pending"
            world.now = row["due_at"]
        assert world.now - NOW > DAY
        row = await send(world)
    assert (row["status"], row["attempts"]) == ("failed", len(MAIL_WAITS) + 1)
    assert "did not take it" in row["error"]


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_encryption_is_required_and_an_unknown_certificate_refused(
    security: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = server_tls(tmp_path, "localhost")
    given = {"host": "localhost", "security": security, "sender": "a@drops.example"}
    implicit = context if security == "tls" else None
    async with mailserver(tls=implicit, starttls=None if implicit else context) as server:
        settings = Mail.model_validate({**given, "port": server.port})
        handed = await send_mail(settings, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n")
        assert handed.result == "later"
        assert server.taken == []
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
        assert await send_mail(settings, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n") == SmtpResult(
            "sent"
        )
        assert server.taken[0].encrypted


async def test_a_server_without_starttls_gets_no_mail() -> None:
    async with mailserver() as server:
        settings = Mail(host="127.0.0.1", port=server.port, security="starttls", sender="a@drops.example")
        handed = await send_mail(settings, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n")
    assert handed.result == "later"
    assert handed.error is not None
    assert "STARTTLS" in handed.error
    assert server.taken == []


async def test_a_wrong_password_fails_no_mail() -> None:
    async with mailserver(sign_in=True) as server:
        settings = Mail(
            host="127.0.0.1",
            port=server.port,
            security="none",
            sender="a@drops.example",
            user="user",
            password="no",
        )
        handed = await send_mail(settings, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n")
        assert handed == SmtpResult("later", "the mail server refused user and password (535)")
        right = settings.model_copy(update={"password": "secret"})
        assert await send_mail(right, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n") == SmtpResult(
            "sent"
        )


@pytest.mark.parametrize("command", ["EHLO", "MAIL", "RCPT"])
async def test_a_server_that_wants_full_names_gets_the_mail(world: World, command: str) -> None:
    async with mailserver() as server:
        server.full_name_at = command
        serve(world, server.port)
        await write(world)
        assert (await send(world))["status"] == "sent"
    assert server.heard[0] == "EHLO [127.0.0.1]"


@pytest.mark.parametrize("command", ["EHLO", "MAIL", "RCPT"])
async def test_a_mail_waits_while_the_server_refuses_our_name(world: World, command: str) -> None:
    async with mailserver() as server:
        server.replies[command] = "504 5.5.2 <[127.0.0.1]>: not a full name"
        serve(world, server.port)
        await write(world)
        row = await send(world)
        assert (row["status"], row["error"][:31]) == ("pending", "the mail server answered 504: 5")
        world.now = row["due_at"]
        server.replies.clear()
        serve(world, server.port, ehlo_name="drops.example")
        assert (await send(world))["status"] == "sent"
    assert "EHLO drops.example" in server.heard


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_the_name_is_said_again_after_encryption(
    security: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = server_tls(tmp_path, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
    given = {"host": "localhost", "security": security, "sender": "a@drops.example"}
    implicit = context if security == "tls" else None
    async with mailserver(tls=implicit, starttls=None if implicit else context) as server:
        settings = Mail.model_validate({**given, "port": server.port})
        handed = await send_mail(settings, NAME, "b@members.example", b"Subject: x\r\n\r\ny\r\n")
    assert handed.result == "sent"
    assert {said for said in server.heard if said[:4] in ("EHLO", "HELO")} == {"EHLO drops.example"}


async def test_a_server_that_wants_to_be_signed_in_to_gets_the_mails_later(world: World) -> None:
    async with mailserver(sign_in=True) as server:
        serve(world, server.port)
        await write(world)
        row = await send(world)
        assert (row["status"], row["error"]) == (
            "pending",
            "the mail server answered 530: 5.7.0 Authentication required",
        )
        world.now = row["due_at"]
        serve(world, server.port, user="user", password="secret")
        assert (await send(world))["status"] == "sent"
    assert len(server.taken) == 1


@pytest.mark.parametrize(
    ("greeting", "words"),
    [
        (b"554 go away\r\n", "554"),
        (b"", "did not take it"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "Malformed"),
        (b"\xff\xfe\x00\r\n", "the mail server"),
    ],
)
async def test_the_mail_waits_whatever_answers_at_the_port(greeting: bytes, words: str) -> None:
    async def talk(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    settings = Mail(host="127.0.0.1", port=port, security="none", sender="a@drops.example")
    handed = await send_mail(settings, NAME, "b@members.example", b"x")
    server.close()
    assert handed.result == "later"
    assert handed.error is not None
    assert words in handed.error


async def test_a_hanging_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smtp, "_SECONDS", 0.2)
    done = asyncio.Event()

    async def talk(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await done.wait()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    settings = Mail(host="127.0.0.1", port=server.sockets[0].getsockname()[1], security="none")
    handed = await send_mail(settings, NAME, "b@members.example", b"x")
    done.set()
    server.close()
    assert handed.result == "later"


def test_a_header_value_cannot_add_a_line() -> None:
    row: MailContent = {
        "id": 1, "created_at": NOW, "recipient": "a@b.example\r\nBcc: x@y.example", "text": "t", "html": None,
        "subject": "Hi\r\nBcc: all@example.org\n\nbody",
        "headers": {"X-A\r\nBcc: q@example.org": "v\r\nBcc: w@example.org"},
    }  # fmt: skip
    raw = compose(row, "Name\r\nBcc: z@y.example <a@b.example>", "drops.example")
    head = raw.partition(b"\r\n\r\n")[0].decode()
    assert not [line for line in head.split("\r\n") if line.lower().startswith("bcc")]


async def test_without_a_mail_server_mails_are_kept(world: World) -> None:
    await write(world)
    row = await send(world)
    assert (row["status"], row["due_at"], row["sent_at"]) == ("kept", None, None)
    async with mailserver() as server:
        serve(world, server.port)
        assert (await send(world))["status"] == "kept", "what was kept is not sent late"


async def test_old_mails_are_pruned_but_not_pending_ones(world: World) -> None:
    await write(world)
    await send(world)
    await write(world)
    world.move(days=14)
    assert (await prune(world.context))["mails"] == 1
    assert [row["status"] for row in await world.mails()] == ["pending"]


async def test_a_worker_killed_while_sending_leaves_its_mail_to_the_next(world: World) -> None:
    await write(world)
    async with world.database.write() as conn:
        await store.claim_due(conn, Claim("dead", world.now, timedelta(seconds=60), 5))
    async with mailserver() as server:
        serve(world, server.port)
        assert (await send(world))["status"] == "pending"
        world.move(seconds=60)
        assert (await send(world))["status"] == "sent"
    assert len(server.taken) == 1


@pytest.mark.parametrize("purpose", ["verify", "reset"])
async def test_mails_with_links_carry_a_token_that_opens(world: World, purpose: Any) -> None:
    account_id = await world.account(verified=False)
    mail_context = MailContext.of(world.settings, world.secret_box)
    async with world.database.write() as conn:
        account = await account_by_id(conn, account_id)
        assert account is not None
        put = store.queue_verification if purpose == "verify" else store.queue_password_reset
        await put(conn, mail_context, account, world.now)
    [mail] = await world.mails()
    [token] = [line for line in mail["text"].splitlines() if f"/{purpose}/" in line]
    token = token.rpartition("/")[2]
    assert tokens.account_id_in(world.secret_box, purpose, token, world.now) == account_id
    assert mail["headers"] == {}


@pytest.mark.parametrize(
    ("topic", "off"),
    [
        ("alerts", {"mail_alerts"}),
        ("watches", {"mail_watches", "mail_rule_reminders"}),
        ("weekly", {"mail_weekly"}),
        ("checks", {"mail_checks"}),
    ],
)
async def test_one_click_unsubscribes_from_one_topic(world: World, topic: Topic, off: set[str]) -> None:
    account = await world.account(mail_rule_reminders=True, mail_checks=True)
    mail_context = MailContext.of(world.settings, world.secret_box)
    url = mail_context.notification(account, topic, "UTC", world.now).unsubscribe_url
    assert url is not None
    assert url.startswith(f"{world.settings.site_url}/unsubscribe/")
    token = url.rpartition("/")[2]
    read = store.read_token(world.secret_box, token, world.now)
    assert read == (account, topic)
    for _ in range(2):
        async with world.database.write() as conn:
            assert await store.unsubscribe(conn, *read)
    [row] = [dict(row) for row in await world.rows(accounts)]
    switches = ("mail_alerts", "mail_watches", "mail_rule_reminders", "mail_checks", "mail_weekly")
    assert {name for name in switches if not row[name]} == off
    assert store.read_token(world.secret_box, token, world.now + 401 * DAY) is None
    for forged in (
        token[:-1],
        "",
        "x",
        world.secret_box.sign("unsubscribe from mails", [account, "all", 2**40]),
    ):
        assert store.read_token(world.secret_box, forged, world.now) is None
    other = tokens.make_token  # a token of another purpose is no unsubscription
    async with world.database.read() as conn:
        known = await account_by_id(conn, account)
    assert known is not None
    assert (
        store.read_token(world.secret_box, other(world.secret_box, "verify", known, world.now), world.now)
        is None
    )


async def test_a_mail_is_sent_once_though_its_result_is_in_conflict(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = store.settle, 2

    async def settle(*given: Any, **more: Any) -> bool:
        nonlocal left
        kept = await real(*given, **more)
        left -= 1
        if left >= 0:
            raise sa.exc.OperationalError("UPDATE", {}, DeadlockDetected("broken off"))
        return kept

    monkeypatch.setattr(store, "settle", settle)
    await write(world)
    async with mailserver() as server:
        serve(world, server.port)
        assert (await send(world))["status"] == "sent"
    assert len(server.taken) == 1


async def test_the_outbox_command_lists_and_shows(world: World, database_url: str, tmp_path: Path) -> None:
    await write(world, words=replace(WORDS, subject="Evil \x1b[31m subject"))
    await send(world)
    async with world.database.read() as conn:
        [number] = await conn.scalars(sa.select(table.c.id))
    environ = {
        "AFTERDROP_DATABASE_URL": database_url.replace("+psycopg", "").replace("+aiosqlite", ""),
        "AFTERDROP_DATA_DIR": str(tmp_path), "AFTERDROP_SECRET_KEYS": "k" * 40,
    }  # fmt: skip

    def run(*arguments: str) -> Result:
        return CliRunner(env=environ).invoke(app, ["outbox", *arguments])

    listed, lines, shown, as_json, missing = await asyncio.to_thread(
        lambda: (run(), run("--json"), run(str(number)), run(str(number), "--json"), run("999999"))
    )
    assert "kept" in listed.stdout
    assert "\x1b" not in listed.stdout + shown.stdout
    assert "https://drops.example/verify/tökén" in shown.stdout
    assert orjson.loads(lines.stdout)["id"] == number
    assert orjson.loads(as_json.stdout)["recipient"] == "a@members.example"
    assert str(missing.exception) == "outbox: there is no mail with the id 999999"


SECRET = "https://drops.example/reset/only-the-reader-may-have-this"


async def test_a_mail_with_a_sign_in_link_loses_its_text_once_sent(world: World) -> None:
    async with mailserver() as server:
        serve(world, server.port)
        await write(world, words=replace(WORDS, text=SECRET, html=SECRET))
        await write(world, words=replace(notification(), kind="instant_matches"))
        await world.work(mail_queue(world.context))
    assert sorted(b"only-the-reader" in taken.raw for taken in server.taken) == [False, True]
    first, second = await world.mails()
    assert (first["status"], first["text"], first["html"]) == ("sent", store.REMOVED, None)
    assert first["subject"] == WORDS.subject
    assert (second["text"], second["html"]) == (WORDS.text, WORDS.html)
    if world.database.sqlite:
        async with world.database.engine.connect() as conn:
            raw = await conn.get_raw_connection()
            await raw.driver_connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]
            file = Path(str(world.database.engine.url.database))
        assert b"only-the-reader" not in file.read_bytes(), "nothing of it is left in the file"


@pytest.mark.parametrize(
    ("kind", "valid"), [("password_reset", timedelta(hours=2)), ("verification", timedelta(days=7))]
)
@pytest.mark.parametrize("status", ["failed", "kept"])
async def test_an_unsent_mail_loses_its_text_when_the_link_expires(
    world: World, kind: str, valid: timedelta, status: str
) -> None:
    await write(world, words=replace(WORDS, kind=kind, text=SECRET))
    await write(world, words=replace(WORDS, kind="instant_matches", text=SECRET))
    async with world.database.write() as conn:
        await conn.execute(sa.update(table).values(status=status, due_at=None))
    world.now += valid - timedelta(seconds=1)
    assert await prune(world.context) == {}
    world.move(seconds=1)
    assert await prune(world.context) == {"links in mails": 1}
    assert [row["text"] for row in await world.mails()] == [store.REMOVED, SECRET]
    assert await prune(world.context) == {}


async def test_texts_of_sent_mails_are_removed_and_those_of_pending_ones_stay(world: World) -> None:
    await write(world, words=replace(WORDS, text=SECRET))
    await write(world, words=replace(WORDS, text=SECRET))
    async with world.database.write() as conn:
        await conn.execute(
            sa.update(table)
            .where(table.c.id == sa.select(sa.func.min(table.c.id)).scalar_subquery())
            .values(status="sent")
        )
    world.now += 10 * DAY
    assert await prune(world.context) == {"links in mails": 1}
    assert [row["text"] for row in await world.mails()] == [store.REMOVED, SECRET]
