import pytest

from afterdrop.sources.dns.parking import parked_at, parking_address, parking_nameserver


@pytest.mark.parametrize(
    ("host", "provider"),
    [
        ("ns1.sedoparking.com", "Sedo"),
        ("ns2.parkingcrew.net.", "ParkingCrew"),
        ("bodis.com", "Bodis"),
        ("ns1.renewyourname.net", "Tucows (expired)"),
        ("ns1.atom.com", "Atom"),
        ("ns2.brandbucket.com", "BrandBucket"),
        ("ns1.domainrecover.com", "DomainRecover"),
        ("ns1.notatom.com", None),
        ("nsg1.namebrightdns.com", "HugeDomains"),
        ("ns1.namebrightdns.com", None),
        ("ns1.notsedoparking.com", None),
        ("ns37.domaincontrol.com", None),
        ("dns1.registrar-servers.com", None),
        ("", None),
    ],
)
def test_nameservers(host: str, provider: str | None) -> None:
    assert parking_nameserver(host) == provider


@pytest.mark.parametrize(
    ("address", "provider"),
    [
        ("91.195.241.136", "Sedo"),
        ("199.59.243.228", "Bodis"),
        ("34.102.136.180", "GoDaddy Parking"),
        ("34.102.136.181", None),
        ("93.184.216.34", None),
        ("2606:4700::1111", None),
        ("not-an-address", None),
    ],
)
def test_addresses(address: str, provider: str | None) -> None:
    assert parking_address(address) == provider


def test_nameservers_come_before_addresses() -> None:
    assert parked_at(["ns1.example.com", "ns1.bodis.com"], ["91.195.240.94"]) == "Bodis"
    assert parked_at(["ns1.example.com"], ["93.184.216.34", "91.195.240.94"]) == "Sedo"
    assert parked_at([], []) is None
