"""Whose data is shown: sources are neutral in JSON and named for people."""

from __future__ import annotations

from afterdrop.catalogue.attribution import named_sources


def test_a_facts_source_is_neutral_and_has_a_title_where_it_is_known() -> None:
    at = "2026-11-20T00:00:00Z"
    named = named_sources(
        {
            "valuation": {"source": "feed:godaddy_auctions", "at": at},
            "adult": {"source": "my_list", "at": at},
        }
    )
    assert named["valuation"]["source"].startswith("market_")
    assert named["valuation"]["source_title"] == "GoDaddy Auctions"
    assert named["adult"] == {"source": "my_list", "at": at}
