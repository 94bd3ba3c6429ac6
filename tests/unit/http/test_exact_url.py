"""Addresses are sent letter for letter; only what no address has is encoded or refused."""

from __future__ import annotations

import aiohttp
import pytest

from afterdrop.http.exact_url import exact_url

AS_WRITTEN = (
    "/a%2Fb/a%2fb?x=%3D%2B%2b~%7E%41&y=a+b",
    "/;a=1,2;b@:!$&'()*[3]",
    "/a//b/./c/../d",
    "/files/?a=http://b.example/?c=d",
    "/%E4%f6",
    "/web/2012id_/http://old.example/%7Ejoe/",
    "/a?b=%25%32%35",
    "/~joe/-_.!",
    "/?",
    "/%C3%BC/%F0%9F%8D%9E",
)
ENCODED = {
    "": "/",
    "?a=1": "/?a=1",
    "/a b?c d": "/a%20b?c%20d",
    "/ü?ö": "/%C3%BC?%C3%B6",
    "/100%/%zz%4": "/100%25/%25zz%254",
    '/"<>\\^`{|}': "/%22%3C%3E%5C%5E%60%7B%7C%7D",
    "/a\x00\x7f\u2028": "/a%00%7F%E2%80%A8",
    "/a\r\nHost: b": "/aHost:%20b",
    "/\udce4": "/%E4",
    "/a#b?c": "/a",
}


@pytest.mark.parametrize("target", AS_WRITTEN)
def test_what_an_address_may_have_stays(target: str) -> None:
    assert exact_url(f"https://old.example{target}").raw_path_qs == target.removesuffix("?")


@pytest.mark.parametrize(("target", "sent"), ENCODED.items())
def test_what_no_address_has_is_encoded(target: str, sent: str) -> None:
    assert exact_url(f"https://old.example{target}").raw_path_qs == sent


def test_hosts_are_as_they_were() -> None:
    assert exact_url("HTTP://me:p%40@Bücher.example:8080/%2f").raw_host == "xn--bcher-kva.example"
    told = exact_url("http://me:p%40@a.example:8080/%2f")
    assert (told.user, told.password, told.host, told.port) == ("me", "p@", "a.example", 8080)
    assert exact_url("http://[::1]:81/%2f").host == "::1"


@pytest.mark.parametrize(
    "address", ["", "/a", "https://", "http://a:port/", "http://[::1", "http:///a", "http://a/\ud800"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(aiohttp.InvalidURL):
        exact_url(address)
