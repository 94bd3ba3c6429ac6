"""Domain names: the public suffix list, spelling, and every way a name can be wrong."""

from __future__ import annotations

import publicsuffixlist
import pytest
from hypothesis import given
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
        ("a.test", "special_use"), ("ü" * 300 + ".com", "idna"), ("x\x00.com", "characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_public_name_is_refused_with_a_reason(raw: str, reason: str) -> None:
    with pytest.raises(BadName) as caught:
        domain_names.registrable_domain(raw)
    assert caught.value.reason == reason
    assert len(caught.value.subject) <= 80


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


@given(st.text(max_size=300))
def test_any_text_gives_a_name_or_a_reason(text: str) -> None:
    try:
        found = domain_names.registrable_domain(text)
    except BadName as bad:
        assert bad.reason
    else:
        assert found == domain_names.registrable_domain(found)
