"""The domains that a page links to: of whole addresses, and of captures those that were kept."""

from __future__ import annotations

from afterdrop.review.page.identity import linked_domains

PAGE = """<a href="https://www.Partner.com/x#y">a</a> <a href="/about">b</a> <a href="//other.org">c</a>
<a>no address</a> <a href="mailto:a@b.com">d</a> <a href="http://127.0.0.1/">e</a> <a href="http://printer.local">f</a>
<map><area href="HTTP://map.net"></map> <a href="http://[broken">g</a> <a href="https://a.nom.sale.example/x">h</a>
<a href="https://web.archive.org/web/2015/http://archived.com/a">i</a> <!-- <a href="http://comment.com">j</a> -->"""


def test_domains_of_links() -> None:
    found = linked_domains(PAGE)
    assert {"partner.com", "other.org", "map.net", "archived.com"} <= found
    assert not found & {"b.com", "127.0.0.1", "printer.local", "comment.com", "web.archive.org"}
    assert linked_domains("") == set()
