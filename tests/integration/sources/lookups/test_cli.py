"""The look-up commands: saved answers of any kind, and live ones over the tests' registry and resolver."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from afterdrop.cli import domains as lookups
from tests.support.nameserver import Zone, serving
from tests.support.registry import Registry, domain_object

KEYS = [
    "domain",
    "state",
    "registrar",
    "registrar_iana_id",
    "registered_at",
    "expires_at",
    "updated_at",
    "statuses",
    "nameservers",
    "dnssec",
    "source",
    "detail",
    "releases_at",
]


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    for command in (lookups.whois, lookups.availability, lookups.dns, lookups.rating):
        made.command()(command)
    return made


def records(result: Result) -> list[dict[str, Any]]:
    return [json.loads(text) for text in result.stdout.splitlines()]


def test_saved_answers_are_one_record_a_line_whatever_the_file_holds(
    app: typer.Typer, tmp_path: Path
) -> None:
    held: dict[str, bytes] = {
        "good.json": json.dumps(domain_object("taken.com", "pending delete")).encode(),
        "error.json": b'{"errorCode":404,"title":"Not Found"}',
        "entity.json": b'{"objectClassName":"entity"}',
        "cut.json": b'{"objectClassName":"dom',
        "page.html": b"<html>",
        "binary": bytes(range(256)),
        "empty": b"",
        "list.json": b"[]",
    }
    for name, content in held.items():
        (tmp_path / name).write_bytes(content)
    files = [str(tmp_path / name) for name in held]
    result = CliRunner().invoke(app, ["whois", "--json", "--from-file", *files])
    assert result.exit_code == 0
    rows = records(result)
    assert [row["file"] for row in rows] == files
    for row in rows:
        assert list(row) == ["file", *KEYS, "drop_estimate", "notes"]
    assert [row["state"] for row in rows] == ["dropping"] + ["unknown"] * 7
    assert rows[0]["drop_estimate"]["stage"] == "pending_delete"
    assert all(row["notes"] for row in rows[1:])


def test_saved_whois_is_read_by_the_server_that_its_folder_or_the_option_names(
    app: typer.Typer, tmp_path: Path
) -> None:
    file = tmp_path / "whois.denic.de" / "de" / "free.txt"
    file.parent.mkdir(parents=True)
    file.write_text("Domain: some-name.de\nStatus: free\n")
    rdap = tmp_path / "taken.json"
    rdap.write_bytes(json.dumps(domain_object("taken.com")).encode())
    loose = tmp_path / "loose.txt"
    loose.write_bytes(file.read_bytes())
    rows = records(
        CliRunner().invoke(app, ["whois", "--json", "--from-file", str(file), str(rdap), str(loose)])
    )
    assert [(row["domain"], row["state"], row["source"]) for row in rows] == [
        ("some-name.de", "available", "whois"),
        ("taken.com", "registered", "rdap"),
        ("some-name.de", "unknown", "whois"),
    ]
    named = ["whois", "--json", "--from-file", "--server", "whois.denic.de", str(loose)]
    [row] = records(CliRunner().invoke(app, named))
    assert (row["state"], row["detail"]) == ("available", "not_found")


def test_a_file_that_cannot_be_read_is_a_row_and_an_exit_code(app: typer.Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["whois", "--json", "--from-file", str(tmp_path / "none"), str(tmp_path)]
    )
    assert result.exit_code == 1
    rows = records(result)
    assert [row["state"] for row in rows] == ["unknown", "unknown"]
    assert rows[0]["notes"] == ["the file cannot be read (No such file or directory)"]


def test_standard_input_and_plain_lines(app: typer.Typer) -> None:
    body = json.dumps(domain_object("taken.com", unicodeName="\x1b[31m"))
    result = CliRunner().invoke(app, ["whois", "--from-file", "-", "-"], input=body)
    assert "domain               taken.com" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.fixture(scope="module")
def resolver() -> Iterator[str]:
    with serving(Zone()) as address:
        yield address


@pytest.fixture
def live(
    app: typer.Typer, registry: Registry, resolver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Run a command in a thread, while this loop serves the registry."""
    file = tmp_path / "afterdrop.toml"
    file.write_text(
        f'data_dir = "{tmp_path}/data"\ntrusted_origins = ["{registry.url}"]\n'
        f'[registry]\nbootstrap_url = "{registry.url}/dns.json"\nshipped_rdap_servers = false\n'
        f'[dns]\nresolvers = ["{resolver}"]\n[pace.default]\nper_second = 1000\nat_once = 9\n'
    )
    monkeypatch.setenv("AFTERDROP_SETTINGS", str(file))

    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, app, list(arguments))

    return run


async def test_live_look_ups_make_their_own_database(live: Any, registry: Registry) -> None:
    registry.answers = {"taken.com": domain_object("taken.com")}
    rows = records(await live("whois", "--json", "Taken.com.", "free.com"))
    assert [(row["domain"], row["state"]) for row in rows] == [
        ("taken.com", "registered"),
        ("free.com", "available"),
    ]
    assert list(rows[0]) == [*KEYS, "drop_estimate", "notes"]
    rows = records(await live("availability", "--json", "free.com", "taken.com", "free.com", "name.io"))
    assert [row["state"] for row in rows] == ["available", "registered", "unknown"]
    assert sorted(registry.asked) == ["free.com", "free.com", "taken.com", "taken.com"]


async def test_blanks_around_names_are_trimmed(live: Any, registry: Registry) -> None:
    registry.answers = {"taken.com": domain_object("taken.com")}
    [row] = records(await live("availability", "--json", " taken.com\t"))
    assert (row["domain"], row["state"]) == ("taken.com", "registered")
    assert (await live("dns", "--json", " name.com ")).exit_code == 0
    refused = await live("availability", "..taken.com")
    assert "begins with a dot" in str(refused.exception)


async def test_dns_and_rating(live: Any) -> None:
    row = records(await live("dns", "--json", "name.com"))[0]
    assert row["has_mail"] is True
    plain = (await live("dns", "name.com")).stdout
    assert "MX                   5 mx1.name.com" in plain
    assert "has_mail             yes" in plain
    assert records(await live("rating", "--json", "taken.com")) == [
        {"domain": "taken.com", "domain_rating": None, "error": None}
    ]


@pytest.mark.parametrize(
    "arguments",
    [("whois", "www.taken.com"), ("availability", "localhost"), ("rating", "co.uk"), ("dns", "1.2.3.4")],
)
async def test_a_bad_name_is_refused_before_any_request(
    live: Any, registry: Registry, arguments: tuple[str, ...]
) -> None:
    result = await live(*arguments)
    assert result.exit_code != 0
    assert arguments[1].split(".")[0] in str(result.exception)
    assert registry.asked == []
