"""XML rows as a stream."""

from __future__ import annotations

from itertools import chain

import pytest

from afterdrop.core.errors import FeedError
from afterdrop.feeds.json_xml_rows import MAX_TEXT, MAX_TOKEN, element_slices
from tests.support.feed_inputs import in_pieces

LIST = """<?xml version="1.0" encoding="utf-8"?>
<rss xmlns:x="urn:x"><channel><title>All</title>
<item id="7"><title>a.com</title><x:price>5 &amp; 1</x:price><deep><end>soon</end></deep><empty/></item>
<item><title>  bücher.de </title><title>second</title></item>
</channel></rss>"""


@pytest.mark.parametrize("size", [1, 10, 100_000])
def test_rows_with_children_and_attributes(size: int) -> None:
    assert list(chain.from_iterable(element_slices(in_pieces(LIST.encode(), size), "item", "f"))) == [
        {"@id": "7", "title": "a.com", "price": "5 & 1", "deep.end": "soon"},
        {"title": "bücher.de"},
    ]


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("padding", ["\x1a", "\0" * 700, "\r\n\x1a\r\n", "\x1a\0 \n\t"])
@pytest.mark.parametrize("document", ["<a><item><b>x</b></item></a>", "<item><b>x</b></item>"])
def test_the_end_of_file_of_old_programs_is_no_fault(document: str, padding: str, size: int) -> None:
    found = element_slices(in_pieces((document + padding).encode(), size), "item", "f")
    assert list(chain.from_iterable(found)) == [{"b": "x"}]


@pytest.mark.parametrize(
    "document",
    [
        *("<a><item>", "<a></b>", "", "no xml", "<a><item/></a><b/>"),
        *("<a>\x1a", "<a>\x1a</a>", "<a></a>\x1a<b/>", "<a></a>\x1ab", "<a></a><!--", "\0"),
    ],
)
def test_not_well_formed_or_cut_off(document: str) -> None:
    with pytest.raises(FeedError, match="not well-formed"):
        list(chain.from_iterable(element_slices(in_pieces(document.encode(), 3), "item", "f")))


def test_entities_cannot_be_declared() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a><item>&c;</item></a>'
    with pytest.raises(FeedError, match="document type"):
        list(chain.from_iterable(element_slices(in_pieces(bomb.encode(), 100), "item", "f")))


@pytest.mark.parametrize("start", [b'<a b="', b"<!--", b"<?x ", b"<", b"<a></", b"<a><![CDATA[x]]><!--"])
def test_an_unfinished_tag_is_refused_before_it_fills_memory(start: bytes) -> None:
    endless = in_pieces(start + b"x" * (2 * MAX_TOKEN), 1 << 16)
    with pytest.raises(FeedError, match="a tag or comment longer than"):
        list(chain.from_iterable(element_slices(endless, "item", "f")))


def test_long_text_and_many_comments_are_no_long_token() -> None:
    fine = b"<a>" + b"x" * (2 * MAX_TOKEN) + b"<!--y-->" * 200_000 + b"<item><b>1</b></item></a>"
    assert list(chain.from_iterable(element_slices(in_pieces(fine, 1 << 16), "item", "f"))) == [{"b": "1"}]


@pytest.mark.parametrize(
    "row",
    [
        b'<item a="' + b"x" * MAX_TEXT + b'"/>',
        b"<item>"
        + b"".join(b"<%s>1</%s>" % (name, name) for name in (b"a" * n for n in range(1, 600)))
        + b"</item>",
    ],
)
def test_attributes_and_names_count_as_well(row: bytes) -> None:
    with pytest.raises(FeedError, match="a row with more than"):
        list(chain.from_iterable(element_slices(in_pieces(b"<a>" + row + b"</a>", 1 << 16), "item", "f")))


@pytest.mark.parametrize("encoding", ["nonsense", "shift_jis", "utf-7", "idna"])
def test_an_encoding_the_parser_does_not_know(encoding: str) -> None:
    document = f'<?xml version="1.0" encoding="{encoding}"?><a><item/></a>'.encode()
    with pytest.raises(FeedError, match="not well-formed"):
        list(chain.from_iterable(element_slices(in_pieces(document, 100), "item", "f")))


def test_depth_and_text_are_bounded() -> None:
    with pytest.raises(FeedError, match="nests"):
        list(chain.from_iterable(element_slices(in_pieces(b"<a>" * 200, 100), "item", "f")))
    with pytest.raises(FeedError, match="more than"):
        list(
            chain.from_iterable(
                element_slices(in_pieces(b"<item>" + b"x" * (MAX_TEXT + 1), 1 << 16), "item", "f")
            )
        )
