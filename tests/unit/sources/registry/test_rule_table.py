"""The table of registries' rules as people read it."""

from dataclasses import replace
from datetime import date

from afterdrop.sources.registry.registry_rules import Release, how_to_buy, registry_rules, rule_of
from afterdrop.sources.registry.rule_table import HEADS, RuleRow, rule_rows


def row(extension: str) -> RuleRow:
    return rule_rows({extension: registry_rules()[extension]})[0]


def test_each_registry_has_one_row_and_every_row_its_source() -> None:
    rows = rule_rows()
    assert len(rows) == len({rule.registry + rule.source for rule in registry_rules().values()})
    assert all(len(HEADS) == len(each) and each["source"] for each in rows)
    assert all(int(each["year"]) > 2000 for each in rows if each["inferred"] == "no")
    assert rows[0]["extensions"] == "generic"


def test_days_and_moments_in_words() -> None:
    assert (row("com")["grace"], row("com")["redemption"]) == ("0-45", "30"), "the days of all generic ones"
    assert row("com")["release"] == "14:00 America/New_York (a guide of 2008, not the registry)"
    assert (row("se")["pending_delete"], row("nl")["redemption"]) == ("7 (quarantine)", "40 (quarantine)")
    assert row("at")["grace"] == row("at")["list"] == row("at")["release"] == "-"
    releases = {name: row(name)["release"] for name in ("uk", "be", "nl", "it", "ca", "nz")}
    assert releases == {
        "uk": "the second that the list names",
        "be": "every hour, on the hour",
        "nl": "within 60 minutes from the moment that the answer names",
        "it": "09:00 or 16:00 Europe/Rome",
        "ca": "Wednesdays, 19:00 UTC",
        "nz": "02:00-03:00 UTC",
    }
    assert [row(name)["sold_first"] for name in ("com", "cz", "dk", "ca")] == [
        "anybody",
        "auction of the registry",
        "waiting list of the registry",
        "session for registrars",
    ]


def test_who_can_have_a_name_first_is_said() -> None:
    assert "auctions" in (how_to_buy("a.cz") or "")
    assert how_to_buy("a.com") is how_to_buy("a.xy") is None
    assert how_to_buy("a.org") == how_to_buy("a.io") == how_to_buy("a.info")
    assert "Dropzone" in (how_to_buy("a.org") or "")
    served = rule_of("a.org")
    assert served is rule_of("a.info") and served is not rule_of("a.xyz")
    assert served is not None and served.redemption == (30, 30), "the days of all generic ones"
    assert all(rule.how_to_buy or rule.sold_first is None for rule in registry_rules().values()), (
        "whoever sells a name first is told"
    )


def test_a_release_of_one_weekday_waits_for_it() -> None:
    canadian = rule_of("a.ca")
    assert canadian is not None
    assert canadian.release is not None
    thursday, wednesday = date(2026, 11, 26), date(2026, 12, 2)
    assert [canadian.release.on_or_after(day) for day in (thursday, wednesday)] == [wednesday, wednesday]
    daily = Release("registry", "a page", 2026)
    assert daily.on_or_after(thursday) == thursday
    assert replace(canadian, year=2020).words(thursday) == "CIRA (2020, not confirmed since)"


def test_a_source_without_a_year_says_so() -> None:
    assert row("ch")["year"] == "-"
    assert registry_rules()["ch"].words(date(2026, 11, 27)) == "SWITCH (of an unknown year)"
