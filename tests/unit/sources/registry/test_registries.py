"""What each registry's own rule says of a name on its way out, from RDAP and from WHOIS."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from afterdrop.sources.registry.drop_estimate import DropEstimate, estimate
from afterdrop.sources.registry.rdap_answer import RegistryAnswer, parse_answer
from afterdrop.sources.registry.whois_answer import parse_whois
from afterdrop.sources.registry.whois_servers import whois_table

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


def in_days(count: int) -> date:
    return NOW.date() + timedelta(days=count)


def rdap(domain: str, *statuses: str, more: dict[str, Any] | None = None, **events: int) -> RegistryAnswer:
    """An RDAP answer; `events` are days from now, by action with `_` for blanks."""
    moments = {name.replace("_", " "): NOW + timedelta(days=day) for name, day in events.items()}
    document = {
        "objectClassName": "domain",
        "ldhName": domain,
        "status": statuses,
        "events": [{"eventAction": name, "eventDate": at.isoformat()} for name, at in moments.items()],
        **(more or {}),
    }
    return parse_answer(200, "application/rdap+json", json.dumps(document).encode(), domain)


def whois(host: str, domain: str, text: str) -> RegistryAnswer:
    return parse_whois(text.encode(), domain, whois_table().by_host[host].dialect)


def told(
    answer: RegistryAnswer, now: datetime = NOW
) -> tuple[str, date | None, date | None, bool, int | None]:
    drop = estimate(answer, now)
    return drop.stage, drop.earliest, drop.latest, drop.exact, drop.drop_hour_utc


@pytest.mark.parametrize(
    ("expired", "wanted"),
    [
        (10, ("expired", in_days(85), in_days(85), False, None)),
        (31, ("redemption", in_days(64), in_days(64), False, None)),
        (89, ("redemption", in_days(6), in_days(6), False, None)),
        (91, ("pending_delete", in_days(4), in_days(4), False, None)),
    ],
)
def test_uk_shows_pending_delete_for_two_months_in_which_the_holder_may_renew(
    expired: int, wanted: tuple[Any, ...]
) -> None:
    words = ("active",) if expired < 30 else ("pending delete",)
    answer = rdap("copper-kettle.co.uk", *words, expiration=-expired)
    assert told(answer) == wanted
    assert estimate(answer, NOW).rests_on == "Nominet (2022, not confirmed since)"


def test_fr_writes_the_day_of_the_request_into_deleted() -> None:
    for ago in (0, 5, 29):
        day = in_days(-ago).strftime("%d/%m/%Y")
        text = f"domain: a.fr\nstatus: REDEMPTION\npending: DELETE\nlast-update: {day}\ndeleted: {day}\n"
        answer = whois("whois.nic.fr", "a.fr", text)
        assert answer.as_json()["releases_at"] is None
        assert told(answer) == ("redemption", in_days(30 - ago), in_days(30 - ago), False, None)
    assert told(rdap("a.fr", "redemption period", "pending delete", last_changed=-5))[1] == in_days(25)


def test_redemption_beside_pending_delete_is_redemption_and_both_words_say_so() -> None:
    text = (
        f"domain: a.fr\nstatus: REDEMPTION\neppstatus: pendingDelete\nlast-update: {in_days(-5)}T07:08:09Z\n"
    )
    answer = whois("whois.nic.fr", "a.fr", text)
    assert (answer.reason, estimate(answer, NOW).stage) == ("redemption", "redemption")


@pytest.mark.parametrize("state", ["delete_blocked", "delete blocked", "To_Be_Released"])
def test_pl_tells_a_termination_beside_its_status(state: str) -> None:
    answer = rdap("a.pl", "active", expiration=120, last_changed=-2, more={"nask0_state": state})
    assert answer.state == "dropping"
    assert told(answer) == ("pending_delete", in_days(3), in_days(3), False, None)


@pytest.mark.parametrize("state", ["registered", "blocked", "reserved", 7, None])
def test_pl_keeps_every_other_state(state: object) -> None:
    assert rdap("a.pl", "active", expiration=120, more={"nask0_state": state}).state == "registered"


def test_pl_says_it_in_a_line_of_whois() -> None:
    text = "DOMAIN NAME: a.pl\nregistrant type: organization\ncreated: 2010.01.02 10:00:00\n"
    answer = whois("whois.dns.pl", "a.pl", f"{text}\nThe domain name is to be released after termination\n")
    assert (answer.state, answer.reason) == ("dropping", "pending_delete")
    terms = "You agree that data about names to be released are to be deleted after use.\n"
    assert whois("whois.dns.pl", "a.pl", f"{text}\n{terms}").state == "registered"


def jprs(domain: str, status: str, expires: str | None, updated: str) -> RegistryAnswer:
    end = f"[Expires on] {expires}\n" if expires else ""
    text = f"[Domain Name] {domain.upper()}\n{end}{status}\n[Last Updated] {updated} (JST)\n"
    return whois("whois.jprs.jp", domain, text)


@pytest.mark.parametrize(
    ("now", "stage"),
    [
        (datetime(2026, 11, 3, tzinfo=UTC), "redemption"),
        (datetime(2026, 11, 20, 14, tzinfo=UTC), "redemption"),
        (datetime(2026, 11, 20, 16, tzinfo=UTC), "pending_delete"),
    ],
)
def test_jp_is_suspended_for_a_month_restorable_until_the_20th_and_free_on_the_first(
    now: datetime, stage: str
) -> None:
    answer = jprs("a.jp", "[Status] Suspended", "2026/11/30", "2026/11/01 00:29:53")
    assert answer.state == "dropping"
    assert answer.as_json()["releases_at"] == "2026-11-30T15:00:00Z"
    assert told(answer, now) == (stage, date(2026, 12, 1), date(2026, 12, 1), True, None)


def test_jp_to_be_suspended_drops_a_month_later() -> None:
    answer = jprs("a.jp", "[Status] To be suspended", "2026/12/31", "2026/11/21 18:30:48")
    assert told(answer)[:4] == ("active", date(2027, 2, 1), date(2027, 2, 1), False)


def test_co_jp_writes_its_last_deleted_day_into_the_state() -> None:
    answer = jprs("a.co.jp", "[State] Deleted (2026/11/30)", None, "2026/11/01 12:00:43")
    assert answer.state == "dropping"
    assert told(answer) == ("redemption", date(2026, 12, 1), date(2026, 12, 1), True, None)
    assert jprs("a.co.jp", "[State] Deleted", None, "2026/11/01 12:00:43").state == "unknown"
    active = jprs("a.jp", "[Status] Active", "2026/11/30", "2025/11/01 12:00:43")
    assert (active.state, active.releases_on) == ("registered", None)


@pytest.mark.parametrize("domain", ["a.se", "a.nu"])
def test_se_and_nu_release_at_four_and_their_quarantine_is_final(domain: str) -> None:
    host = f"whois.iis.{domain[2:]}"
    dates = f"expires: {in_days(-72)}\ndate_to_delete: {in_days(-2)}\ndate_to_release: {in_days(5)}\n"
    for words in ("state: quarantine\nstatus: pendingDelete", "state: quarantine"):
        answer = whois(host, domain, f"domain: {domain}\n{words}\n{dates}")
        assert answer.as_json()["releases_at"] == f"{in_days(5)}T04:00:00Z"
        assert told(answer) == ("pending_delete", in_days(5), in_days(5), True, 4)
    dates = f"expires: {in_days(-40)}\ndate_to_delete: {in_days(30)}\ndate_to_release: {in_days(37)}\n"
    answer = whois(host, domain, f"domain: {domain}\nstate: deactivated\n{dates}status: serverHold\n")
    assert told(answer) == ("redemption", in_days(37), in_days(37), True, 4)
    assert told(rdap(domain, "active", expiration=-5)) == ("expired", in_days(72), in_days(72), False, 4)


def test_days_and_moments_that_whois_names() -> None:
    belgian = whois("whois.dns.be", "a.be", "Domain: a.be\nStatus: QUARANTINE\nAvailable: Thu Dec  3 2026\n")
    assert told(belgian) == ("redemption", date(2026, 12, 3), date(2026, 12, 3), True, None)
    dutch = whois(
        "whois.domain-registry.nl",
        "a.nl",
        "Domain name: a.nl\nStatus: in quarantine\nDate out of quarantine: 2026-12-03T09:17:32\n",
    )
    assert told(dutch) == ("redemption", date(2026, 12, 3), date(2026, 12, 3), True, 9)
    russian = "domain: A.RU\nstate: REGISTERED, NOT DELEGATED\npaid-till: 2026-11-20T21:00:00Z\nfree-date: 2026-12-21\n"
    assert told(whois("whois.tcinet.ru", "a.ru", russian))[:4] == (
        "expired",
        date(2026, 12, 21),
        date(2026, 12, 21),
        True,
    )
    paid = russian.replace("2026-11-20", "2027-11-20").replace("2026-12-21", "2027-12-21")
    assert told(whois("whois.tcinet.ru", "a.ru", paid))[0::3] == ("active", False)
    danish = (
        "Domain: a.dk\nRegistered: 2010-01-02\nExpires: 2027-01-31\nStatus: Active\nDelete date: 2026-12-10\n"
    )
    assert told(whois("whois.punktum.dk", "a.dk", danish))[1:3] == (date(2026, 12, 10), date(2026, 12, 10))


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (rdap("a.de", "redemption period", last_changed=-3), ("redemption", 27, 27, None)),
        (rdap("a.de", "redemption period", last_changed=-300), ("redemption", None, None, None)),
        (rdap("a.nl", "redemption period", last_changed=-10), ("redemption", 30, 30, None)),
        (rdap("a.it", "pending delete", last_changed=-1), ("pending_delete", 1, 2, 8)),
        (rdap("a.it", "redemption period", "pending delete", last_changed=-1), ("redemption", 31, 32, 8)),
        (rdap("a.it", "auto renew period", expiration=-3), ("expired", 39, 45, 8)),
        (rdap("a.com.au", "server hold", expiration=-10), ("expired", 21, 22, 3)),
        # The 26th is a Thursday; sessions are on Wednesdays.
        (rdap("a.ca", "pending delete", last_changed=-1), ("pending_delete", 6, 13, 19)),
        (rdap("a.ca", "redemption period", last_changed=-2), ("redemption", 34, 41, 19)),
        (rdap("a.nz", "pending delete", last_changed=-1), ("pending_delete", None, None, None)),
        (rdap("a.app", "pending delete", deletion=-31, last_changed=-200), ("pending_delete", 4, 6, None)),
        (rdap("a.app", "pending delete", deletion=-31, last_changed=-1), ("pending_delete", 4, 5, None)),
        (rdap("a.ai", "redemption period", last_changed=-2), ("redemption", None, None, None)),
        (rdap("a.fi", "active", expiration=-5), ("expired", None, None, None)),
    ],
)
def test_days_of_published_rules_and_none_of_others(
    answer: RegistryAnswer, wanted: tuple[str, int | None, int | None, int | None]
) -> None:
    stage, earliest, latest, hour = wanted
    found = estimate(answer, NOW)
    days = [None if day is None else in_days(day) for day in (earliest, latest)]
    assert (found.stage, found.earliest, found.latest, found.drop_hour_utc) == (stage, *days, hour)
    assert not found.exact
    assert found == DropEstimate(stage) or found.rests_on  # type: ignore[arg-type]  # one of the stages
