from dataclasses import replace
from datetime import UTC, date, datetime

import idna
import pytest

from afterdrop.sources.registry.drop_estimate import estimate
from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.whois_answer import (
    MAX_BYTES,
    MAX_LINES,
    Dialect,
    free_line,
    free_lines,
    parse_whois,
    written,
)
from afterdrop.sources.registry.whois_dates import whois_time

FREE = Dialect(frozenset({"no match for {domain}", "status: free", "no entries found"}))
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
TAKEN = "Domain: a.se\nRegistrar: Some Registrar\nCreated: 2010-01-02\n"


def read(text: str, asked: str | None = None, dialect: Dialect = FREE) -> RegistryAnswer:
    return parse_whois(text.encode(), asked, dialect)


def said(text: str, asked: str | None = None) -> tuple[str, str]:
    answer = read(text, asked)
    return answer.state, answer.reason


def test_a_name_is_free_only_where_a_whole_line_says_so() -> None:
    assert said('No match for "A.SE".', "a.se") == ("available", "not_found")
    assert said("% No match for a.se\n", None) == ("available", "not_found")
    assert read("No match for a.se").record.domain == "a.se"
    for text in (
        "",
        "welcome",
        "There is no match for a.se in this list of yesterday",
        "not found",
        "Status: available",
        "Domain: a.se",
    ):
        assert said(text) == ("unknown", "bad_content"), text


def test_what_speaks_against_free_wins() -> None:
    assert said(f"{TAKEN}Status: free") == ("unknown", "bad_content")
    assert said("Too many requests...\n\nNo entries found") == ("unknown", "rate_limited")
    assert said("terms of use\nQuery rate limit exceeded.\nNo entries found") == ("unknown", "rate_limited")
    assert said("Status: free\nStatus: RESERVED") == ("unknown", "reserved")
    assert said("No match for b.se", "a.se") == ("unknown", "wrong_name")
    assert said("Domain: b.se\nStatus: free", "a.se") == ("unknown", "wrong_name")
    assert said("Domain: a.se\nStatus: active\nStatus: free") == ("unknown", "bad_content")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("whois.x: only 1 request per second allowed, try again later", "rate_limited"),
        ("% Error: 55000000002 Connection refused; access control limit reached.", "rate_limited"),
        ("-3: IP address blocked", "refused"),
        ("Requests of this client are not permitted.", "refused"),
        ("Reserved by Registry", "reserved"),
        ("Domain: la.it\nStatus: UNASSIGNABLE", "reserved"),
        ("Domain: a.be\nStatus: NOT AVAILABLE", "reserved"),
        ("Domain: x.foo.de\nStatus: invalid", "bad_name"),
        (
            "This domain is currently available for application via the Identity Digital Dropzone service.",
            "sold_first",
        ),
        ("a.se is available for application in the DropZone of its registry.", "sold_first"),
        (
            "You may be blocked:\naccess denied\nfor robots.\nYou agree to these terms.",
            "bad_content",
        ),
        ("Your connection limit exceeded. Please slow down and try again later.", "rate_limited"),
        ("IP Address Has Reached Rate Limit", "rate_limited"),
        ("You have exceeded the maximum allowable number of lookups.", "rate_limited"),
        ("Please wait 60 seconds before your next query", "rate_limited"),
        ("Query rate too high for your address", "rate_limited"),
        ("Your requests are throttled.\n% Whois of a registry", "rate_limited"),
        ("Too frequent requests from your network", "rate_limited"),
        ("Maximum query rate reached", "rate_limited"),
        ("Your IP address is blacklisted.", "refused"),
        ("name: a.ee\nstatus: AtAuction", "sold_first"),
        ("name: a.ee\nstatus: PendingRegistration", "sold_first"),
        ("name: a.ee\nstatus: Reserved", "reserved"),
        ("Status: available (premium name)", "reserved"),
    ],
)
def test_refusals_and_reservations_are_unknown(text: str, reason: str) -> None:
    assert said(text) == ("unknown", reason)


@pytest.mark.parametrize(
    ("status", "reason", "stage"),
    [
        ("pendingDelete / redemptionPeriod", "redemption", "redemption"),
        ("in quarantine", "quarantine", "redemption"),
        ("PendingRelease", "pending_delete", "pending_delete"),
        ("redemption no provider", "redemption", "redemption"),
    ],
)
def test_names_that_are_about_to_drop(status: str, reason: str, stage: str) -> None:
    answer = read(f"{TAKEN.replace('a.se', 'a.nl')}Status: {status}\n")
    assert (answer.state, answer.reason) == ("dropping", reason)
    assert estimate(answer, NOW).stage == stage


def test_the_day_of_release_where_the_registry_says_it() -> None:
    text = f"{TAKEN}state: quarantine\ndate_to_delete: 2026-12-01\ndate_to_release: 2026-12-05\n"
    answer = read(text)
    drop = estimate(answer, NOW)
    assert answer.as_json()["releases_at"] == "2026-12-05T04:00:00Z", "the registry's hour"
    assert (drop.stage, drop.earliest, drop.latest, drop.exact) == (
        "pending_delete",
        date(2026, 12, 5),
        date(2026, 12, 5),
        True,
    )
    assert (drop.drop_hour_utc, drop.rests_on) == (4, "the registry's answer")
    for domain, begins in (
        ("a.nl", "2026-12-04T23:00:00Z"),
        ("a.xy", "2026-12-05T00:00:00Z"),
        (None, "2026-12-05T00:00:00Z"),
    ):
        other = replace(answer, record=replace(answer.record, domain=domain))
        assert (other.as_json()["releases_at"], estimate(other, NOW).drop_hour_utc) == (begins, None)
    later = estimate(answer, datetime(2027, 1, 1, tzinfo=UTC))
    assert (later.earliest, later.latest) == (None, None)
    deactivated = read(f"{TAKEN}date_to_delete: 2026-12-01")
    assert (deactivated.releases_at, deactivated.releases_on) == (None, None), "its quarantine begins then"


def test_the_facts_of_a_registered_name() -> None:
    text = """
    Domain name:
        a.co.uk
    Registrant:
        Jane Private
    Registrar:
        Some Registrar
    State: Kent
    Relevant dates:
        Registered on: 14-Feb-1999
        Expiry date: 14-Feb-2027
        Last updated: 13-Jan-2026
    Registration status:
        Registered until expiry date.
    Name servers:
        ns1.a.co.uk  2001:db8::1
        ns2.a.co.uk
        a.co.uk
    DNSSEC: Signed
    """
    answer = read(text, "a.co.uk")
    record = answer.record
    assert (answer.state, answer.source) == ("registered", "whois")
    assert (record.domain, record.registrar) == ("a.co.uk", "Some Registrar")
    assert record.registered_at == datetime(1999, 2, 14, tzinfo=UTC)
    assert record.expires_at == datetime(2027, 2, 14, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 1, 13, tzinfo=UTC)
    assert record.statuses == ("registered until expiry date.",)
    assert record.nameservers == ("ns1.a.co.uk", "ns2.a.co.uk")
    assert record.dnssec is True
    assert "Private" not in str(answer) and "Kent" not in str(answer)


def test_other_ways_to_write_them() -> None:
    japanese = read("a. [Domain Name]  A.JP\n[Name Server] ns1.a.jp\n[State] Connected (2027/03/31)\n")
    assert (japanese.state, japanese.record.domain) == ("registered", "a.jp")
    chilean = read("a.cl:\n(Domain servers):\n  ns1.b.cl (10.0.0.1)\n")
    assert chilean.record.nameservers == ("ns1.b.cl",)
    bare = read(
        "Nameservers\n  ns1.a.it\n\nRegistrar\n  Organization: none\nDomain: a.it\nDNSSEC: unsigned\nHost: -\n"
    )
    assert (bare.record.nameservers, bare.record.registrar, bare.record.dnssec) == (
        ("ns1.a.it",),
        None,
        False,
    )
    assert read(f"{TAKEN}DNSSEC: maybe").record.dnssec is None
    assert said("Domain: a.de\nStatus: connect")[0] == "registered"
    held = read("Domain: a.fr\nholder-c: X1-FRNIC\nCreated: never\n")
    assert (held.state, held.record.registered_at) == ("registered", None)


def test_charsets() -> None:
    text = "Domain: a.br\nowner: Núcleo\nregistrar: Núcleo\n"
    for body in (text.encode(), text.encode("iso-8859-1")):
        assert parse_whois(body, None, Dialect(frozenset(), "latin-1")).record.registrar == "Núcleo"
    odd = parse_whois(b"registrar: \x81x\n", None, Dialect(frozenset(), "cp1252"))
    assert odd.state == "registered"


def test_bounds() -> None:
    assert said("x" * (MAX_BYTES + 1)) == ("unknown", "bad_content")
    assert said("\n" * (MAX_LINES + 1)) == ("unknown", "bad_content")
    many = "".join(f"Name Server: ns{number}.a.se\nStatus: odd{number}x\n" for number in range(99))
    record = read(TAKEN + many).record
    assert len(record.nameservers) == len(record.statuses) == 30
    assert said("No match for " + "a" * 500 + ".se") == ("unknown", "bad_content")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2014-02-18T20:44:01+0200", datetime(2014, 2, 18, 18, 44, 1, tzinfo=UTC)),
        ("20140218 #123", datetime(2014, 2, 18, tzinfo=UTC)),
        ("2013/06/01 01:05:07 (JST)", datetime(2013, 6, 1, 1, 5, 7, tzinfo=UTC)),
        ("30.09.2009 16:19", datetime(2009, 9, 30, 16, 19, tzinfo=UTC)),
        ("13-Jan-2014", datetime(2014, 1, 13, tzinfo=UTC)),
        ("Fri Nov 18 23:59:59 GMT 2016", datetime(2016, 11, 18, 23, 59, 59, tzinfo=UTC)),
        ("April 3rd 2015", datetime(2015, 4, 3, tzinfo=UTC)),
        ("2014-02-18 01:00:00 -03:30", datetime(2014, 2, 18, 4, 30, tzinfo=UTC)),
        ("2014-02-18 09:00:00.5 (UTC+08:00)", datetime(2014, 2, 18, 1, tzinfo=UTC)),
        ("31.02.2014", None),
        ("0001-01-01 00:00:00", None),
        ("12-Xyz-2014", None),
        ("Xyz 12 2014", None),
        ("soon", None),
        ("2001-Aug-23.", datetime(2001, 8, 23, tzinfo=UTC)),
        ("2001 August 3", datetime(2001, 8, 3, tzinfo=UTC)),
        ("2026-11-13 10:00:00 (GMT+6:00)", datetime(2026, 11, 13, 4, tzinfo=UTC)),
        ("1999-06-07 20:01:43 (GMT+0:00)", datetime(1999, 6, 7, 20, 1, 43, tzinfo=UTC)),
        ("2026-11-13 10:00:00 (UTC+8)", datetime(2026, 11, 13, 2, tzinfo=UTC)),
        ("2026-11-13 10:00:00-3:30", datetime(2026, 11, 13, 13, 30, tzinfo=UTC)),
        ("2026-11-13 10:00:00+03", datetime(2026, 11, 13, 7, tzinfo=UTC)),
        ("2026-11-13 9:05", datetime(2026, 11, 13, 9, 5, tzinfo=UTC)),
        ("2001-Foo-23", None),
    ],
)
def test_dates(text: str, moment: datetime | None) -> None:
    assert whois_time(text) == moment


def test_the_month_first_where_the_server_writes_so() -> None:
    assert whois_time("02/03/2014", month_first=True) == datetime(2014, 2, 3, tzinfo=UTC)
    assert whois_time("02/03/2014") == datetime(2014, 3, 2, tzinfo=UTC)


def test_a_time_without_an_offset_is_one_of_its_servers_zone() -> None:
    assert whois_time("2012/08/01 00:29:53 (JST)", zone="Asia/Tokyo") == datetime(
        2012, 7, 31, 15, 29, 53, tzinfo=UTC
    )
    assert whois_time("2012/08/01", zone="Asia/Tokyo") == datetime(2012, 8, 1, tzinfo=UTC), "a day stays it"
    assert whois_time("2012-08-01T00:00:00Z+1:00", zone="Asia/Tokyo") is not None


@pytest.mark.parametrize(
    ("line", "created", "updated"),
    [
        ("   Record created on 2000-08-29 (YYYY-MM-DD)", date(2000, 8, 29), None),
        ("Record created on 2000-08-29.", date(2000, 8, 29), None),
        ("Registered on 02nd August 2000 at 11:05:15", date(2000, 8, 2), None),
        ("Record last updated on 29-Aug-2000", None, date(2000, 8, 29)),
        ("Domain last modified on 2000-08-29 10:00:00 (UTC+8)", None, date(2000, 8, 29)),
        ("Database last updated on 2026-11-27 10:00:00 UTC", None, None),
        ("Last update of WHOIS database: 2026-11-27T10:00:00Z", None, None),
        ("Last updated of the registry database: 2026-11-27T10:00:00Z", None, None),
        ("** Whois Server:\nLast Update Time: 2026-11-27T10:00:00+03:00", None, None),
        ("** Whois Server:\n\nLast Update Time: 2000-08-29T10:00:00+03:00", None, date(2000, 8, 29)),
        ("You agreed on 2000-08-29 to be created on demand", None, None),
        ("the name was created on behalf of 2000-08-29", None, None),
    ],
)
def test_sentences_with_dates_and_footers(line: str, created: date | None, updated: date | None) -> None:
    record = read(f"Domain: a.tw\nRegistrar: Some Registrar\n{line}\n").record
    found = [moment.date() if moment else None for moment in (record.registered_at, record.updated_at)]
    assert found == [created, updated]


def test_a_registration_counts_more_than_a_word_for_reserved() -> None:
    lock = "Status: serverUpdateProhibited (Secured by CoCCA Premium Registry Lock)\n"
    answer = read(TAKEN + lock)
    assert (answer.state, answer.record.statuses) == ("registered", ("server update prohibited",))
    assert said(f"{TAKEN}Status: Reserved") == ("registered", "")
    assert said(f"{TAKEN}Status: pendingDelete (premium)") == ("dropping", "pending_delete")


def test_a_registrar_and_name_servers_below_their_headings() -> None:
    answer = read(
        "Domain: a.eu\n\nRegistrar:\n    Organization: Heron Names\n    Name: HERON-REG\n\n"
        "nameservers: ns1.heron.example. [192.0.2.7]\n             ns2.heron.example.\n\n"
        "Please visit www.eurid.example for more info.\nSee www.other.example\n"
    )
    assert answer.record.registrar == "Heron Names"
    assert answer.record.nameservers == ("ns1.heron.example", "ns2.heron.example")
    assert read("Domain: a.tw\nRegistration Service Provider: Heron").record.registrar == "Heron"
    assert read(f"{TAKEN}Holder:\n  Name: Jane Private").record.registrar == "Some Registrar"


def test_free_lines_have_one_spelling() -> None:
    assert free_line('%% No match for "U34JEDZCQ.COM".') == "no match for {domain}"
    assert free_line("Domain:\tu34jedzcq.lt ") == "domain: {domain}"


def test_what_was_written_names_nobody() -> None:
    text = (
        "Domain: a.se\nStatus: ok\nState: Ohio\nState: active\nHolder: Jane Private\nRegistrar: Some Registrar\n"
        "Created: 2010-01-02\nExpires: 2027-01-02\nNserver: ns1.b.se\nDNSSEC: unsigned\nPhone: +1 555\n"
    )
    assert written(text.encode(), FREE) == {
        "domain": ["a.se"],
        "statuses": ["ok", "active"],
        "registrar": ["Some Registrar"],
        "events": ["created 2010-01-02", "expires 2027-01-02"],
        "nameservers": ["ns1.b.se"],
        "dnssec": ["unsigned"],
    }


def test_of_an_answer_that_says_free_only_the_lines_that_say_it_are_shown() -> None:
    body = b"% our terms\nNo match for A.SE.\nholder: Jane Doe\n  Status: free\n"
    assert free_lines(body, FREE) == ["No match for A.SE.", "Status: free"]


# Names that anybody may ask about; their words are those of refusals, reservations, statuses and fields.
ODD = (
    "limit-exceeded.se", "rate-limit-reached.se", "blacklist.se", "timeout.se", "malformed.se", "try-again.co.se",
    "access-is-denied.se", "reserved-name.se", "not-available.se", "premium.se", "invalid-domain.se", "error.se",
    "blocked.se", "unavailable.se", "unable-to.se", "pending-delete.se", "xn--blacklist-l-bdb.se", "terms-of-use.se",
    "55000000010.se", "globalblock.se",
)  # fmt: skip


@pytest.mark.parametrize("asked", ODD)
@pytest.mark.parametrize(
    "text",
    [
        "No match for {name}",
        'No match for "{NAME}".',
        "% Query: -T dn,ace {name}\nDomain: {name}\nStatus: free",
        "% Query: {name}.\n\nNo entries found",
        "Domain: {label}\nTLD: se\nStatus: free",
        "Domain name: {LABEL}\n\nNo entries found",
        "Status: available no match for domain {name}\nNo entries found",
        "Status: free ({name})\nNo entries found",
        "Domain {shown} was asked for\n\nNo entries found",
        "See https://registry.example/domain/{name} or mail help@{name}\n\nNo entries found",
        "Asked by way of ns1.{label}.net\n\nNo entries found",
    ],
)
def test_a_name_decides_nothing(text: str, asked: str) -> None:
    label = asked.partition(".")[0]
    shown = idna.decode(asked)
    told = text.format(name=asked, NAME=asked.upper(), label=label, LABEL=label.upper(), shown=shown)
    assert said(told, asked) == ("available", "not_found"), told


@pytest.mark.parametrize("asked", [*ODD, "limit.se", "reserved.se", "many.se"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Query rate limit exceeded for {name}", "rate_limited"),
        ("Too many requests... ({name})", "rate_limited"),
        ("whois.x.se: daily whois-limit exceeded for client 10.0.0.1", "rate_limited"),
        ("Query limit exceeded.Please ask about {name} later.", "rate_limited"),
        ("-3: IP address 10.0.0.1 blocked", "refused"),
        ("Your client is banned: {name}", "refused"),
        ("Terms of use\nYour client\nis not permitted\nto ask about {name}", "bad_content"),
        ("Client 10.0.0.1 is banned, {name}", "refused"),
        ("{name} is reserved\nNo entries found", "reserved"),
        ("Domain: {name}\nStatus: RESERVED\nNo entries found", "reserved"),
        ("Reserved by the registry\nNo entries found", "reserved"),
        ("Status: free\nReserved by the registry", "reserved"),
        ("Status: Not available", "reserved"),
    ],
)
def test_what_a_server_says_itself_stays_what_it_is(text: str, reason: str, asked: str) -> None:
    assert said(text.format(name=asked), asked) == ("unknown", reason)


@pytest.mark.parametrize(
    "text",
    [
        "% Error: 55000000010 Non bijective ace-idn convertible domain",
        "Invalid input",
        "whois.nic.bo solo acepta consultas con dominios .bo",
        "malformed request",
    ],
)
def test_a_question_that_is_refused_is_no_refusal_of_who_asks(text: str) -> None:
    assert said(text, "a.se") == ("unknown", "bad_name")


def test_a_status_beside_it_is_no_refusal() -> None:
    assert said("Error while logging: access to the log denied\nStatus: free") == ("available", "not_found")
    assert said("Rate limit exceeded\nStatus: free", "a.se") == ("available", "not_found")
    assert said("Rate limit exceeded\n\nNo entries found", "a.se") == ("unknown", "rate_limited")


def test_a_name_makes_no_status() -> None:
    for name in ("redemption.se", "reserved-name.se", "error.se", "free.se"):
        answer = read(f"{TAKEN.replace('a.se', name)}Status: delegated, {name}\n", name)
        assert (answer.state, answer.record.statuses) == (
            "registered",
            ("delegated", answer.record.statuses[1]),
        )
    odd = "xn--a.se"  # no name of any script
    assert said(f"No match for {odd}", odd) == ("available", "not_found")
