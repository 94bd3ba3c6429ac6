"""Domain names: the public suffix list, spelling, and every way a name can be wrong."""

from __future__ import annotations

import idna
import publicsuffixlist
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from afterdrop.core import domain_names
from afterdrop.core.errors import BadName

REFERENCE = publicsuffixlist.PublicSuffixList(only_icann=True)


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("WWW.Bücher.DE.", "xn--bcher-kva.de"),
        ("a.b.co.uk", "b.co.uk"),
        ("foo.blogspot.com", "blogspot.com"),
        ("www.ck", "www.ck"),
        ("b.c.kawasaki.jp", "b.c.kawasaki.jp"),
        ("city.kawasaki.jp", "city.kawasaki.jp"),
        (" X.Com ", "x.com"),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.unknowntop", "a.unknowntop"),
        ("my_blog.heron-host.net", "heron-host.net"),
        ("_dmarc.mill.co.uk", "mill.co.uk"),
        ("https-.mill.de", "mill.de"),
        ("-x.mill.de", "mill.de"),
        ("r3---n-.river_maps.mill.org", "mill.org"),
        ("A_b.Bücher.de", "xn--bcher-kva.de"),
        ("foto_.мельница.рф", "xn--80ajjldi8d2b.xn--p1ai"),
    ],
)
def test_registrable_domain(raw: str, found: str) -> None:
    assert domain_names.registrable_domain(raw) == found


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"), (" . ", "empty"), ("co.uk", "suffix"), ("localhost", "single_label"), ("1.2.3.4", "address"),
        ("[::1]", "address"), ("::1", "address"), ("a.123", "address"), ("a..com", "label"), ("-a.com", "label"),
        (f"{'a' * 64}.com", "label"), ("a b.com", "characters"), ("a_b.com", "characters"), ("😀.com", "idna"),
        ("xn--a.com", "idna"), ("x" * 1001, "too_long"), (f"{'a.' * 130}com", "too_long"), ("a.local", "special_use"),
        ("a.test", "special_use"), ("x.a_b.com", "characters"), ("a_b.co.uk", "characters"), ("x.-a.com", "label"),
        ("a b.mill.de", "characters"), ("a_b..mill.de", "characters"), ("a_b.mill.test", "special_use"),
        ("ü" * 300 + ".com", "idna"), ("x\x00.com", "characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_public_name_is_refused_with_a_reason(raw: str, reason: str) -> None:
    with pytest.raises(BadName) as caught:
        domain_names.registrable_domain(raw)
    assert caught.value.reason == reason
    assert len(caught.value.subject) <= 80


SYMBOLS = (
    "xn--n3h.net",
    "xn--i-7iq.ws",
    "xn--ls8h.la",
    "xn--1ug010ap49qct5h.ws",
    "xn--u65c.co.uk",
    "xn--929h.ws",
)


@pytest.mark.parametrize("name", SYMBOLS)
def test_an_a_label_of_symbols_is_taken_as_it_is_and_has_no_unicode_form(name: str) -> None:
    read = (domain_names.registrable_domain, domain_names.exact_domain, domain_names.domain_of_url)
    for spelling in (name, name.upper(), f"{name}."):
        assert [one(spelling) for one in read] == [name] * 3
    assert domain_names.domain_of_url(f"https://www.{name}/x") == name
    assert domain_names.unicode_name(name) == name
    label, _, rest = name.partition(".")
    written = f"{label[4:].encode().decode('punycode')}.{rest}"
    with pytest.raises(BadName) as refused:
        domain_names.registrable_domain(written)
    assert refused.value.reason == "idna"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("xn--n3h.рф", "xn--n3h.xn--p1ai"),
        ("bücher.xn--n3h.net", "xn--bcher-kva.xn--n3h.net"),
        ("xn--n3h。net", "xn--n3h.net"),
        ("ｘｎ－－ｎ３ｈ.net", "xn--n3h.net"),
        # What a screen would draw in disguise is harmless as long as nobody draws it: bidi controls, capitals.
        ("xn--abc-4q0a.com", "xn--abc-4q0a.com"),
        ("xn--dca.com", "xn--dca.com"),
    ],
)
def test_labels_are_converted_one_by_one(raw: str, found: str) -> None:
    assert domain_names.host_name(raw) == found
    assert domain_names.host_name(found) == found


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("xn--0", "idna"), ("xn--99999999", "idna"), ("xn--0000h", "idna"), ("xn--ls8hi", "idna"),
        ("xn---n3h", "idna"), ("xn---a", "idna"), ("xn--x-la", "idna"), ("xn--x-qc4g", "idna"),
        ("xn--ü", "idna"), ("xn--", "label"), ("xn--google-", "label"),
        (f"xn--{'a' * 60}", "label"), ("xn--n3h_", "characters"),
    ],
)  # fmt: skip
def test_a_fake_a_label_is_refused(label: str, reason: str) -> None:
    with pytest.raises(BadName) as refused:
        domain_names.registrable_domain(f"{label}.com")
    assert refused.value.reason == reason


def test_a_name_of_symbols_is_no_longer_than_others() -> None:
    label = f"xn--{(chr(0x2603) * 27).encode('punycode').decode()}"
    assert len(domain_names.host_name(f"{label}.com")) > 27
    with pytest.raises(BadName) as refused:
        domain_names.host_name(".".join(["xn--n3h"] * 32 + ["com"]))
    assert refused.value.reason == "too_long"
    with pytest.raises(BadName) as bare:
        domain_names.exact_domain("www.xn--n3h.net")
    assert bare.value.reason == "subdomain"


def test_exact_domain_does_not_reduce_a_host_name() -> None:
    assert domain_names.exact_domain("A.com") == "a.com"
    with pytest.raises(BadName, match=r"the registrable domain is a\.com") as caught:
        domain_names.exact_domain("www.a.com")
    assert caught.value.reason == "subdomain"
    with pytest.raises(BadName, match="public suffix"):
        domain_names.exact_domain(
            "com.de.com" if domain_names.suffixes().registrable("com.de.com") is None else "co.uk"
        )


@pytest.mark.parametrize(
    "raw",
    [
        "https://www.a.co.uk/x?y",
        "http://u:p@a.co.uk:81/",
        "www.a.co.uk:80/x",
        "a.co.uk?q",
        "a.co.uk#f",
        "a.co.uk//x",
        "//a.co.uk",
        "HTTPS://me@A.co.uk",
    ],
)
def test_a_url_is_reduced_to_its_domain(raw: str) -> None:
    assert domain_names.domain_of_url(raw) == "a.co.uk"


@pytest.mark.parametrize(
    "raw",
    [
        "https:///x",
        "http://[",
        "https://[::1]/",
        "http://10.0.0.1/",
        "//",
        "https://.a.org/",
        "https://[v1.x]/",
        "mailto:a@b.com",
        "me@a.co.uk",
        "tel:123",
        "https:a.co.uk",
        "a.co.uk:x",
        "view-source:https://a.co.uk/",
    ],
)
def test_a_url_without_a_public_host_is_refused(raw: str) -> None:
    with pytest.raises(BadName):
        domain_names.domain_of_url(raw)


@pytest.mark.parametrize(
    "raw", [" a.com", "a.com\n", ".a.com", "..a.com", "a.com..", "a。com。.", "a\\.com", "a.com\x9f"]
)
def test_what_stands_around_a_name_in_a_request_is_refused(raw: str) -> None:
    for read in (domain_names.exact_domain, domain_names.domain_of_url):
        with pytest.raises(BadName):
            read(raw)


@pytest.mark.parametrize(
    "raw",
    [
        "http://a\t.com",
        "http://a.com\\@b.com/",
        "https://a.com\n/x",
        "https://u @a.com/",
        "//a.com../",
        "a.com\t/x",
    ],
)
def test_what_programs_drop_or_read_otherwise_is_refused_before_the_path(raw: str) -> None:
    with pytest.raises(BadName) as caught:
        domain_names.domain_of_url(raw)
    assert caught.value.reason in ("characters", "label")


@pytest.mark.parametrize("raw", ["a.com.", "https://a.com./", "https://a.com/\\\t", "a.com?\n x"])
def test_one_dot_may_end_a_name_and_after_the_path_anything_may_stand(raw: str) -> None:
    assert domain_names.domain_of_url(raw) == "a.com"


@pytest.mark.parametrize("raw", ["foo.zzzznotld", "https://www.foo.zzzznotld/", "a.b.xn--zzzznotld-q1a"])
def test_an_extension_that_does_not_exist_is_refused(raw: str) -> None:
    with pytest.raises(BadName) as refused:
        domain_names.domain_of_url(raw)
    assert refused.value.reason in ("extension", "idna")


@pytest.mark.parametrize(
    "raw", ["a.com", "a.co.uk", "пример.рф", "https://bücher.de/seite", "a.b.ck", "x.city.kawasaki.jp"]
)
def test_one_that_exists_is_taken(raw: str) -> None:
    assert domain_names.domain_of_url(raw)


def test_a_sale_zone_of_the_operator_is_a_suffix() -> None:
    assert domain_names.registrable_domain("shop.uk.com") == "uk.com"
    assert domain_names.registrable_domain("a.shop.uk.com", ("uk.com",)) == "shop.uk.com"


@pytest.mark.parametrize(
    ("host", "zones", "zone"),
    [
        ("shop.uk.com", (), "uk.com"),
        ("www.shop.uk.com", (), "uk.com"),
        ("www.shop.uk.com", ("uk.com",), None),
        ("shop.uk.com", ("eu.com",), "uk.com"),
        ("uk.com", (), None),
        ("www.example.com", (), None),
        ("www.shop.co.uk", (), None),
        ("me.github.io", (), "github.io"),
        ("a.s3.amazonaws.com", (), "s3.amazonaws.com"),
        ("www.amazonaws.com", (), None),
        ("x.b.compute.amazonaws.com", (), "b.compute.amazonaws.com"),
        ("b.compute.amazonaws.com", (), None),
        ("www.name.nosuchtld", (), None),
        ("co.uk", (), None),
        ("shop.xn--80au.xn--90a3ac", (), None),
    ],
)
def test_a_host_below_somebodys_own_zone(host: str, zones: tuple[str, ...], zone: str | None) -> None:
    assert domain_names.unlisted_zone(host, zones) == zone


def test_extension_and_unicode_form() -> None:
    assert domain_names.tld("a.co.uk") == "co.uk"
    assert domain_names.unicode_name("xn--bcher-kva.de") == "bücher.de"
    assert domain_names.unicode_name("xn--zzzzzzz-.com") == "xn--zzzzzzz-.com"


RULES = sorted(
    domain_names.suffixes().rules | domain_names.suffixes().wildcards | domain_names.suffixes().exceptions
)
LABELS = st.text("abcdefgxyz0123456789-", min_size=1, max_size=12).filter(lambda t: t.strip("-") == t)


@given(st.lists(LABELS, max_size=4), st.sampled_from(RULES))
def test_the_set_look_up_equals_the_reference_list(labels: list[str], rule: str) -> None:
    name = ".".join([*labels, rule])
    assert domain_names.suffixes().registrable(name) == REFERENCE.privatesuffix(name)


@given(st.text(st.characters(min_codepoint=128), min_size=1, max_size=12))
def test_every_a_label_that_idna_makes_is_taken(text: str) -> None:
    try:
        label = idna.encode(text, uts46=True).decode("ascii")
    except UnicodeError:
        return
    assume(label.startswith("xn--") and "." not in label)
    assert domain_names.host_name(f"{label}.com") == f"{label}.com"


@given(st.text("abxn-0123456789kqz", min_size=1, max_size=20))
def test_a_taken_a_label_is_the_only_spelling_of_its_text(rest: str) -> None:
    try:
        name = domain_names.host_name(f"xn--{rest}.com")
    except BadName:
        return
    text = rest.encode().decode("punycode")
    assert not text.isascii()
    assert name == f"xn--{text.encode('punycode').decode()}.com"


@given(st.text(max_size=300))
def test_any_text_gives_a_name_or_a_reason(text: str) -> None:
    try:
        found = domain_names.registrable_domain(text)
    except BadName as bad:
        assert bad.reason
    else:
        assert found == domain_names.registrable_domain(found)
