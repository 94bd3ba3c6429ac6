"""robots.txt as hosts write it: whom it means, what it forbids, and what a host without one says."""

from __future__ import annotations

import pytest

from afterdrop.sources.live.robots import MOST_BYTES, allows, read_robots

PAGE = "https://friends.example.org/links/page.html?a=1"


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("User-agent: *\nDisallow:", True),
        ("User-agent: *\nDisallow: /", False),
        ("user-agent: *\r\ndisallow: /links\r\n", False),
        ("User-agent: *\nDisallow: /links/\nAllow: /links/page", True),
        ("User-agent: *\nDisallow: /*.html", False),
        ("User-agent: *\nDisallow: /*.html$", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: afterdrop\nAllow: /", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: Afterdrop/2.0\nDisallow: /", False),
        ("User-agent: googlebot\nUser-agent: *\nDisallow: /", False),
        ("User-agent: googlebot\nDisallow: /", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: badbot\nDisallow: /", True),
        ("\ufeffUser-agent: *\nDisallow: /", False),
        ("# nothing\nSitemap: https://friends.example.org/map.xml", True),
        ("<html><body>Not a robots.txt</body></html>", True),
        ("Disallow: /", True),
        ("User-agent: *\nSitemap: https://x.org/map.xml\nUser-agent: googlebot\nDisallow: /", False),
        ("User-agent: *\nDissalow: /\n", False),
        ("User-agent: afterdrop\nDisallow: /a\nUser-agent: *\nDisallow: /", True),
        ("User-agent: afterdrop\nAllow: /\n\nUser-agent: afterdrop\nDisallow: /links/", False),
    ],
)
def test_what_a_file_lets_us_read(text: str, allowed: bool) -> None:
    assert allows(read_robots(200, text.encode()), PAGE) is allowed


@pytest.mark.parametrize(
    ("token", "ours"),
    [
        ("afterdrop", True),
        ("AfterDrop", True),
        ("afterdrop/2.0", True),
        ("Afterdrop/2.0 (+https://drops.example)", True),
        ("afterdrop 2", True),
        ("afterdrop# us", True),
        ("afterdrop-legacy", False),
        ("afterdrop_bot", False),
        ("afterdropbot/1.0", False),
        ("notafterdrop", False),
        ("not-afterdrop", False),
        ("Mozilla/5.0 (compatible; afterdrop)", False),
        ("*afterdrop", False),
    ],
)
def test_a_group_is_ours_by_its_whole_product_token(token: str, ours: bool) -> None:
    """RFC 9309, 2.2.1. What others are allowed does not open a site that refuses everybody, nor the other way round."""
    opening = f"User-agent: *\nDisallow: /\n\nUser-agent: {token}\nAllow: /\n"
    closing = f"User-agent: *\nAllow: /\n\nUser-agent: {token}\nDisallow: /\n"
    assert allows(read_robots(200, opening.encode()), PAGE) is ours
    assert allows(read_robots(200, closing.encode()), PAGE) is not ours


@pytest.mark.parametrize("anybody", ["*", "* ", "*\t# all", "*#all", " *"])
def test_a_group_for_everybody(anybody: str) -> None:
    assert not allows(read_robots(200, f"User-agent:{anybody}\nDisallow: /".encode()), PAGE)


@pytest.mark.parametrize(
    ("status", "allowed"),
    [(404, True), (410, True), (403, True), (401, True), (500, False), (503, False), (429, False)],
)
def test_a_host_without_the_file_forbids_nothing_and_one_in_trouble_everything(
    status: int, allowed: bool
) -> None:
    robots = read_robots(status, b"User-agent: *\nDisallow: /")
    assert allows(robots, PAGE) is allowed
    assert robots.unreached is not allowed


def test_the_pause_that_a_host_asks_for() -> None:
    assert read_robots(200, b"User-agent: *\nCrawl-delay: 7").delay == 7
    assert read_robots(200, b"User-agent: other\nCrawl-delay: 7").delay == 0
    assert read_robots(200, b"User-agent: *\nCrawl-delay: -3").delay == 0


def test_bytes_of_any_kind_are_read_and_no_more_than_the_bound() -> None:
    assert allows(read_robots(200, bytes(range(256)) * 10), PAGE)
    late = b"#" * MOST_BYTES + b"\nUser-agent: *\nDisallow: /"
    assert allows(read_robots(200, late), PAGE)
    many = b"".join(b"User-agent: bot%d\n" % number for number in range(15_000))
    rules = b"".join(b"Disallow: /%d\n" % number for number in range(8_000))
    assert not allows(read_robots(200, many + b"User-agent: *\n" + rules + b"Disallow: /"), PAGE)
    theirs = read_robots(200, many + rules + b"User-agent: *\nDisallow: /links/")
    assert len(theirs.rules) < 50, "only what is meant for us is kept"
