"""`afterdrop doctor`: what it tells of resolvers, mail, files, feeds and sources of metrics."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dnslib import RR, DNSRecord

from afterdrop.cli import doctor
from afterdrop.cli.doctor import (
    check_files,
    check_providers,
    clock_ahead,
    compare_clock,
    fix_files,
    metric_sources,
)
from afterdrop.cli.trials import Trial, heard, probe
from afterdrop.core import clock
from afterdrop.core.settings import Dns, Mail, Provider, Settings
from afterdrop.core.settings_sections import Backup, Operator
from afterdrop.db.engine import Database, database_url
from afterdrop.http.client import open_fetcher
from afterdrop.sandbox import start
from afterdrop.sources.metrics import store
from afterdrop.sources.metrics.provider_files import load_providers
from afterdrop.sources.registry.rdap_answer import Registration, RegistryAnswer
from tests.support import receivers
from tests.support.commands import run_afterdrop
from tests.support.mailserver import mailserver
from tests.support.nameserver import Zone, serving
from tests.support.receivers import receiver
from tests.support.sandboxes import write_settings
from tests.support.world import slim_context


class Liar(Zone):
    """A resolver that knows every name."""

    def resolve(self, request: DNSRecord, handler: Any) -> DNSRecord:
        """An advertiser's address for whatever is asked."""
        reply = request.reply()
        reply.add_answer(*RR.fromZone(f"{request.q.qname} 60 IN A 93.184.216.34"))
        return reply


async def test_a_resolver_that_invents_addresses_is_told(database: Database, settings: Settings) -> None:
    for zone, state in ((Zone(), "ok"), (Liar(), "fails")):
        with serving(zone) as resolver:
            dns = settings.model_copy(update={"dns": Dns(resolvers=(resolver,), timeout_seconds=2)})
            context = slim_context(database, dns, None)
            found = await probe("resolver", "x", partial(doctor._resolver, context, resolver))
        assert found.state == state, found
    assert "names that do not exist" in found.remark


async def mail_finding(database: Database, settings: Settings, port: int, **more: Any) -> Trial:
    """What is told of the mail server at this port."""
    mail = Mail(host="127.0.0.1", port=port, security="none", sender="Drops <drops@drops.example>", **more)
    return await doctor._mail(slim_context(database, settings.model_copy(update={"mail": mail}), None))


async def test_it_tries_a_mail_and_sends_none(database: Database, settings: Settings) -> None:
    public = settings.model_copy(update={"site_url": "https://drops.example"})
    operator = public.model_copy(update={"operator": Operator(mail="boss@members.example")})
    for given, to in ((public, "drops@drops.example"), (operator, "boss@members.example")):
        async with mailserver() as server:
            found = await mail_finding(database, given, server.port)
        assert server.heard == [
            "EHLO drops.example", "MAIL drops@drops.example", f"RCPT {to}", "RSET", "QUIT",
        ]  # fmt: skip
        told = f"accepts mail without a user as drops.example, and a mail to {to}; none was sent"
        assert (found.state, found.remark) == ("ok", told)
        assert server.taken == []


@pytest.mark.parametrize(
    ("command", "reply", "told"),
    [
        (
            "EHLO",
            "504 5.5.2 not a full name",
            "EHLO [127.0.0.1]: the mail server answered 504: 5.5.2 not a full",
        ),
        ("MAIL", "550 5.7.1 no", "MAIL FROM:<drops@drops.example>: the mail server answered 550: 5.7.1 no"),
        ("RCPT", "550 5.1.1 no", "RCPT TO:<boss@members.example>: the mail server answered 550: 5.1.1 no"),
        (
            "RCPT",
            "554 Relay access denied",
            "RCPT TO:<boss@members.example>: the mail server answered 554: Relay",
        ),
    ],
)
async def test_it_tells_what_the_mail_server_refuses(
    database: Database, settings: Settings, command: str, reply: str, told: str
) -> None:
    given = settings.model_copy(update={"operator": Operator(mail="boss@members.example")})
    async with mailserver() as server:
        server.replies[command] = reply
        found = await mail_finding(database, given, server.port)
    assert (found.state, found.remark[: len(told)]) == ("fails", told)


@pytest.mark.parametrize(
    ("reply", "state"), [("550 5.1.1 no such user", "warns"), ("504 5.5.2 helo", "fails")]
)
async def test_a_sender_that_reads_no_mail_may_send_it(
    database: Database, settings: Settings, reply: str, state: str
) -> None:
    async with mailserver() as server:
        server.replies["RCPT"] = reply
        found = await mail_finding(database, settings, server.port)
    assert found.state == state
    assert ("operator.mail" in found.remark) == (state == "warns")


async def test_it_logs_in_to_the_mail_server(database: Database, settings: Settings) -> None:
    async with mailserver(sign_in=True) as server:
        for password, state in (("secret", "ok"), ("wrong", "fails")):
            found = await mail_finding(database, settings, server.port, user="user", password=password)
            assert found.state == state, found
            assert password not in found.remark
        assert server.taken == []


def test_without_ranks_and_keys_nothing_can_be_listed(database: Database, settings: Settings) -> None:
    context = slim_context(database, settings, None)
    assert metric_sources(context, ranks=True).state == "ok"
    found = metric_sources(context, ranks=False)
    assert (found.state, "nothing can be listed" in found.remark) == ("warns", True)


def test_files_that_others_may_read_are_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    own = tmp_path / "own.toml"
    own.touch()
    own.chmod(0o644)
    settings = Settings(data_dir=tmp_path, file=str(own))
    assert check_files(settings, "postgresql://h/x").state == "ok"
    secret = settings.model_copy(update={"mail": Mail(password="x")})
    assert check_files(secret, "postgresql://h/x").name == f"{own} (0644)"


def test_modes_and_folders_are_mended_when_asked_for(tmp_path: Path) -> None:
    file, data = tmp_path / "own.toml", tmp_path / "data"
    file.touch()
    data.mkdir()
    settings = Settings(
        data_dir=data, file=str(file), mail=Mail(password="x"), backup=Backup(dir=tmp_path / "kept")
    )
    url = database_url(settings)
    (data / "afterdrop.sqlite3").touch()
    for path in (file, data, data / "afterdrop.sqlite3"):
        path.chmod(0o755)
    found = check_files(settings, url)
    assert (found.state, found.name) == ("warns", str(tmp_path / "kept"))
    fix_files(settings, url)
    assert check_files(settings, url).state == "ok"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (data, tmp_path / "kept", file)] == [
        0o700,
        0o700,
        0o700,
    ]
    data.chmod(0o500)
    if os.geteuid():  # root may write everywhere
        assert check_files(settings, url).state == "fails"


async def test_a_row_of_each_feed_is_read_and_no_database_is_made(tmp_path: Path) -> None:
    async with start(1, 20) as running:
        file = write_settings(running, tmp_path, f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3")
        _, out = await run_afterdrop(tmp_path, "--settings", str(file), "doctor", "--json")
    found = json.loads(out)
    assert {one["state"] for one in found if one["part"] == "clock"} == {"ok"}
    feeds = [one for one in found if one["part"] == "feed"]
    assert feeds and all(one["remark"].startswith(("reads ", "has no rows ")) for one in feeds), feeds
    assert any(one["remark"].startswith("reads ") for one in feeds)
    assert [one["state"] for one in found if one["part"] == "database"] == ["off"]
    assert not (tmp_path / "own.sqlite3").exists()


async def test_live_shows_each_value_beside_what_was_written(tmp_path: Path) -> None:
    async with start(1, 120) as running:
        file = write_settings(running, tmp_path, f"sqlite+aiosqlite:///{tmp_path}/own.sqlite3")
        code, out = await run_afterdrop(tmp_path, "--settings", str(file), "doctor", "--live", "--json")
    told = {one["name"]: one for one in json.loads(out) if one["part"] in ("feed", "registry")}
    assert code == 0, told
    godaddy = told["godaddy_auctions"]["remark"]
    for value in (r'type bid from "Bid"', r'price (\d+) from "\$\1"', r"bids (\d+) from \1;"):
        assert re.search(value, godaddy.replace(",", "")), godaddy
    assert re.search(r'ends_at \d{4}-\d\d-\d\dT16\S+Z from "\d{4}', told["nominet_uk"]["remark"])
    com, se, biz = (told[name] for name in (".com", ".se", ".biz"))
    assert [one["state"] for one in (com, se, biz)] == ["ok", "ok", "warns"]
    assert 'nic.com is registered by rdap: domain nic.com from "NIC.COM"' in com["remark"]
    assert "2038-04-01T00:00:00Z, none from [{" in com["remark"]
    assert re.search(r"; [a-z]{24}\.com is available \(not_found\) by rdap from '\{", com["remark"])
    assert 'registrar Harbourlight Domains from ["Harbourlight Domains"]' in se["remark"]
    assert re.search(r'by whois from .*domain "[a-z]{24}\.se" not found\.', se["remark"])
    # The sandbox's registry of .biz denies every name: the canary is there to find such a one.
    assert "nic.biz is available" in biz["remark"] and biz["remark"].startswith("is not believed")


def test_nobody_whom_a_registry_names_is_shown() -> None:
    raw = b'domain "abc.se" not found.\nKontaktperson Jane Doe, +46 8 123, jane@doe.example\n'
    unread = RegistryAnswer(
        "unknown", Registration("abc.se", "unknown"), (), "bad_content", raw=raw, source="whois"
    )
    free = replace(unread, state="available", record=Registration("abc.se", "available"), reason="not_found")
    for answer in (unread, free):
        told = heard("abc.se", answer)
        assert "Jane" not in told and "doe.example" not in told
        assert ("not found." in told) == (answer.state == "available")


def test_a_wrong_clock_is_told() -> None:
    epoch = 1_763_856_000.0  # 2025-11-23 00:00:00Z
    for date, age, ahead in (("00:00:30", "0", 30), ("00:10:00", "20", 620), ("23:50:00", "0", 85800)):
        headers = {"Date": f"Sun, 23 Nov 2025 {date} GMT", "Age": age}
        assert clock_ahead(headers, epoch) == [ahead]
    assert clock_ahead({}, epoch) == clock_ahead({"Date": "today"}, epoch) == []
    assert [one.state for one in compare_clock("HTTP", [30.0, -9000.0])] == ["ok"]
    [found] = compare_clock("HTTP", [620.0, 9000.0])
    assert (found.state, "620 seconds behind" in found.remark) == ("fails", True)
    [found] = compare_clock("HTTP", [-400 * 86400.0])
    assert "ahead" in found.remark
    assert compare_clock("HTTP", []) == []


async def test_the_clock_of_the_database_is_compared(database: Database, settings: Settings) -> None:
    found = await doctor._database_clock(slim_context(database, settings, None))
    assert [(one.name, one.state) for one in found] == ([] if database.sqlite else [("PostgreSQL", "ok")])


async def test_free_providers_are_asked_and_paid_ones_are_not(database: Database, settings: Settings) -> None:
    known = b'{"results":[{"domain":"iana.org","found":true,"open_page_rank":7}]}'
    answers = [
        b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(known)
        + known,
    ]
    for answer, state in zip(answers, ("fails", "ok"), strict=True):
        async with receiver(receivers.says(answer)) as vendor:
            origin = vendor.url.removesuffix("/hook")
            mine = [
                Provider(preset="open_pagerank", url=vendor.url),
                Provider(preset="majestic", url=vendor.url),
            ]
            more = {"audience": "team", "trusted_origins": (origin,), "providers": tuple(mine)}
            chosen = settings.model_copy(update=more)
            keys = {"OPEN_PAGERANK_API_KEY": "k" * 20, "MAJESTIC_API_KEY": "k" * 20}
            context = slim_context(database, chosen, clock.now)
            async with open_fetcher(chosen, database, clock.epoch, clock.rng()) as fetcher:
                specs = tuple(load_providers(chosen, keys))
                found = await check_providers(replace(context, fetcher=fetcher, providers=specs))
                asked = replace(context, fetcher=fetcher, providers=specs)
                live = await check_providers(asked, live=True) if state == "ok" else []
            assert [one.state for one in found] == [state, "ok"], found
            assert found[1].remark.startswith("not asked: ")
            assert len(vendor.posts) == (3 if live else 1), "live asks the paid one, too"
    assert live[0].lines[0] == "iana.org: vendor_d_pagerank 7.0"
    assert live[0].lines[-1] == "1 names asked, 1 units; 4,998 left of the budget"
    assert live[1].state == "fails", "another vendor's answer is not what it should say"
    async with database.write() as conn:
        await store.give_up(conn, "majestic", 1.0, "answered 402")
    found = await check_providers(replace(context, fetcher=fetcher, providers=specs[1:]))
    assert [(one.state, one.remark[:26]) for one in found] == [("fails", "was given up: answered 402")]
