import re

import pytest

from afterdrop.feeds.preset_files import open_preset, preset_names
from afterdrop.sources.registry.whois_answer import free_line
from afterdrop.sources.registry.whois_servers import (
    is_whois_text,
    read_saved_whois,
    server_of_file,
    whois_table,
)


def test_every_row_is_sound() -> None:
    table = whois_table()
    for host, row in table.by_host.items():
        assert re.fullmatch(r"[a-z0-9.-]+\.[a-z]+", host)
        assert 2009 <= row.year <= 2026 and row.evidence and row.free and row.seconds >= 1
        assert all(free_line(line.replace("{domain}", "a.com")) == line for line in row.free)
        assert not (row.registrar and row.extensions)
    assert len(table.by_extension) == sum(len(row.extensions) for row in table.by_host.values())


def test_every_extension_of_a_preset_is_covered() -> None:
    named = {extension for preset in preset_names() for extension in open_preset(preset).extensions}
    assert len(named) > 10
    assert not named - whois_table().by_extension.keys()


def test_who_is_asked() -> None:
    table = whois_table()
    german = table.server("some-name.de")
    assert german is not None and german.host == "whois.denic.de"
    assert german.question("some-name.de") == b"-T dn,ace some-name.de\r\n"
    assert table.server("name.invalid-extension") is None
    assert table.server("shop.uk.com") is None  # .com's registry knows uk.com only


@pytest.mark.parametrize(
    "domain",
    ["a b.de", "a.de\r\nb.de", "-h.de", "ä.de", "a_b.de", "A.de", "", "de", "a..de", "a" * 250 + ".de"],
)
def test_only_a_labels_are_sent(domain: str) -> None:
    row = whois_table().by_host["whois.denic.de"]
    assert row.question(domain) is None


def test_saved_answers() -> None:
    assert server_of_file("whois.denic.de/de/x.txt") == "whois.denic.de"
    assert server_of_file("/data/of.2014/whois.denic.de/de/x.txt") == "whois.denic.de"
    assert server_of_file("/data/whois.new.example/new/x.txt") == "whois.new.example"
    assert server_of_file("x.txt") is None
    free = b"Domain: a.de\nStatus: free\n"
    assert read_saved_whois(free, "whois.denic.de").state == "available"
    assert read_saved_whois(free, "whois.nobody.example").state == "available"
    assert read_saved_whois(b"Status: free?", "whois.nobody.example").state == "unknown"
    assert read_saved_whois(free, None).state == "unknown"
    assert read_saved_whois(b"NOT FOUND", "whois.denic.de").state == "unknown"
    registrar = read_saved_whois(b"No match for A.COM", "whois.tucows.com")
    assert (registrar.state, len(registrar.notes)) == ("available", 1)


def test_what_is_whois_text() -> None:
    assert is_whois_text(b"% hello") and is_whois_text(b"[ JPRS database ]")
    assert not any(map(is_whois_text, (b"", b"\xef\xbb\xbf {}", b"HTTP/1.1 200", b"<html>")))
