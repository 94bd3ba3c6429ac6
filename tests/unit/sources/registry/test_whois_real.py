"""What the reader makes of 506 genuine WHOIS answers. They stay outside of the project; this is skipped without."""

import json
import tarfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from afterdrop.sources.registry.rdap_answer import RegistryAnswer
from afterdrop.sources.registry.whois_servers import read_saved_whois, whois_table

REAL = Path(__file__).resolve().parents[5] / "shared" / "real" / "whois"
REGISTERED = ("registered", "dropping")
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason=f"{REAL} is not there")


@pytest.fixture(scope="module")
def answers() -> list[tuple[dict[str, Any], RegistryAnswer]]:
    """What is known of each answer, and what we read."""
    rows = [json.loads(line) for line in (REAL / "whois.jsonl").read_text().splitlines()]
    with tarfile.open(REAL / "whois.tar.xz") as archive:
        bodies = {
            member.name.removeprefix("./"): file.read()
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }
    return [(row, read_saved_whois(bodies[row["file"]], row["server"])) for row in rows]


def test_genuine_answers(answers: list[tuple[dict[str, Any], RegistryAnswer]]) -> None:
    states = defaultdict(list)
    for row, answer in answers:
        if row.get("throttled") or row.get("unavailable"):
            assert answer.state == "unknown", row["file"]
        elif row.get("status") == "reserved":
            assert answer.state in ("unknown", "registered"), row[
                "file"
            ]  # some are registered by the registry
        elif row.get("registered") is not None and row["registered"] is not row.get("available"):
            wanted = REGISTERED if row["registered"] else ("available",)
            states["right" if answer.state in wanted else "missed"].append(row["file"])
        if answer.state == "available":
            assert row.get("registered") is not True, row["file"]
            assert row.get("available") is not False, row["file"]
    share = len(states["right"]) / (len(states["right"]) + len(states["missed"]))
    assert share >= 0.98, states["missed"]


def test_redemption_and_pending_delete_where_the_answer_says_so(
    answers: list[tuple[dict[str, Any], RegistryAnswer]],
) -> None:
    dropping = {row["file"]: answer for row, answer in answers if answer.state == "dropping"}
    for file, detail in (
        ("whois.nic.it/it/property_status_pendingdelete_redemptionperiod.txt", "redemption"),
        ("whois.nic.it/it/property_status_pending-delete.txt", "pending_delete"),
        ("whois.nic.fr/fr/property_status_redemption.txt", "redemption"),
        ("whois.dns.be/be/property_status_quarantine.txt", "quarantine"),
        ("whois.domain-registry.nl/nl/status_redemption.txt", "quarantine"),
        ("whois.srs.net.nz/nz/property_status_pendingrelease.txt", "pending_delete"),
    ):
        assert dropping[file].reason == detail
    released = dropping["whois.domain-registry.nl/nl/status_redemption.txt"].releases_on
    assert released is not None and released.isoformat() == "2010-10-02"


def test_facts_of_registered_names(answers: list[tuple[dict[str, Any], RegistryAnswer]]) -> None:
    counted: dict[str, list[bool]] = defaultdict(list)
    for row, answer in answers:
        record = answer.record
        if answer.state not in REGISTERED:
            continue
        for key, moment in (("created_on", record.registered_at), ("expires_on", record.expires_at)):
            if row.get(key):
                counted[key].append(moment is not None)
        if row.get("nameservers") and isinstance(row["nameservers"][0], str):
            wanted = {name.lower() for name in row["nameservers"]}
            counted["nameservers"].append(wanted == set(record.nameservers))
    for key, seen in counted.items():
        assert sum(seen) / len(seen) >= 0.9, key


def test_the_table_covers_their_servers() -> None:
    rows = [json.loads(line) for line in (REAL / "whois.jsonl").read_text().splitlines()]
    covered = {row["server"] for row in rows} & whois_table().by_host.keys()
    assert len(covered) >= 60
