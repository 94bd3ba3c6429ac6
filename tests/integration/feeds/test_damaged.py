"""Files that are damaged or changed in one place: the place is counted and reported, and running offers stay."""

from __future__ import annotations

import json

import pytest

from afterdrop.feeds.intake import UNNAMED_ROWS
from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.run_context import AuthorityFilter
from tests.support.desk import DAY, NOON, Desk, feed

ALL = AuthorityFilter(judge=lambda _figures: "pass", strength=lambda _figures: 0.5)
NAMECHEAP = "url,name,startDate,endDate,price,bidCount,ahrefsDomainRating,majesticTrustFlow\n"
DYNADOT = "Domain,Bid Price,Bid Price Currency,Bids,End Timestamp\n"


async def test_a_stray_quote_costs_one_row_and_withdraws_no_listing(desk: Desk) -> None:
    spec = open_preset("dynadot_auctions")
    rows = [f"name{number}.com,{10 + number},USD,1,1795400000000\n" for number in range(300)]
    await desk.take((DYNADOT + "".join(rows)).encode(), spec=spec, authority_filter=ALL)
    rows[150] = 'name150.com,"110,USD,1,1795400000000\n'
    run = await desk.take((DYNADOT + "".join(rows)).encode(), NOON + DAY, spec=spec, authority_filter=ALL)
    assert (run.state, run.rows, run.counts) == (
        "done", 300, {"unchanged": 299, "bad": {"open_quote": 1}},
    )  # fmt: skip
    assert run.samples["open_quote"] == [{"line": 152, "sample": rows[150].strip()}]
    assert not await withdrawn(desk)


async def withdrawn(desk: Desk) -> set[str]:
    return {row["domain"] for row in (await desk.listings()).values() if row["withdrawn_at"] is not None}


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ('"name7.com,17,USD,1,1795400000000', "open_quote"),
        ("name7.com,17,USD", "columns"),
        ("NAME7.com.,17,USD,1,soon", "ends_at"),
        ('na"me7.com,17,USD,1,1795400000000', "domain_characters"),
        ("https://www.name7.com/x,17,USD,1,1795400000000,and,more", "columns"),
    ],
)
async def test_a_row_that_could_not_be_read_never_withdraws_its_name(
    desk: Desk, damaged: str, reason: str
) -> None:
    """A name that the file really lacks is withdrawn all the same."""
    spec = open_preset("dynadot_auctions")
    rows = [f"name{number}.com,{10 + number},USD,1,1795400000000" for number in range(300)]
    await desk.take((DYNADOT + "\n".join(rows)).encode(), spec=spec, authority_filter=ALL)
    rows[7] = damaged
    del rows[200]
    run = await desk.take((DYNADOT + "\n".join(rows)).encode(), NOON + DAY, spec=spec, authority_filter=ALL)
    assert (run.state, run.error) == ("done", None)
    assert run.counts == {"unchanged": 298, "withdrawn": 1, "bad": {reason: 1}}
    assert await withdrawn(desk) == {"name200.com"}


@pytest.mark.parametrize("damaged", ["Total: 300 names", '"', "name\ufffd.com,17"])
async def test_a_row_of_which_no_name_can_be_told_withdraws_nothing(desk: Desk, damaged: str) -> None:
    spec = open_preset("dynadot_auctions")
    rows = [f"name{number}.com,{10 + number},USD,1,1795400000000" for number in range(300)]
    await desk.take((DYNADOT + "\n".join(rows)).encode(), spec=spec, authority_filter=ALL)
    rows[7:8] = [damaged]
    run = await desk.take((DYNADOT + "\n".join(rows)).encode(), NOON + DAY, spec=spec, authority_filter=ALL)
    assert (run.state, run.error, "withdrawn" in run.counts) == ("done", UNNAMED_ROWS, False)
    assert not await withdrawn(desk)


async def test_an_object_that_could_not_be_read_never_withdraws_its_name(desk: Desk) -> None:
    """Its name may stand far behind."""
    spec = open_preset("godaddy_auctions")
    made = [
        f'{{"note": "{"x" * 900}", "domainName": "n{number}.com", "link": "https://w.com/n-{number}",'
        ' "auctionType": "Bid", "auctionEndTime": "2026-12-05T16:00:00Z", "price": "$10", "majesticTf": 20}'
        for number in range(40)
    ]
    await desk.take(f'{{"data": [{",".join(made)}]}}'.encode(), spec=spec)
    made[7] = made[7].replace('"$10"', "")
    del made[20]
    run = await desk.take(f'{{"data": [{",".join(made)}]}}'.encode(), NOON + DAY, spec=spec)
    assert (run.state, run.counts["bad"]) == ("done", {"unreadable": 1})
    assert await withdrawn(desk) == {"n20.com"}


async def test_a_line_break_in_a_quoted_cell_keeps_the_row(desk: Desk) -> None:
    spec = open_preset("dynadot_auctions")
    rows = [f"name{number}.com,{10 + number},USD,1,1795400000000\n" for number in range(300)]
    await desk.take((DYNADOT + "".join(rows)).encode(), spec=spec, authority_filter=ALL)
    rows[7] = 'name7.com,"17\r\n",USD,1,1795400000000\n'
    run = await desk.take((DYNADOT + "".join(rows)).encode(), NOON + DAY, spec=spec, authority_filter=ALL)
    assert (run.rows, run.counts) == (300, {"unchanged": 300})


async def test_a_renamed_end_and_price_fail_the_file_and_change_nothing(desk: Desk) -> None:
    spec = open_preset("namecheap_market")
    rows = "".join(
        f"https://www.namecheap.com/market/sale/k{n}/,n{n}.com,,2026-11-23T16:00:00Z,199.00,3,44,20\n"
        for n in range(30)
    )
    await desk.take((NAMECHEAP + rows).encode(), spec=spec)
    before = await desk.listings()
    assert (before["k1"]["price_usd"], before["k1"]["bids"]) == (199, 3)
    renamed = NAMECHEAP.replace("endDate", "endsAt").replace(",price", ",currentPrice")
    run = await desk.take((renamed + rows).encode(), NOON + DAY, spec=spec, accept=True)
    assert (run.state, run.rows, run.counts) == ("failed", 0, {})
    assert run.error is not None
    assert "no column price for the price and no column endDate for the end; it has url, name" in run.error
    assert "endsAt" in run.error and "currentPrice" in run.error
    assert await desk.listings() == before


@pytest.mark.parametrize("kept", [0, 1])
async def test_json_auctions_without_their_end(desk: Desk, kept: int) -> None:
    spec = open_preset("godaddy_auctions")
    rows = [
        {
            "domainName": f"n{number}.com",
            "link": f"https://www.godaddy.com/domain-auctions/n-{number}?isc=1",
            "auctionType": "Bid",
            "auctionEndTime": "2026-12-05T16:00:00Z",
            "price": "$10",
            "majesticTf": 20,
        }
        for number in range(30)
    ]
    await desk.take(json.dumps({"data": rows}).encode(), spec=spec)
    before = await desk.listings()
    for row in rows[kept:]:
        del row["auctionEndTime"]
    run = await desk.take(json.dumps({"data": rows}).encode(), NOON + DAY, spec=spec)
    if kept:
        assert (run.state, run.counts["bad"]) == ("suspect", {"ends_at": 29})
    else:
        assert run.state == "failed" and "no column auctionEndTime for the end" in str(run.error)
    after = await desk.listings()
    assert all(row["ends_at"] == before[key]["ends_at"] for key, row in after.items())
    assert all(row["withdrawn_at"] is None for row in after.values())


@pytest.mark.parametrize(
    ("price", "dollars", "note"),
    [
        ("£1,000", 1316, None),
        ("1,234 €", 1371, None),
        ("1.234 €", None, None),
        ("JPY 12,000", None, "no exchange rate for JPY (12000 JPY)"),
        ("¥500", None, "the feed names 500 without a currency"),
        ("$1,000", 1000, None),
    ],
)
async def test_a_currency_printed_in_the_price(
    desk: Desk, price: str, dollars: int | None, note: str | None
) -> None:
    row = {"domainName": "x.org", "link": "https://w.com/x-7", "auctionType": "Bid", "price": price}
    data = json.dumps({"data": [{**row, "auctionEndTime": "2026-12-05T16:00:00Z", "majesticTf": 20}]})
    rates = {"GBP": 0.76, "EUR": 0.9}
    run = await desk.take(data.encode(), spec=open_preset("godaddy_auctions"), rates=rates)
    (listing,) = (await desk.listings()).values()
    assert (listing["price_usd"], listing["price_note"]) == (dollars, note)
    assert (dollars is not None) == (note is None and "notes" not in run.counts)


def br_list(names: list[str]) -> bytes:
    return "\n".join(["# de 2026-11-20T15:00:00-03:00 a 2026-12-02T15:00:00-03:00", *names]).encode()


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 11])
async def test_a_cut_list_of_a_registry_has_no_wrong_name_and_withdraws_nothing(desk: Desk, cut: int) -> None:
    """A name that loses its end may be another registry's, or a shorter one of this."""
    spec = feed(
        format="csv",
        registry=True,
        extensions=["br"],
        metrics={},
        csv={"preamble": 1, "capture": {"closes": r"a (\S+)"}, "columns": ["domain"]},
        fields={
            "domain": "domain",
            "type": {"const": "pending_delete"},
            "ends_at": {"from": "@closes", "convert": ["iso"], "required": True},
        },
    )
    names = [f"moinho{number}.com.br" for number in range(30)] + ["coral.com.br", "ponte.com.br"]
    await desk.take(br_list([*names, ""]), spec=spec, authority_filter=ALL)
    run = await desk.take(
        br_list([*names[:30], names[30]])[:-cut], NOON + DAY, spec=spec, authority_filter=ALL
    )
    assert (run.state, run.counts, run.error) == (
        "done",
        {"unchanged": 30, "bad": {"cut_off": 1}},
        UNNAMED_ROWS,
    )
    assert {row["domain"] for row in (await desk.listings()).values()} == set(names)
    assert await withdrawn(desk) == set()


async def test_a_registry_lists_its_own_extensions_only(desk: Desk) -> None:
    fields = {"domain": "domain", "type": {"const": "pending_delete"}}
    layout = {"format": "csv", "csv": {"columns": ["domain"]}, "fields": fields, "metrics": {}}
    spec = feed(**layout, registry=True, extensions=["se", "xn--p1ai"])
    text = b"alm.se\nbok.com\nek.se.com\nxn--80ak6aa92e.xn--p1ai\nwww.gran.se\nbusse\nwww.h\xc3\xa4st.nu\n"
    run = await desk.take(text, spec=spec, authority_filter=ALL)
    assert {row["domain"] for row in (await desk.listings()).values()} == {
        "alm.se", "gran.se", "xn--80ak6aa92e.xn--p1ai"
    }  # fmt: skip
    assert run.counts == {
        "new": 3,
        "bad": {"other_extension": 3, "domain_single_label": 1},
        "notes": {"reduced": 1},
    }
    # A marketplace names the extensions that it lists above all.
    run = await desk.take(
        b"bok.com\n", spec=feed(**layout, name="market", extensions=["se"]), authority_filter=ALL
    )
    assert run.counts == {"new": 1}
