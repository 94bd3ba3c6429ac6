import json
from datetime import UTC, datetime, timedelta

import pytest

from afterdrop.core.errors import UpstreamError
from afterdrop.sources.registry.bootstrap import (
    fresh_until,
    read_bootstrap,
    shipped_bootstrap,
    shipped_rdap_servers,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def document(services: object, **more: object) -> bytes:
    return json.dumps(
        {"version": "1.0", "publication": "2026-01-01T00:00:00Z", "services": services} | more
    ).encode()


def test_the_longest_match_of_whole_labels_wins() -> None:
    read = read_bootstrap(
        document(
            [[["uk", "COM"], ["https://top/"]], [["co.uk"], ["https://second/"]], [["o.uk"], ["https://no/"]]]
        )
    )
    assert read.base("a.co.uk") == "https://second/"
    assert read.base("a.org.uk") == "https://top/"
    assert read.base("a.com") == "https://top/"
    assert read.base("a.notcom") is None
    assert read.base("") is None
    assert read.publication == "2026-01-01T00:00:00Z"


def test_https_is_preferred_and_odd_entries_are_passed_over() -> None:
    services = [
        [["a"], ["http://x", "https://y/rdap"]],
        [["b"], ["http://only/"]],
        [["c"], ["ftp://x/", 5, "https://user@x/", "https://x/?q", "https://[", "https://"]],
        [["d"]],
        [["e"], "https://x/"],
        "f",
        [[7, "", "g."], ["https://g/"]],
    ]
    bases = read_bootstrap(document(services)).bases
    assert bases == {"a": "https://y/rdap/", "b": "http://only/", "g": "https://g/"}


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"[]", b"{}", document({}), document([[["a"], ["https://x/"]]])]
)
def test_a_document_that_is_not_a_bootstrap_file_is_refused(content: bytes) -> None:
    with pytest.raises(UpstreamError) as caught:
        read_bootstrap(content, fewest=2)
    assert caught.value.kind == "bad_content"


def test_the_shipped_copy_knows_the_extensions_and_guesses_none() -> None:
    shipped = shipped_bootstrap()
    assert shipped.base("a.com") == "https://rdap.verisign.com/com/v1/"
    assert shipped.base("a.org") == "https://rdap.publicinterestregistry.org/rdap/"
    assert shipped.base("a.co.uk") == "https://rdap.nominet.uk/uk/"
    for missing in ("a.io", "a.co", "a.de", "a.eu", "a.ru", "a.me"):
        assert shipped.base(missing) is None
    assert len(shipped.bases) > 1100


@pytest.mark.parametrize(
    ("headers", "lasts"),
    [
        ({"Cache-Control": "public, max-age=21600"}, timedelta(hours=6)),
        ({"cache-control": "max-age=21600", "Age": "3600"}, timedelta(hours=5)),
        ({"Cache-Control": "max-age=21600", "Age": "soon"}, timedelta(hours=6)),
        ({"Cache-Control": "s-max-age=9, no-cache"}, timedelta(minutes=5)),
        ({"Cache-Control": "max-age=0"}, timedelta(minutes=5)),
        ({"Cache-Control": "max-age=99999999"}, timedelta(days=7)),
        ({"Expires": "Fri, 20 Nov 2026 15:00:00 GMT"}, timedelta(hours=3)),
        ({"Expires": "Fri, 20 Nov 2026 15:00:00 -0000"}, timedelta(hours=3)),
        ({"Expires": "0"}, timedelta(minutes=5)),
        ({}, timedelta(days=1)),
    ],
)
def test_validity_follows_the_http_headers(headers: dict[str, str], lasts: timedelta) -> None:
    assert fresh_until(headers, NOW) == NOW + lasts


def test_the_shipped_servers_outside_of_the_bootstrap_are_asked_over_https() -> None:
    shipped = shipped_rdap_servers()
    assert {"de", "ch", "li"} <= shipped.keys()
    assert all(base.startswith("https://") and base.endswith("/") for base in shipped.values())
    assert not shipped.keys() & shipped_bootstrap().bases.keys()
