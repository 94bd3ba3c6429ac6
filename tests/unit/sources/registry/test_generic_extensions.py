import pytest

from afterdrop.sources.registry.generic_extensions import is_generic


@pytest.mark.parametrize(
    "domain", ["a.com", "a.xyz", "a.travel", "a.xn--q9jyb4c", "a.name", "a.notyetlisted"]
)
def test_generic_extensions(domain: str) -> None:
    assert is_generic(domain)


@pytest.mark.parametrize(
    "domain",
    [
        "a.de",
        "a.co.uk",
        "a.xn--p1ai",
        "a.gov",
        "a.edu",
        "a.test",
        "com",
        "www.a.com",
        "a.uk.com",
        "a.tv",
        "2.0.192.in-addr.arpa",
    ],
)
def test_country_codes_suffixes_and_hosts_are_not_generic(domain: str) -> None:
    assert not is_generic(domain)
