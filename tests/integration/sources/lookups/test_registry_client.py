"""Which service of a registry is asked, what is believed, and how politely WHOIS servers are asked."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from afterdrop.catalogue.availability.recheck import Inquiry, RecheckPass
from afterdrop.core.errors import UpstreamError
from afterdrop.core.settings import Registry as RegistrySettings
from afterdrop.core.settings import Settings
from afterdrop.db.tables.catalogue import domains
from afterdrop.http.circuit_breaker import FAILURES_IN_A_ROW
from afterdrop.sources.lookups.registry import availability, whois
from afterdrop.sources.lookups.sources import Sources
from afterdrop.sources.registry.client import (
    Confirmation,
    RegistryClient,
    confirmation,
    kept_canaries,
    nobodys_name,
)
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.whois import WhoisClient, server_for
from afterdrop.sources.registry.whois_answer import MAX_BYTES
from tests.integration.sources.lookups.conftest import Opening
from tests.support.registry import Registry, domain_object, rdap
from tests.support.rows import put, row

TAKEN = (
    "domain: {name}\nstate: active\nregistrar: Some Registrar\ncreated: 2010-01-02\nholder: Jane Private\n"
)


class Whois:
    """A WHOIS server of the tests' own: answers by name, and counts who is with it at once."""

    def __init__(self) -> None:
        self.answers: dict[str, str | bytes] = {}
        self.refusal = ""
        self.resets = False
        self.asked: list[bytes] = []
        self.port = self.inside = self.most_inside = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.inside += 1
        self.most_inside = max(self.inside, self.most_inside)
        question = await reader.readline()
        self.asked.append(question)
        name = question.decode().strip()
        answer = self.answers.get(name, self.refusal or None)
        if answer is None:
            answer = (
                TAKEN.format(name=name) if name.startswith(("google.", "taken")) else f'"{name}" not found.'
            )
        await asyncio.sleep(0.01)
        self.inside -= 1
        with suppress(OSError):  # the client closes on an answer that is too long
            writer.write(answer if isinstance(answer, bytes) else answer.encode())
            await writer.drain()
        if self.resets:
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            writer.transport.abort()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


@pytest.fixture
async def server() -> AsyncIterator[Whois]:
    serving = Whois()
    listening = await asyncio.start_server(serving.serve, "127.0.0.1", 0)
    async with listening:
        serving.port = listening.sockets[0].getsockname()[1]
        yield serving


@pytest.fixture
def asking(
    outward: Settings, opening: Opening, server: Whois, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Sources that ask the test's WHOIS server, as fast as it answers."""
    monkeypatch.setattr("afterdrop.sources.registry.whois._LEAST_SECONDS", 0)

    @asynccontextmanager
    async def opened(**more: Any) -> AsyncIterator[Sources]:
        relay = f"127.0.0.1:{server.port}"
        registry = outward.registry.model_dump() | {"whois": True, "whois_relay": relay} | more
        settings = outward.model_copy(
            update={
                "registry": RegistrySettings.model_validate(registry),
                "trusted_origins": (*outward.trusted_origins, f"http://{relay}"),
                "pace": outward.pace.model_copy(
                    update={
                        "hosts": {"whois.iis.se:43": outward.pace.default.model_copy(update={"at_once": 1})}
                    }
                ),
            }
        )
        async with opening(settings) as sources:
            yield sources

    return opened


async def test_an_extension_without_rdap_is_asked_by_whois(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    server.answers["drops.se"] = "domain: drops.se\nstate: quarantine\ndate_to_release: 2026-12-05\n"
    async with asking() as sources:
        names = ["taken.se", "free.se", "drops.se"]
        rows = [answer.as_json() for answer in await availability(sources, names, now)]
        assert [(row["state"], row["source"], row["detail"]) for row in rows] == [
            ("registered", "whois", None),
            ("available", "whois", "not_found"),
            ("dropping", "whois", "quarantine"),
        ]
        assert "Private" not in str(rows)
        record = (await whois(sources, "drops.se", now)).as_json()
        assert record["drop_estimate"]["earliest"] == "2026-12-05"
        [canary] = await canaries(sources)
        assert (canary.server, canary.extension, canary.holds, canary.right_at) == (
            "whois.iis.se:43",
            "se",
            True,
            now,
        )
        [way, none] = await sources.registry.confirmations(["se", "zz"])
        assert (way["how"], way["server"], way["believed"]) == ("whois", "whois.iis.se:43", True)
        assert (way["right_at"], none["how"], none["server"]) == ("2026-11-20T12:00:00Z", "none", None)
        assert await sources.registry.confirmations([], and_asked=True) == [way]
        assert await told(sources, "drops.se") == way
        [vouched] = await sources.registry.confirmations(["com"])
        assert (vouched["how"], vouched["believed"], vouched["right_at"]) == ("rdap", True, None)
        # One question at a time, and only plain names; nothing was asked twice for the canary.
        assert server.most_inside == 1
        assert sorted(server.asked)[-1:] == [b"taken.se\r\n"] and len(server.asked) == 6
        assert (await availability(sources, ["shop.uk.com"], now))[0].reason == "no_rdap"


async def test_a_server_of_the_bootstrap_is_known_to_be_right_by_its_answers(
    asking: Callable[..., Any], registry: Registry, now: datetime
) -> None:
    registry.answers = {"taken.com": domain_object("taken.com")}
    async with asking() as sources:
        client: RegistryClient = sources.registry
        for name, later, right in (
            ("free.com", 0, None),  # a server that knows no name says that, too
            ("taken.com", 1, "2026-11-20T12:01:00Z"),
            ("taken.com", 59, "2026-11-20T12:01:00Z"),
            ("taken.com", 61, "2026-11-20T13:01:00Z"),
        ):
            await client.ask(name, now + timedelta(minutes=later))
            way = await told(sources, name)
            assert (way["how"], way["believed"], way["right_at"]) == ("rdap", True, right)
        assert [row["extension"] for row in await client.confirmations([], and_asked=True)] == ["com"]
        # Under uk.com somebody else sells, whom the registry of .com does not know.
        assert (await told(sources, "shop.uk.com"))["how"] == "none"


async def test_what_confirms_is_told_without_a_request(
    asking: Callable[..., Any], registry: Registry, server: Whois
) -> None:
    asked: list[str] = []

    async def bootstrap(request: object) -> object:
        asked.append("bootstrap")
        raise AssertionError

    registry.bootstrap = bootstrap
    async with asking() as sources:
        assert (await told(sources, "a.com"))["server"] == "rdap.verisign.com"
        assert (await told(sources, "a.se"))["believed"] is None
    assert (asked, server.asked) == ([], [])


async def told(sources: Sources, domain: str) -> Confirmation:
    bootstrap = await sources.registry.rdap.registries.kept()
    async with sources.database.read() as conn:
        return await confirmation(conn, domain, bootstrap, sources.settings.registry)


async def test_the_recheck_announces_what_whois_alone_confirms(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    """The same road as for RDAP: two answers some minutes apart, with a registered name between them."""

    async def parent_knows_nothing(domain: str, unused: str) -> bool | None:
        return False

    moments = {"now": now}
    over = {"ends_at": now - timedelta(hours=1), "live_until": now - timedelta(hours=1)}
    async with asking(canaries={"se": "taken.se"}) as sources:
        async with sources.database.write() as conn:
            await put(conn, row("free.se", **over), row("taken9.se", **over))
        states = []
        for _ in range(2):
            inquiry = Inquiry(
                sources.database,
                sources.registry.for_rechecks(),
                parent_knows_nothing,
                lambda: moments["now"],
                sources.settings.registry,
            )
            counts = await RecheckPass(inquiry, inquiry, "worker").run()
            async with sources.database.read() as conn:
                found = await conn.execute(
                    sa.select(domains.c.domain, domains.c.availability, domains.c.announced).order_by(
                        domains.c.domain
                    )
                )
                states.append([tuple(each) for each in found])
            moments["now"] += timedelta(minutes=6)
        assert (states[0], counts["announce"]) == (
            [("free.se", "unknown", False), ("taken9.se", "registered", False)],
            1,
        )
        assert states[1] == [("free.se", "available", True), ("taken9.se", "registered", False)]
    assert server.asked.count(b"free.se\r\n") == 2


async def canaries(sources: Sources) -> Any:
    async with sources.database.read() as conn:
        return await kept_canaries(conn)


async def test_off_by_default_and_by_extension(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    for chosen in ({"whois": False}, {"whois_extensions": {"se": False}}):
        async with asking(**chosen) as sources:
            assert (await sources.registry.ask("taken.se", now)).reason == "no_rdap"
            assert await sources.registry.host("taken.se", now) is None
    assert server.asked == []
    async with asking(whois=False, whois_extensions={"se": True}) as sources:
        assert (await sources.registry.ask("taken.se", now)).state == "registered"
        assert await sources.registry.host("taken.se", now) == "whois.iis.se:43"


async def test_a_server_that_refuses_is_left_alone(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    server.refusal = "Requests of this client are not permitted."
    async with asking() as sources:
        answer = await sources.registry.ask("free.se", now)
        assert (answer.state, answer.reason) == ("unknown", "not_believed")
        assert len(server.asked) == 2  # the canary's two names
        again = await sources.registry.ask("free.se", now + timedelta(minutes=20))
        assert again.state == "unknown" and len(server.asked) == 2


@pytest.mark.parametrize("refusal", ["Query rate limit exceeded.", "-3: IP address blocked"])
async def test_only_refusals_of_two_names_in_a_row_close_a_server_to_the_others(
    asking: Callable[..., Any], server: Whois, now: datetime, refusal: str
) -> None:
    async with asking() as sources:
        client = WhoisClient(sources.fetcher, sources.settings.registry)
        chosen = server_for("free.se", sources.settings.registry)
        assert chosen is not None

        async def states(*names: str) -> list[str]:
            told = [await client.ask(chosen, name, now, asker="person", patience=0) for name in names]
            return [answer.state for answer in told]

        server.answers = {"odd.se": refusal, "odder.se": refusal, "held.se": "Status: RESERVED"}
        assert await states("odd.se", "odd.se", "free.se") == ["unknown", "unknown", "available"]
        assert await states("odder.se", "held.se", "odd.se") == ["unknown"] * 3
        server.answers["vague.se"] = "welcome"  # no answer: the refusal before it still counts
        assert await states("free2.se", "odd.se", "vague.se", "odder.se") == ["available"] + ["unknown"] * 3
        asked = len(server.asked)
        last = await client.ask(chosen, "free3.se", now, asker="person", patience=0)
        assert (last.reason, len(server.asked)) == ("rate_limited", asked)
        assert last.notes[0].startswith("free3.se: whois.iis.se:43 is blocked for another")


async def test_a_server_that_cannot_be_reached_is_left_alone_by_everybody(
    asking: Callable[..., Any], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[bytes] = []

    async def closed(client: WhoisClient, host: str, port: int, question: bytes, body: bytearray) -> None:
        tried.append(question)
        raise UpstreamError(host, "connect", "ConnectionRefusedError")

    monkeypatch.setattr(WhoisClient, "_talk", closed)
    async with asking() as sources:
        client = WhoisClient(sources.fetcher, sources.settings.registry)
        server = server_for("free.se", sources.settings.registry)
        assert server is not None
        told = [
            await client.ask(server, "free.se", now, asker="person") for _ in range(FAILURES_IN_A_ROW + 2)
        ]
    assert {answer.reason for answer in told} == {"unreachable"}
    assert len(tried) == FAILURES_IN_A_ROW
    assert "has not answered since" in " ".join(told[-1].notes)


@pytest.mark.parametrize("how", [ConnectionResetError, TimeoutError])
async def test_a_server_that_fails_at_names_is_asked_a_known_one_before_it_is_left_alone(
    asking: Callable[..., Any],
    server: Whois,
    now: datetime,
    how: type[OSError],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Somebody's names at which it breaks off keep it from nobody; one that is broken altogether is left alone."""
    talk, fails = WhoisClient._talk, b"bad"

    async def odd(client: WhoisClient, host: str, port: int, question: bytes, body: bytearray) -> None:
        if fails in question:
            raise how
        await talk(client, host, port, question, body)

    monkeypatch.setattr(WhoisClient, "_talk", odd)
    async with asking() as sources:
        client = WhoisClient(sources.fetcher, sources.settings.registry)
        chosen = server_for("free.se", sources.settings.registry)
        assert chosen is not None

        async def ask(name: str) -> RegistryAnswer:
            return await client.ask(chosen, name, now, asker="person", known="google.se")

        told = [await ask(f"bad{number}.se") for number in range(2 * FAILURES_IN_A_ROW)]
        assert not [answer for answer in told if "has not answered since" in " ".join(answer.notes)]
        assert (await ask("free.se")).state == "available"
        fails = b".se"
        told = [await ask(f"bad{number}.se") for number in range(FAILURES_IN_A_ROW + 1)]
    assert "has not answered since" in " ".join(told[-1].notes)


@pytest.mark.parametrize("answer", ["", "welcome", b"x" * (MAX_BYTES + 9), "domain: google.se\nnot found"])
async def test_without_a_canary_nothing_is_believed(
    asking: Callable[..., Any], server: Whois, now: datetime, answer: str | bytes
) -> None:
    server.answers["google.se"] = answer
    async with asking() as sources:
        assert (await sources.registry.ask("free.se", now)).reason == "not_believed"
        [canary] = await canaries(sources)
        assert not canary.holds and canary.right_at is None and "google.se: unknown" in canary.note


async def test_the_days_questions_keep_a_share_for_the_recheck(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    async with asking(whois_per_day=8) as sources:
        states = [(await sources.registry.ask(f"free{n}.se", now)).reason for n in range(4)]
        assert states == ["not_found", "not_found", "rate_limited", "rate_limited"]
        recheck = sources.registry.for_rechecks()
        states = [(await recheck.ask(f"free{n}.se", now)).reason for n in range(5)]
        assert states == ["not_found"] * 4 + ["rate_limited"]
        assert len(server.asked) == 8
        tomorrow = now + timedelta(days=1)
        assert (await sources.registry.ask("free.se", tomorrow)).reason == "not_found"


async def test_followed_names_leave_half_of_the_look_ups_to_people(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    async with asking(whois_per_day=12) as sources:
        following = sources.registry.for_following()
        # The canary's two questions count.
        states = [(await following.ask(f"free{n}.se", now)).reason for n in range(2)]
        assert states == ["not_found", "rate_limited"]
        states = [(await sources.registry.ask(f"free{n}.se", now)).reason for n in range(4)]
        assert states == ["not_found"] * 3 + ["rate_limited"]
        assert len(server.asked) == 6


async def test_what_came_before_a_reset_counts_where_it_is_a_registration(
    asking: Callable[..., Any], server: Whois, now: datetime
) -> None:
    server.resets = True
    server.answers["drops.se"] = "domain: drops.se\nstate: quarantine\ndate_to_release: 2026-12-05\n"
    async with asking() as sources:
        client, row = sources.registry.whois, server_for("taken.se", sources.registry.settings)
        answers = [
            await client.ask(row, name, now, asker="person") for name in ("taken.se", "drops.se", "free.se")
        ]
    assert [(answer.state, answer.reason) for answer in answers] == [
        ("registered", ""),
        ("dropping", "quarantine"),
        ("unknown", "unreachable"),
    ]


async def test_each_address_of_a_server_is_tried(
    asking: Callable[..., Any], server: Whois, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = ["127.0.0.2", "127.0.0.1"]  # nothing listens at the first

    async def resolve(*_: object) -> list[dict[str, str]]:
        return [{"host": address} for address in addresses]

    monkeypatch.setattr("afterdrop.http.ssrf_guard.PublicResolver.resolve", resolve)
    async with asking() as sources:
        client, row = sources.registry.whois, server_for("taken.se", sources.registry.settings)
        assert (await client.ask(row, "taken.se", now, asker="person")).state == "registered"
        addresses.remove("127.0.0.1")
        failed = await client.ask(row, "taken.se", now, asker="person")
        assert (failed.state, failed.reason) == ("unknown", "unreachable")
    assert server.asked == [b"taken.se\r\n"]


async def test_a_relay_at_a_private_address_is_refused(
    outward: Settings, opening: Opening, server: Whois, now: datetime
) -> None:
    registry = outward.registry.model_copy(update={"whois": True, "whois_relay": f"127.0.0.1:{server.port}"})
    async with opening(outward.model_copy(update={"registry": registry})) as sources:
        row = server_for("taken.se", registry)
        assert row is not None
        answer = await sources.registry.whois.ask(row, "taken.se", now, asker="person")
        assert (answer.reason, server.asked) == ("unreachable", [])
        assert "not a public address" in answer.notes[0]
        odd = await sources.registry.whois.ask(row, "a b.se", now, asker="person")
        assert odd.reason == "bad_name"


async def test_rdap_outside_the_bootstrap_is_believed_while_its_canary_holds(
    asking: Callable[..., Any], registry: Registry, server: Whois, now: datetime
) -> None:
    outside = {"io": f"{registry.url}/rdap/", "zz": f"{registry.url}/rdap/"}
    registry.answers = {"google.io": domain_object("google.io"), "taken.io": domain_object("taken.io")}
    async with asking(whois=False, rdap_servers=outside) as sources:
        client: RegistryClient = sources.registry
        assert [(await client.ask(name, now)).state for name in ("taken.io", "free.io")] == [
            "registered",
            "available",
        ]
        assert registry.asked == ["google.io", nobodys_name("io", now), "taken.io", "free.io"]
        # It begins to answer 404 for every name: the next day's canary catches it.
        registry.answers = {}
        later = now + timedelta(days=1, minutes=1)
        answer = await client.ask("taken.io", later)
        assert (answer.state, answer.reason) == ("unknown", "not_believed")
        [canary] = await canaries(sources)
        assert (canary.holds, canary.right_at) == (False, now)
        assert (await client.ask("free.zz", now)).state == "unknown"
        registry.answers = {"google.io": domain_object("google.io")}
        assert (await client.ask("free.io", later + timedelta(days=1))).state == "available"
    # Where WHOIS works, it takes over.
    async with asking(rdap_servers={"se": f"{registry.url}/rdap/"}) as sources:
        answer = await sources.registry.ask("taken.se", now)
        assert (answer.state, answer.source) == ("registered", "whois")
        assert await sources.registry.host("taken.se", now) == "whois.iis.se:43"


async def test_what_a_server_says_of_the_unused_name_says_nothing_of_others(
    asking: Callable[..., Any], registry: Registry, now: datetime
) -> None:
    unused = nobodys_name("com", now)
    terms = "Whoever looks up names here is bound by rules that protect holders."
    held: dict[str, str] = {}
    away = True

    async def absent(request: Any) -> Any:
        name = request.match_info["name"]
        if away and name == unused:
            return rdap({}, status=503)
        said = [terms, f"{name}: {held.get(name, 'ask us')}"]
        return rdap({"errorCode": 404, "title": "Not Found", "description": said}, status=404)

    names = ["free.com", "free2.com", "held.com", unused, "free.io", nobodys_name("io", now)]
    registry.answers = dict.fromkeys(names, absent) | {"google.io": domain_object("google.io")}
    registry.answers[nobodys_name("com", now + timedelta(days=1))] = absent
    held["held.com"] = "this name is reserved"
    async with asking(whois=False, rdap_servers={"io": f"{registry.url}/rdap/"}) as sources:
        client: RegistryClient = sources.registry

        async def reasons(*asked: str, later: timedelta = timedelta()) -> list[str]:
            return [(await client.ask(name, now + later)).reason for name in asked]

        # Asked once, also where it is away; then anew after a while, and once a day.
        assert await reasons("free.com", "free2.com") == ["says_more", "says_more"]
        away, soon = False, timedelta(minutes=16)
        assert await reasons("plain.com", later=soon) == ["not_found"]
        assert registry.asked == ["free.com", unused, "free2.com", "plain.com"]
        told = [client.ask(name, now + soon) for name in ("free.com", "free2.com", "held.com")]
        answers = await asyncio.gather(*told)
        assert [answer.reason for answer in answers] == ["not_found", "not_found", "reserved"]
        assert answers[2].notes[0].endswith("says more: held.com: this name is reserved")
        assert registry.asked.count(unused) == 2
        assert await reasons("free.com", later=timedelta(days=1, hours=1)) == ["not_found"]
        assert registry.asked[-1] == nobodys_name("com", now + timedelta(days=1))
        # A canary's own unused name is not asked twice.
        registry.asked.clear()
        assert await reasons("free.io") == ["not_found"]
        assert registry.asked == ["google.io", nobodys_name("io", now), "free.io"]


async def test_where_a_believed_server_is_away_the_next_way_is_asked(
    asking: Callable[..., Any], registry: Registry, server: Whois, now: datetime
) -> None:
    registry.answers = {"google.se": domain_object("google.se"), "taken.se": domain_object("taken.se")}
    async with asking(rdap_servers={"se": f"{registry.url}/rdap/"}) as sources:
        client: RegistryClient = sources.registry
        assert (await client.ask("taken.se", now)).source == "rdap"
        registry.answers |= {"taken.se": 503, "taken2.se": 503}
        answer = await client.ask("taken.se", now)
        assert (answer.state, answer.source) == ("registered", "whois")
        # Where that is away, too, the last refusal is told, and not that something is not believed.
        server.answers["taken2.se"] = "Requests of this client are not permitted."
        answer = await client.ask("taken2.se", now)
        assert (answer.state, answer.reason) == ("unknown", "refused")
