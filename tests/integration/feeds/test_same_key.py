"""Rows of one key: several names are several offers, and of one offer the row that runs counts."""

from __future__ import annotations

from typing import Any

import pytest

from afterdrop.feeds import csv_rows, intake
from afterdrop.feeds.run_context import AuthorityFilter
from tests.support.desk import DAY, FILTER, NOON, Desk, offer

ENDED = "2026-11-19T18:00:00Z"
NAMES = ("kettle.com", "choir.org", "basket.net")


@pytest.fixture(params=["one batch", "a batch for each row", "names told from memory"])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How a file of a few rows is cut."""
    if request.param != "one batch":
        monkeypatch.setattr("afterdrop.feeds.parse.BATCH", 1)
        monkeypatch.setattr(csv_rows, "BATCH", 1)
        monkeypatch.setattr(csv_rows, "_PORTION", 1)
    if request.param == "names told from memory":
        monkeypatch.setattr(intake, "LOOKED_UP", 1)
    return str(request.param)


async def kept(desk: Desk) -> dict[str, Any]:
    """Each running listing's first sight, by name."""
    rows = await desk.listings()
    return {row["domain"]: row["first_seen_at"] for row in rows.values() if row["withdrawn_at"] is None}


@pytest.mark.usefixtures("cut")
async def test_names_under_one_key_are_all_kept_and_told_of_once(desk: Desk) -> None:
    rows = [offer(name, id="9.00715E+15") for name in NAMES]
    run = await desk.take(rows)
    assert (run.state, run.passed, run.counts) == ("done", 3, {"new": 3})
    assert run.error is not None and run.error.count("different names have one id") == 1
    assert "'9.00715E+15' (kettle.com and choir.org)" in run.error
    assert await kept(desk) == dict.fromkeys(NAMES, NOON)
    assert set(await desk.candidates()) == set(NAMES)


@pytest.mark.usefixtures("cut")
async def test_names_under_one_key_stay_the_same_offers_in_any_order(desk: Desk) -> None:
    rows = [offer(name, id="9.00715E+15") for name in NAMES]
    await desk.take(rows)
    before = await desk.listings()
    assert (await desk.take(rows[::-1], NOON + DAY)).counts == {"unchanged": 3}
    cheaper = [{**row, "p": "9"} for row in (rows[2], rows[0])]
    assert (await desk.take(cheaper, NOON + DAY + DAY / 2)).counts == {"refreshed": 2, "withdrawn": 1}
    after = await desk.listings()
    assert {key: row["domain"] for key, row in after.items()} == {
        key: row["domain"] for key, row in before.items()
    }
    assert await kept(desk) == {"kettle.com": NOON, "basket.net": NOON}


async def test_a_constant_key_of_many_names(desk: Desk) -> None:
    names = {f"n{number}.com" for number in range(1200)}
    run = await desk.take([offer(name, id="lot") for name in sorted(names)])
    assert run.counts == {"new": 1200}
    assert set(await kept(desk)) == names


async def test_a_key_that_is_given_to_another_name_is_no_fault_of_the_file(desk: Desk) -> None:
    await desk.take([offer("kettle.com", id="7")])
    run = await desk.take([offer("choir.org", id="7")], NOON + DAY)
    assert (run.counts, run.error) == ({"new": 1, "withdrawn": 1}, None)
    assert await kept(desk) == {"choir.org": NOON + DAY}


async def test_one_row_for_each_key_is_as_ever(desk: Desk) -> None:
    """Neighbours: a name with two lots, and keys that look alike."""
    rows = [offer("kettle.com", id="7"), offer("kettle.com", id="07"), offer("choir.org", id="7.0")]
    run = await desk.take(rows)
    assert (run.counts, run.error) == ({"new": 3}, None)
    assert set(await desk.listings()) == {"7", "07", "7.0"}


async def test_a_long_key_of_several_names_can_be_stored(desk: Desk) -> None:
    run = await desk.take([offer(name, id="k" * 500) for name in NAMES])
    assert (run.state, run.counts) == ("done", {"new": 3})
    assert max(map(len, await desk.listings())) == 500


async def test_names_without_metrics_under_one_key(desk: Desk) -> None:
    async def ask(names: Any) -> dict[str, Any]:
        return {}

    asking = AuthorityFilter(FILTER.judge, FILTER.strength, ask)
    rows = [offer(name, id="1", tf=None) for name in NAMES] + [offer("kettle.com", id="1", tf=None)]
    run = await desk.take(rows, authority_filter=asking)
    assert run.counts == {"duplicate": 1, "no_metrics": 3}


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("order", [(0, 1), (1, 0), (1, 0, 1)])
async def test_an_outdated_row_never_ends_what_the_same_file_says_is_running(
    desk: Desk, order: tuple[int, ...]
) -> None:
    running = offer("kettle.com", id=None, u=None, p="40")
    outdated = {**running, "p": "95", "e": ENDED}
    await desk.take([running, offer("choir.org")])
    await desk.settle("published", NOON, "kettle.com")
    file = [(running, outdated)[place] for place in order]
    run = await desk.take([*file, offer("choir.org")], NOON + DAY)
    assert run.counts == {"duplicate": len(order) - 1, "unchanged": 2}
    stored = (await desk.listings())["kettle.com"]
    assert (stored["price_usd"], stored["ends_at"]) == (40, NOON + 3 * DAY)
    assert (stored["first_seen_at"], stored["withdrawn_at"]) == (NOON, None)
    assert (await desk.candidates())["kettle.com"]["state"] == "settled"


@pytest.mark.usefixtures("cut")
async def test_of_two_running_rows_the_last_counts_and_of_two_past_ones_too(desk: Desk) -> None:
    rows = [offer("kettle.com"), offer("choir.org")]
    await desk.take(rows)
    file = [offer("kettle.com", p="5"), offer("kettle.com", p="6")]
    file += [offer("choir.org", e="2026-11-18T18:00:00Z"), offer("choir.org", e=ENDED)]
    run = await desk.take(file, NOON + DAY)
    assert run.rows == 4
    assert run.counts["closed"] == 1
    assert sum(number for number in run.counts.values() if isinstance(number, int)) == 4
    stored = await desk.listings()
    assert stored["id-kettle.com"]["price_usd"] == 6
    assert stored["id-choir.org"]["ends_at"].isoformat() == "2026-11-19T18:00:00+00:00"
