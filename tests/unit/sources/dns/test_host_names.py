import pytest

from afterdrop.core.errors import BadName
from afterdrop.sources.dns.answers import lookup_host


@pytest.mark.parametrize(
    ("raw", "host"),
    [
        ("WWW.Example-Name.COM.", "www.example-name.com"),
        ("_dmarc.example-name.com", "_dmarc.example-name.com"),
        ("s1._domainkey.bücher.de", "s1._domainkey.xn--bcher-kva.de"),
        ("my_host.example-name.com", "my_host.example-name.com"),
        ("co.uk", "co.uk"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("a。com", "a.com"),
        ("_dmarc.xn--n3h.net", "_dmarc.xn--n3h.net"),
    ],
)
def test_hosts_of_two_labels_or_more(raw: str, host: str) -> None:
    assert lookup_host(raw) == host


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "localhost",
        "a.localhost",
        "printer.local",
        "127.0.0.1",
        "::1",
        "a_b",
        "example.c_m",
        "https://example-name.com/",
        "a b.com",
        "😀.com",
        "_-.com",
        "_a" * 40 + ".com",
        "_a." * 90 + "com",
        "a" * 300 + ".com",
        "_dmarc.a。com",
        "x.test",
    ],
)
def test_a_name_that_is_not_a_public_host_is_refused(raw: str) -> None:
    with pytest.raises(BadName):
        lookup_host(raw)
