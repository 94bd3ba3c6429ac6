"""Files that are damaged or changed in one place: the place is counted and reported, and running offers stay."""

from __future__ import annotations

import json

import pytest

from afterdrop.feeds.preset_files import open_preset
from afterdrop.feeds.run_context import AuthorityFilter
from tests.support.desk import DAY, NOON, Desk

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
        "done", 300, {"unchanged": 299, "withdrawn": 1, "bad": {"open_quote": 1}},
    )  # fmt: skip
    assert run.samples["open_quote"] == [{"line": 152, "sample": rows[150].strip()}]


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
