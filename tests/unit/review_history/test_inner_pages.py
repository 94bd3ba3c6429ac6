"""Which pages beside the home page are read where no address tells."""

from __future__ import annotations

from afterdrop.review.history.capture_plan import inner_pages
from afterdrop.sources.archive.cdx import read_index
from tests.support.histories import DOMAIN


def chosen(pages: dict[str, int]) -> list[str]:
    """The pages chosen of an index with each of `pages` archived in its year."""
    lines = sorted(
        f"com,oldmill-bakery){path} {year}0101000000 http://{DOMAIN}{path} text/html 200 {path}{year} 900"
        for path, year in pages.items()
    )
    return [page.path for page in inner_pages(read_index("\n".join(lines).encode(), DOMAIN))]


def test_articles_are_read_before_lists_and_never_the_home_page() -> None:
    assert chosen({"/": 2010, "/bread": 2010, "/how-we-bake-rye": 2010, "/a-b": 2012}) == [
        "/how-we-bake-rye",
        "/a-b",
    ]
    assert chosen({"/": 2010, "/contact": 2010}) == ["/contact"]
    assert chosen({"/": 2010}) == []
    assert chosen({}) == []


def test_the_largest_burst_of_new_addresses_after_the_first_year_is_read() -> None:
    site = {"/": 2005, **{f"/our-long-story-part-{n}": 2005 for n in range(50)}}
    own = ["/our-long-story-part-0", "/our-long-story-part-1"]
    burst = {f"/x{n}-y": 2012 for n in range(30)}
    later = {f"/a-very-late-piece-{n}": 2015 for n in range(29)}
    assert chosen({**site, **burst, **later}) == ["/x0-y", "/x1-y"]
    assert chosen({**site, **{path: 2016 for path in burst}, **{f"/z{n}": 2012 for n in range(30)}}) == [
        "/x0-y",
        "/x1-y",
    ]
    assert chosen({path: year for path, year in {**site, **burst}.items() if path != "/x0-y"}) == own
    assert chosen(site) == own
