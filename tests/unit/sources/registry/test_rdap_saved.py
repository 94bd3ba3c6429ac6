import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from afterdrop.sources.registry.rdap_answer import parse_saved

BODY = json.dumps({"objectClassName": "domain", "ldhName": "A.COM", "status": ["active"]}).encode()
REAL = Path(__file__).resolve().parents[5] / "shared" / "real" / "rdap"


def test_a_bare_body() -> None:
    assert parse_saved(BODY).record.domain == "a.com"


def test_a_whole_http_answer() -> None:
    for newline in (b"\r\n", b"\n"):
        head = newline.join([b"HTTP/1.1 200 OK", b"Content-Type: application/rdap+json", b"", b""])
        assert parse_saved(head + BODY).record.domain == "a.com"
    moved = b"HTTP/2 302 \r\nLocation: https://x/\r\n\r\nHTTP/2 200\r\n\r\n"
    assert parse_saved(moved + BODY).record.domain == "a.com"


def test_a_saved_error_is_unknown_whatever_it_says() -> None:
    not_found = json.dumps({"errorCode": 404, "title": "Not Found"}).encode()
    head = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/rdap+json\r\n\r\n"
    for saved in (
        not_found,
        head + not_found,
        head,
        b"HTTP/1.1 429 Slow down\r\n\r\n",
        b"HTTP/1.1 200 OK",
        b"",
    ):
        answer = parse_saved(saved)
        assert answer.state == "unknown"
        assert answer.notes


# What a person reads in each genuine document: domain, state, registrar, IANA id, registered, expires, signed.
GENUINE: dict[str, tuple[object, ...]] = {
    "flipbit+whois__google-com.json": (
        "google.com", "registered", "MarkMonitor Inc.", "292", "1997-09-15T04:00:00Z", "2028-09-14T04:00:00Z", False,
    ),
    "icann+icann-rdap__home.moscow.json": (
        "home.moscow", "registered", 'Limited Liability Company "Registrar of domain names REG.RU"', "1606",
        "2021-10-19T19:28:12Z", "2024-10-19T19:28:12Z", False,
    ),
    "icann+icann-rdap__lemonde.fr.json": (
        "lemonde.fr", "registered", "NAMESHIELD", "1251", "2005-08-02T14:16:36Z", "2025-06-09T22:08:09Z", None,
    ),
    "meeb+whoisit__data_rdap_response_domain2.json": (
        "norway.no", "registered", "Domeneshop AS", None, "2017-01-24T12:09:23Z", None, None,
    ),
    "pogzyb+whodap__google.pw.json": (
        "google.pw", "registered", "MarkMonitor Inc.", "292", "2012-10-12T10:19:46Z", "2022-02-10T08:00:00Z", False,
    ),
    "openrdap+rdap__rdap.nic.cz_domain-example.cz.json": (
        "example.cz", "registered", "REG-INTERNET-CZ", None, "2004-08-30T22:55:00Z", "2019-08-30T12:00:00Z", None,
    ),
    "kozhan-aff__rdap_pending_delete_pharmaindustrie.com.json": (
        "pharmaindustrie.com", "dropping", None, None, "1998-07-29T04:00:00Z", "2026-07-28T04:00:00Z", None,
    ),
    "verisign_1989shack.com_autorenewed.json": (
        "1989shack.com", "registered", "Tucows Domains Inc.", "69",
        "2024-11-22T18:01:08Z", "2026-11-22T18:01:08Z", False,
    ),
    "pogzyb+whodap__bad_response_01.json": (
        "something-not-real.com", "registered", None, "1250", "2023-07-05T00:00:00Z", "2024-07-05T00:00:00Z", False,
    ),
}  # fmt: skip


@pytest.mark.skipif(not REAL.is_dir(), reason=f"genuine RDAP answers are not at {REAL}")
@pytest.mark.parametrize("name", sorted(GENUINE))
def test_genuine_documents_read_as_a_person_reads_them(name: str) -> None:
    record: Mapping[str, object] = parse_saved((REAL / name).read_bytes()).record.as_json()
    keys = ("domain", "state", "registrar", "registrar_iana_id", "registered_at", "expires_at", "dnssec")
    assert tuple(record[key] for key in keys) == GENUINE[name]


@pytest.mark.skipif(not REAL.is_dir(), reason=f"genuine RDAP answers are not at {REAL}")
def test_every_genuine_file_is_a_domain_or_unknown_with_a_note() -> None:
    for path in sorted(REAL.iterdir()):
        answer = parse_saved(path.read_bytes())
        held = path.read_text(encoding="utf-8", errors="replace")
        try:
            doc = json.loads(held)
        except ValueError:
            doc = None
        if isinstance(doc, dict) and doc.get("objectClassName") == "domain":
            assert answer.state in ("registered", "dropping"), path.name
        else:
            assert answer.state == "unknown", path.name
            assert answer.notes, path.name
