"""Every shipped preset reads rows in the shape its marketplace or registry publishes (rows invented here)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from afterdrop.core.errors import SettingsError, SettingsFaults
from afterdrop.core.settings import Feed, Settings
from afterdrop.feeds.preset_files import (
    all_configured,
    check_sources,
    configured,
    open_feed,
    open_preset,
    preset_names,
)
from afterdrop.sources.registry.release_hours import release_opens
from tests.support.feed_inputs import good, gzipped, zipped

GODADDY = {
    "domainName": "Quarry-Orchard.ORG",
    "link": "https://www.godaddy.com/domain-auctions/quarry-orchard-org-611223344?isc=json_biddable",
    "auctionType": "Bid",
    "auctionEndTime": "2026-12-05T16:00:00Z",
    "price": "$1,234",
    "numberOfBids": 4,
    "domainAge": 4,
    "valuation": "-",
    "isAdult": "False",
    "majesticTf": 7,
    "majesticCf": 12,
    "majesticBacklinks": 300,
    "majesticReferringDomains": 21,
    "semrushAs": 3,
    "semrushReferringDomains": 188,
    "semrushIndexedPages": 40,
    "semrushSearchVolume": 1300,
    "semrushCpc": 0.1,
    "exactMatchTlds": 2,
    "semrushTopReferringDomains": "hillside-news.com, otter.net",
}
# The end of a closeout is that of the auction before it.
CLOSEOUT = {**GODADDY, "domainName": "closeout.com", "link": "x", "auctionType": "BuyNow", "majesticTf": None}
CLOSEOUT["auctionEndTime"] = "2026-10-05T16:00:00Z"
del CLOSEOUT["numberOfBids"]
NAMECHEAP_2026 = (
    "url,name,startDate,endDate,price,startPrice,renewPrice,bidCount,ahrefsDomainRating,umbrellaRanking,"
    "cloudflareRanking,estibotValue,extensionsTaken,keywordSearchCount,registeredDate,lastSoldPrice,lastSoldYear,"
    "isPartnerSale,semrushAScore,majesticCitation,ahrefsBacklinks,semrushBacklinks,majesticBacklinks,"
    "majesticTrustFlow,goValue\n"
    "https://www.namecheap.com/market/sale/9kQwErTyUiOp12345678Zz/,orchard.pro,2026-11-03T10:31:53Z,"
    "2026-12-04T16:00:00Z,1.50,1.00,33.98,1,14,,,270.00,384,633000,2016-01-26T00:00:00Z,,,1,2,11,,9,31,6,3853.00\n"
)
NAMECHEAP_OLD = (
    "url,name,startDate,endDate,price,startPrice,renewPrice,bidCount,ahrefsDomainRating,alexaRanking,backlinksCount\n"
    "https://www.namecheap.com/market/sale/AbC/,old.cc,2026-11-03T10:31:53Z,2026-12-04T16:00:00Z,9,1,13,0,,,16\n"
)
# In ISO-8859-1; the window of the round stands in a comment.
REGISTRO_BR = (
    "# Processo de liberação no período de 2026-12-09T15:00:00-03:00 a 2026-12-16T15:00:00-03:00\n"
    "# Mais informações em https://registro.br/dominio/processo-de-liberacao/\n"
    "# Arquivo gerado em 2026-12-07T10:00:08-03:00\n"
    "quarry-orchard.com.br\notter.net.br\n# Fim do arquivo\n"
).encode("iso-8859-1")
DYNADOT = (
    "Domain,Bid Price,Bid Price Currency,Bids,End Time,End Timestamp,Links,Age, Appraisal, Appraisal Currency\n"
    "otter.ai,$1,USD,15,2026/12/05 22:17 PST,1796537824112,19,2,$4097,USD\n"
)
DROPPING = "Domain,TLD,Type,Drop Date\nQuayNews.com,com,PendingDelete,2026-11-23\n"


@dataclass(frozen=True)
class Case:
    """A preset, a file in its published shape, and the listing that its first row must become."""

    preset: str
    data: bytes | str
    wanted: dict[str, Any]
    rows: int = 1


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]  # a date spelled by its numbers


CASES = [
    Case(
        "godaddy_auctions",
        zipped({"a.json": "\ufeff" + json.dumps({"meta": {"rows": 2}, "data": [GODADDY, CLOSEOUT]})}),
        {
            "domain": "quarry-orchard.org",
            "key": "611223344",
            "url": GODADDY["link"],
            "type": "bid",
            "price": Decimal(1234),
            "bids": 4,
            "ends_at": at(2026, 12, 5, 16),
            "metrics": {
                "trust_flow": 7,
                "citation_flow": 12,
                "referring_domains": 21,
                "backlinks": 300,
                "vendor_a_authority_score": 3,
                "top_referring_domains": ["hillside-news.com", "otter.net"],
                "search_volume": 1300,
                "cost_per_click": 0.1,
                "extensions_taken": 2,
                "adult": 0,
            },
        },
        rows=2,
    ),
    Case(
        "namecheap_market",
        NAMECHEAP_2026,
        {
            "domain": "orchard.pro",
            "key": "9kQwErTyUiOp12345678Zz",
            "type": "bid",
            "price": Decimal("1.50"),
            "bids": 1,
            "ends_at": at(2026, 12, 4, 16),
            "metrics": {
                "domain_rating": 14,
                "trust_flow": 6,
                "citation_flow": 11,
                "backlinks": 31,
                "vendor_a_authority_score": 2,
                "valuation": 3853,
                "search_volume": 633000,
                "extensions_taken": 384,
            },
        },
    ),
    Case(
        "namecheap_market",
        NAMECHEAP_OLD,
        {
            "domain": "old.cc",
            "metrics": {"backlinks": 16},
            "notes": ("no_trust_flow", "no_citation_flow", "no_vendor_a_authority_score"),
        },
    ),
    Case(
        "namecheap_buy_now",
        "permalink,domain,price,extensions_taken\nhttps://www.namecheap.com/market/buynow/quay.com/,quay.com,2500.00,12\n",
        {
            **{"domain": "quay.com", "type": "buy_now", "price": Decimal("2500.00"), "ends_at": None},
            "metrics": {"extensions_taken": 12},
        },
    ),
    Case(
        "dynadot_auctions",
        "Domain,Bid Price,Bid Price Currency,Bids,End Time,End Timestamp,Links,Age, Appraisal, Appraisal Currency\n"
        "otter.ai,$101,USD,15,2026/10/11 22:17 PST,1791782224112,19,2,$4097,USD\n",
        {
            "domain": "otter.ai",
            "url": "https://www.dynadot.com/market/auction/otter.ai",
            "type": "bid",
            "price": Decimal(101),
            "bids": 15,
            "ends_at": at(2026, 10, 12, 5, 17, 4),
            "metrics": {"valuation": 4097},
        },
    ),
    Case(
        "dropcatch_dropping",
        zipped({"Dropping_AllDays_2026-11-20.csv": DROPPING}),
        {"domain": "quaynews.com", "type": "pending_delete", "ends_at": at(2026, 11, 23, 21), "price": None},
    ),
    Case(
        "sedo_auctions",
        "# domain;start;end;price;currency;bids\nquay.com;1790844429;1791449229;30;&#163;;2;\n",
        {
            "domain": "quay.com",
            "type": "auction",
            "price": Decimal(30),
            "currency": "GBP",
            "bids": 2,
            "ends_at": at(2026, 10, 8, 8, 47, 9),
        },
    ),
    Case("sedo_auctions", "quay.com;1790844429;1791449229;30;$US;1;\n", {"currency": "USD"}),
    Case(
        "parkio_auctions",
        json.dumps(
            {
                "success": True,
                "page": 1,
                "auctions": [{"name": "Otter.co", "price": "99", "close_date": "2026-07-10EDT12:41:01000"}],
            }
        ),
        {
            "domain": "otter.co",
            "type": "auction",
            "price": Decimal(99),
            "ends_at": at(2026, 10, 7, 16, 41, 1),
        },
    ),
    Case(
        "namesilo_auctions",
        json.dumps(
            {
                "request": {"operation": "listAuctions"},
                "reply": {
                    "code": 300,
                    "body": [
                        {
                            "id": 17,
                            "domain": "otter.net",
                            "currentBid": 1.0,
                            "auctionEndsOn": "2026-12-22 08:00:00",
                            "auctionEndsOnUtc": "2026-12-22 15:00:00",
                            "url": "https://www.namesilo.com/auctions/otter.net",
                            "bidsQuantity": 1,
                        }
                    ],
                },
            }
        ),
        {
            "domain": "otter.net",
            "key": "17",
            "price": Decimal("1.0"),
            "bids": 1,
            "ends_at": at(2026, 12, 22, 15),
        },
    ),
    Case(
        "snapnames_deleting",
        "Deleting domains\n\nDomain name,Current bid,Auction end date\nquay.com,79,11/23/2026\n",
        {"domain": "quay.com", "type": "pending_delete", "ends_at": at(2026, 11, 23, 21)},
    ),
    Case(
        "snapnames_deleting",
        "List\nDomain name,Join By Date (ET)\nquay.com,11/23/2026 01:45:00 PM\n",
        {"domain": "quay.com", "ends_at": at(2026, 11, 23, 21)},
    ),
    Case(
        "nominet_uk",
        gzipped("roid,domain,drop_time\nD_12345678-UK,quay.co.uk,2026-12-13T11:31:21Z\n"),
        {"domain": "quay.co.uk", "key": "D_12345678-UK", "ends_at": at(2026, 12, 13, 11, 31, 21)},
    ),
    Case(
        "iis_se",
        '{"data": [{"name": "räksmörgås.se", "release_at": "2026-12-13"}]}',
        {"domain": "xn--rksmrgs-5wao1o.se", "key": "xn--rksmrgs-5wao1o.se", "ends_at": at(2026, 12, 13, 6)},
    ),
    Case(
        "iis_nu",
        '{"data": [{"name": "quay.nu", "release_at": "2026-12-13"}]}',
        {"domain": "quay.nu", "ends_at": at(2026, 12, 13, 6)},
    ),
    Case(
        "dns_pl",
        "2026-11-20 08:00:01\n\nquay.pl\nquay.com.pl\n",
        {"domain": "quay.pl", "type": "pending_delete", "ends_at": at(2026, 11, 20, 23, 59, 59)},
        rows=2,
    ),
    Case(
        "registro_br_release",
        REGISTRO_BR,
        {
            "domain": "quarry-orchard.com.br",
            "type": "pending_delete",
            "url": None,
            "ends_at": at(2026, 12, 16, 18),
        },
        rows=2,
    ),
    Case(
        "registro_br_competitive",
        REGISTRO_BR,
        {"domain": "quarry-orchard.com.br", "type": "pending_delete", "ends_at": at(2026, 12, 16, 18)},
        rows=2,
    ),
    Case(
        "registry_mx",
        "01/12/26 03:00:16 GMT-6\nDominio,Disponible\nQuarry.COM.mx,true\n",
        {"domain": "quarry.com.mx", "type": "pending_delete", "ends_at": at(2026, 12, 1, 23, 59, 59)},
    ),
    Case(
        "parkio_drops",
        json.dumps(
            {
                "success": True,
                "nextPage": True,
                "pageCount": 5,
                "domains": [
                    {"id": "439097", "name": "Otter.io", "date_available": "2026-12-05", "tld": "io"}
                ],
            }
        ),
        {
            "domain": "otter.io",
            "type": "pending_delete",
            "url": "https://park.io/domains/view/otter.io",
            "ends_at": at(2026, 12, 5, 23, 59, 59),
        },
    ),
    Case(
        "dynadot_user_auctions",
        DYNADOT,
        {
            "domain": "otter.ai",
            "type": "auction",
            "price": Decimal(1),
            "bids": 15,
            "ends_at": at(2026, 12, 6, 6, 17, 4),
        },
    ),
    Case(
        "dynadot_pre_expiry_auctions",
        DYNADOT,
        {
            "domain": "otter.ai",
            "type": "bid",
            "price": Decimal(1),
            "bids": 15,
            "ends_at": at(2026, 12, 6, 6, 17, 4),
        },
    ),
    Case(
        "sedo_topdomains",
        "# top\nOtter.net~54.000 EUR~\nquarry.com~Make offer~\n",
        {
            "domain": "otter.net",
            "key": "Otter.net",
            "type": "buy_now",
            "price": Decimal(54000),
            "currency": "EUR",
            "ends_at": None,
        },
        rows=2,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.preset)
def test_a_row_in_the_published_shape(case: Case) -> None:
    found = good(open_preset(case.preset), case.data)
    assert len(found) == case.rows
    wanted = {"notes": (), **case.wanted}
    assert {name: getattr(found[0], name) for name in wanted} == wanted


def test_every_preset_is_read_and_fits_seven_sources() -> None:
    dated = {"nic_it_09", "nic_it_16"}  # read below: their end is a day from now
    assert {case.preset for case in CASES} | dated == set(preset_names())
    specs = [open_preset(name) for name in preset_names()]
    check_sources(specs)
    assert [spec.name for spec in specs] == preset_names()
    assert all(spec.licence != "open" or spec.attribution is None for spec in specs)


def test_a_closeout_is_a_buy_now_without_bids() -> None:
    row = good(open_preset("godaddy_auctions"), CASES[0].data)[1]
    assert (row.type, row.bids, row.url) == ("buy_now", 0, None)


def test_a_preset_changed_by_the_settings(tmp_path: Path) -> None:
    feed = Feed(
        preset="dropcatch_dropping",
        url="https://client.dropcatch.com/other",
        source="drops",
        permission="the operator, 2026-11-01",
        options={"name": "dropcatch_day3", "headers": {"X-A": "1"}, "fields": {"url": None}},
    )
    spec = configured(feed)
    assert (spec.name, spec.source, spec.url) == (
        "dropcatch_day3",
        "drops",
        "https://client.dropcatch.com/other",
    )
    assert spec.headers == {"Accept": "application/json", "X-A": "1"}
    assert not spec.own_use
    assert spec.indirection is not None
    local = configured(Feed(preset="dropcatch_dropping", url=str(tmp_path / "list.csv")))
    assert (local.url, local.path, local.indirection) == (None, str(tmp_path / "list.csv"), None)
    assert configured(Feed(preset="nominet_uk", options={"path": "x", "container": "plain"})).path == "x"


def test_an_operators_own_file_and_wrong_ones(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'name="own"\npath="/data/list.txt"\nformat="ndjson"\ncomplete=false\nevidence="sample"\nlicence="open"\n'
        '[fields]\ndomain="d"\ntype={const="auction"}\n'
    )
    assert open_preset(str(own)).name == "own"
    assert open_preset(str(own), {"url": "https://x.com/l"}).path is None
    own.write_text("name=")
    with pytest.raises(SettingsError, match="not valid TOML"):
        open_preset(str(own))
    with pytest.raises(SettingsError, match="cannot be read"):
        open_preset(str(tmp_path / "missing.toml"))
    with pytest.raises(SettingsError, match="no shipped preset"):
        open_preset("godady")
    assert [spec.name for spec in all_configured(with_feeds("iis_se", "iis_nu"))] == [
        "iis_se",
        "iis_nu",
    ]
    with pytest.raises(SettingsError, match="configured twice"):
        all_configured(with_feeds("nominet_uk", "nominet_uk"))


def test_a_feed_is_opened_as_configured_wherever_it_is_taken_from() -> None:
    mine = Feed(preset="sedo_auctions", source="mine", permission="P, 2026", url="https://x.com/l")
    feeds = Settings(feeds=(Feed(preset="iis_se"), mine))
    spec = open_feed("sedo_auctions", feeds)
    assert (spec.source, spec.permission, spec.url) == ("mine", "P, 2026", "https://x.com/l")
    local = open_feed("sedo_auctions", feeds, "/data/list.txt")
    assert (local.source, local.permission, local.url, local.path) == (
        "mine", "P, 2026", None, "/data/list.txt",
    )  # fmt: skip
    shipped = open_feed("nominet_uk", feeds, "http://127.0.0.1/uk.csv")
    assert (shipped.permission, shipped.url) == (None, "http://127.0.0.1/uk.csv")
    assert open_feed("nominet_uk", Settings()) == open_preset("nominet_uk")
    moved = Settings(feeds=(Feed(preset="nominet_uk", options={"path": "x", "container": "plain"}),))
    assert open_feed("nominet_uk", moved, "https://x.com/uk.csv").path is None


def test_a_public_deployment_refuses_what_is_for_own_use_and_names_all_of_it() -> None:
    public = with_feeds("nominet_uk", "sedo_auctions", "godaddy_auctions")
    with pytest.raises(SettingsFaults) as refused:
        all_configured(public)
    assert [name for name, _ in refused.value.faults] == ["feeds: sedo_auctions", "feeds: godaddy_auctions"]
    with pytest.raises(SettingsError, match="feeds: snapnames_deleting: its licence is for your own use"):
        open_feed("snapnames_deleting", public, "/data/list.txt")
    team = public.model_copy(update={"audience": "team"})
    assert len(all_configured(team)) == 3
    assert open_feed("snapnames_deleting", team).own_use


def with_feeds(*presets: str) -> Settings:
    """Settings with these feeds."""
    return Settings(feeds=tuple(Feed(preset=preset) for preset in presets))


def test_the_italian_registrys_lists_name_tomorrows_moments() -> None:
    now = datetime(2026, 11, 27, 23, 30, tzinfo=UTC)  # in Rome it is the 28th
    for hour, moment in (("09", 8), ("16", 15)):
        shipped = open_preset(f"nic_it_{hour}")
        spec = shipped.of_day(now)
        assert spec.url == f"https://www.nic.it/droptime/files/20261129{hour}.txt"
        assert spec.of_day(now + timedelta(days=9)) is spec
        without_end = shipped.fields.model_copy(update={"ends_at": None})
        assert shipped.model_copy(update={"fields": without_end}).of_day(now).url == spec.url
        rows = good(spec, b"alba-chiara.it\nbar-centrale.it\n")
        ends = datetime(2026, 11, 29, moment, tzinfo=UTC)
        assert [(row.domain, row.ends_at, row.type) for row in rows] == [
            ("alba-chiara.it", ends, "pending_delete"),
            ("bar-centrale.it", ends, "pending_delete"),
        ]
        assert release_opens("alba-chiara.it", ends) == ends


def test_every_preset_names_its_marketplace_or_registry() -> None:
    titles = {name: open_preset(name).title for name in preset_names()}
    assert [name for name, title in titles.items() if not title] == []
    assert (titles["godaddy_auctions"], titles["nominet_uk"]) == ("GoDaddy Auctions", "Nominet (.uk)")
    assert configured(Feed(preset="sedo_auctions", options={"title": "Ours"})).title == "Ours"


def test_every_preset_of_a_marketplace_has_a_home_and_none_of_a_registry_has() -> None:
    specs = [open_preset(name) for name in preset_names()]
    assert [spec.name for spec in specs if (spec.home is None) is not spec.registry] == []
