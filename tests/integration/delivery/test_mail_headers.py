"""What rule names, titles and addresses say stays what it says: no header, recipient or body comes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sqlalchemy as sa

from afterdrop.core.settings import Mail
from afterdrop.db.tables.delivery import mails as table
from afterdrop.delivery.mail import message, store
from afterdrop.delivery.mail.message import MailFrame, MailMessage, MatchedDomain
from afterdrop.delivery.mail.store import MailDraft
from afterdrop.delivery.mail.worker import mail_queue
from afterdrop.watching.notices import mail_domain
from tests.support.mail_texts import DOMAIN, MAIL_TEXTS
from tests.support.mailserver import Server, mailserver
from tests.support.world import World

HEADERS = {
    "from", "to", "subject", "date", "message-id", "auto-submitted", "mime-version", "content-type",
    "list-unsubscribe", "list-unsubscribe-post",
}  # fmt: skip


async def delivered(world: World, drafts: list[MailDraft]) -> Server:
    """What a real mail server took of these mails."""
    async with world.database.write() as conn:
        await store.queue_mails(conn, drafts, world.now)
    async with mailserver() as server:
        given = Mail(host="127.0.0.1", port=server.port, security="none", sender="Drops <d@drops.example>")
        world.context = replace(world.context, settings=world.settings.model_copy(update={"mail": given}))
        await world.work(mail_queue(world.context))
    return server


def letters(text: str) -> list[MailMessage]:
    """Mails with a stranger's text wherever one may stand."""
    letter = MailFrame(text, "https://drops.example", "UTC", "https://drops.example/unsubscribe/abc")
    domain = {**DOMAIN, "domain": "xn--bcher-kva.de", "title": text}
    made = [
        message.instant_matches(letter, [MatchedDomain(mail_domain(domain), [text])]),
        message.digest(letter, [MatchedDomain(mail_domain(domain), [text, text])]),
        message.verification(letter, "https://drops.example/verify/t"),
    ]
    # Older rows, and whatever a later release puts into a subject as it came.
    return [*made, replace(made[0], subject=text)]


@pytest.mark.parametrize("text", MAIL_TEXTS)
async def test_no_header_recipient_or_body_comes_of_a_text(world: World, text: str) -> None:
    drafts = [MailDraft("a@members.example", made, None) for made in letters(text)]
    server = await delivered(world, drafts)
    assert len(server.taken) == len(drafts), [row["error"] for row in await world.mails()]
    for taken in server.taken:
        mail = taken.mail
        assert taken.recipients == ["a@members.example"]
        assert {name.lower() for name in mail} <= HEADERS
        assert [address.addr_spec for address in mail["To"].addresses] == ["a@members.example"]
        assert [address.addr_spec for address in mail["From"].addresses] == ["d@drops.example"]
        assert len(mail["Subject"].splitlines()) <= 1
        assert mail.get_content_type() == "multipart/alternative"
        assert [part.get_content_type() for part in mail.walk()][1:] == [
            *("text/plain", "multipart/related", "text/html", "image/png")
        ]


async def test_a_row_that_cannot_be_composed_fails_alone(world: World) -> None:
    words = message.verification(MailFrame("Afterdrop", "https://drops.example"), "https://drops.example/v/t")
    async with world.database.write() as conn:
        drafts = [MailDraft(to, words, None) for to in ("a@b.example", "broken", "c@b.example")]
        await store.queue_mails(conn, drafts, world.now)
        await conn.execute(sa.update(table).where(table.c.recipient == "broken").values(recipient="a\\@"))
    server = await delivered(world, [])
    assert sorted(to for taken in server.taken for to in taken.recipients) == ["a@b.example", "c@b.example"]
    first, broken, last = await world.mails()
    assert (first["status"], last["status"]) == ("sent", "sent")
    assert broken["status"] == "failed", "it would be no other mail at another time"
    assert broken["due_at"] is None
    assert broken["error"].startswith("the mail cannot be composed")


async def test_an_address_from_before_that_is_an_encoded_word_gets_nothing(world: World) -> None:
    words = message.verification(MailFrame("Afterdrop", "https://drops.example"), "https://drops.example/v/t")
    old = "=?utf-8?q?a=0d=0abcc=3a_x=40y=2eexample=0d=0a=0d=0abody?=@b.example"
    server = await delivered(world, [MailDraft(old, words, None)])
    assert server.taken == [], "mail servers decode it in the envelope, too"
    [row] = await world.mails()
    assert (row["status"], row["due_at"]) == ("failed", None)
    assert "encoded word" in row["error"]
