"""Addresses of one page have one key, and those of two pages have two."""

from __future__ import annotations

import pytest

from afterdrop.sources.archive.same_page import page_key

NUMBER = "a1b2c3d4e5f60718293a4b5c6d7e8f90"


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        *(
            (f"/{name}", "/")
            for name in (
                "index.html", "INDEX.HTM", "index.shtml", "index.php", "index.php3", "index.asp", "default.aspx",
                "default.htm", "index.jsp", "index.cfm", "home.html", "home.htm", "index.xhtml",
            )
        ),
        ("/club/index.php", "/club/"),
        ("/club", "/club/"),
        ("shop.oldmill.com/index.html", "shop.oldmill.com/"),
        ("/a-post/?replytocom=17", "/a-post/"),
        ("/a-post/?replytocom=17&utm_source=x", "/a-post/"),
        ("/calendar?month=5&year=2011", "/calendar"),
        ("/kalender.php?monat=5&jahr=2011&tag=3", "/kalender.php"),
        ("/cal.php?date=2011-05-03&view=week", "/cal.php"),
        ("/agenda?mois=05", "/agenda"),
        ("/events/?ical=1", "/events/"),
        ("/2011/05/", "/2011/06"),
        ("/2011/05/page/2/", "/2012/11/"),
        ("/blog/2011/05/13", "/blog/2011/05/"),
        ("/events/2011-05/", "/events/2012-06"),
        ("/?m=201105", "/"),
        ("/a.php?id=7&print=1", "/a.php?id=7"),
        ("/a.php?id=7&amp;view=print", "/a.php?id=7"),
        ("/a.php?id=7&tmpl=component&print=1", "/a.php?id=7"),
        ("/index.php?topic=12.0;action=printpage", "/?topic=12.0"),
        ("/article/12/print/", "/article/12"),
        ("/artikel/12/druckversion", "/artikel/12"),
        ("/print/article/12", "/article/12"),
        ("/article/12/imprimer", "/article/12/"),
        ("/list?sort=name", "/list"),
        ("/list?cat=4&sort_by=price&order=asc", "/list?cat=4"),
        ("/list?cat=4&orderby=price&dir=desc", "/list?cat=4"),
        ("/list?order=title", "/list"),
        ("/files/?C=N;O=D", "/files/"),
        ("/files/?C=M&O=A", "/files/"),
        ("/files/?N=D", "/files/"),
        (f"/p.php?PHPSESSID={NUMBER}", "/p.php"),
        (f"/p.php?id=3&sid={NUMBER}", "/p.php?id=3"),
        (f"/showthread.php?s={NUMBER}&t=5", "/showthread.php?t=5"),
        (f"/p.jsp;jsessionid={NUMBER}?id=3", "/p.jsp?id=3"),
        (f"/shop/x.php?osCsid={NUMBER}", "/shop/x.php"),
        ("/(S(abcdefghijklmnopqrstuvwx))/a.aspx", "/a.aspx"),
        ("/a?b=1&a=2", "/a?a=2&b=1"),
    ],
)  # fmt: skip
def test_addresses_of_one_page(address: str, plain: str) -> None:
    assert page_key(address) == page_key(plain)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/?page_id=12", "/?page_id=13"),
        ("/?page_id=12", "/"),
        ("/?p=12", "/"),
        ("/a.php?id=7", "/a.php?id=8"),
        ("/index.php?p=contact", "/index.php?p=about"),
        ("/index.php?p=contact", "/"),
        ("/article.php?sid=12", "/article.php?sid=13"),
        ("/?s=bread", "/"),
        ("/2011/05/a-post", "/2011/05/another-post"),
        ("/2011/", "/2012/"),
        ("/news.php?year=2008", "/news.php?year=2009"),
        ("/sermons?date=2008-05-04", "/sermons?date=2008-05-11"),
        ("/2011/13/", "/2011/14/"),
        ("/print-shop/", "/"),
        ("/print/", "/"),
        ("/fingerprints/", "/"),
        ("/drucken.html", "/"),
        ("/club/home.html", "/club/"),
        ("/homes.html", "/"),
        ("/orders.php?order=17", "/orders.php?order=18"),
        ("/people?view=ann", "/people?view=bob"),
        ("/p.php?c=north", "/p.php"),
        ("/p.php?c=n", "/p.php?c=m"),
        ("/index.php?m=gallery", "/index.php?m=contact"),
        ("/index.php?action=print-run", "/"),
        ("/shop?prints=5", "/shop"),
        ("shop.oldmill.com/", "/"),
        ("/monat.html", "/"),
        ("/search?dir=north", "/search?dir=south"),
    ],
)
def test_addresses_of_two_pages(one: str, other: str) -> None:
    assert page_key(one) != page_key(other)
