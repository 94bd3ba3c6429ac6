"""`afterdrop account …` and `afterdrop key …` over a real database."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from afterdrop.accounts.api_keys import looks_right
from afterdrop.cli.accounts import account_app, key_app, read_announcement
from afterdrop.core.errors import AfterdropError
from afterdrop.delivery.mail import message


@pytest.fixture(autouse=True)
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_template: Path) -> None:
    """An embedded deployment of the test's own."""
    (tmp_path / "data").mkdir()
    shutil.copyfile(sqlite_template, tmp_path / "data" / "afterdrop.sqlite3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AFTERDROP_DATA_DIR", str(tmp_path / "data"))


def account(*arguments: str, **more: str) -> str:
    result = CliRunner().invoke(account_app, arguments, catch_exceptions=False, **more)  # type: ignore[arg-type]  # input=
    assert result.exit_code == 0, result.output
    return result.output


def key(*arguments: str) -> str:
    result = CliRunner().invoke(key_app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_an_account_from_creation_to_deletion() -> None:
    made = json.loads(account("create", "Me@Example.org", "--verified", "--pro-days", "3", "--key", "--json"))
    assert (made["email"], made["plan"]) == ("me@example.org", "pro")
    assert looks_right(made["key"])
    account("credits", "me@example.org", "5", "--reference", "one")
    assert "has already been applied" in account("credits", "me@example.org", "5", "--reference", "one")
    account("plan", "me@example.org", "--free")
    account("operator", "me@example.org", "--on")
    (line,) = account("list", "--json").splitlines()
    listed = json.loads(line)
    assert (listed["plan"], listed["credits"], listed["verified"], listed["operator"]) == (
        "free",
        6,
        True,
        True,
    )
    account("delete", "me@example.org", "--yes")
    assert account("list").splitlines()[1:] == []


def test_verifying_and_plan_times() -> None:
    account("create", "a@b.org")
    assert json.loads(account("list", "--json"))["verified"] is False
    account("verify", "a@b.org")
    assert "2030-01-01T00:00:00Z" in account("plan", "a@b.org", "--until", "2030-01-01T00:00:00Z")
    listed = json.loads(account("list", "--json"))
    assert (listed["verified"], listed["plan"]) == (True, "pro")
    for wrong in (("--until", "soon"), ("--until", "2030-01-01"), (), ("--free", "--days", "3")):
        with pytest.raises(AfterdropError):
            account("plan", "a@b.org", *wrong)


def test_keys_are_shown_once_and_limited() -> None:
    account("create", "a@b.org")
    shown = [key("create", "a@b.org", "--name", f"n{number}").strip() for number in range(5)]
    assert all(looks_right(text) for text in shown)
    assert not any(text in key("list", "a@b.org") for text in shown)
    with pytest.raises(AfterdropError, match="can have at most 5 keys"):
        key("create", "a@b.org")
    first = json.loads(key("list", "a@b.org", "--json").splitlines()[0])
    key("revoke", "a@b.org", str(first["id"]))
    assert len(key("list", "a@b.org").splitlines()[1:]) == 4
    with pytest.raises(AfterdropError, match="does not belong to"):
        key("revoke", "a@b.org", str(first["id"]))


def test_a_password_is_asked_for_and_judged() -> None:
    told = account("create", "a@b.org", "--password", input="short\nshort\nlong enough\nlong enough\n")
    assert "at least 10" in told


def test_v_05_accounts_with_a_key_are_mailed_once(tmp_path: Path) -> None:
    for name in ("a@b.org", "keyless@b.org", "c@d.org"):
        account("create", name)
    for name in ("a@b.org", "c@d.org"):
        key("create", name)
        key("create", name)
    file = tmp_path / "notice.txt"
    file.write_text("API v1 ends\n\nOn 2027-12-01 <b>v1</b> goes.\nUse v2.\n\nThank you.\n", "utf-8")
    assert "2 accounts would get 'API v1 ends'" in account("announce", str(file), "--dry-run")
    assert "2 accounts get 'API v1 ends'" in account("announce", str(file))
    assert "0 accounts get" in account("announce", str(file))
    key("create", "keyless@b.org")
    assert "1 accounts get" in account("announce", str(file))
    written = read_announcement(file)
    assert written.text == "On 2027-12-01 <b>v1</b> goes.\nUse v2.\n\nThank you.\n"
    page = message.announcement(message.MailFrame("Afterdrop", "https://a.example"), *written).html
    assert ">On 2027-12-01 &lt;b&gt;v1&lt;/b&gt; goes.<br>Use v2.</p>" in page and ">Thank you.</p>" in page


def test_an_announcement_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notice.txt"
    with pytest.raises(AfterdropError, match="cannot be read"):
        account("announce", str(file))
    for content, word in (
        (b"only a subject\n\n", "text below"),
        (b"\xff\n\nx", "UTF-8"),
        (b"a\n" * 40_000, "64 KiB"),
    ):
        file.write_bytes(content)
        with pytest.raises(AfterdropError, match=word):
            account("announce", str(file))
    file.write_bytes(b"two\x00 li\x1bnes\r\n\r\na\x00b\r\n\r\nc")
    written = read_announcement(file)
    assert (written.subject, written.text) == ("two lines", "ab\n\nc\n")


def test_mistakes_name_what_is_wrong() -> None:
    account("create", "a@b.org")
    for wrong, word in (
        (("create", "a@b.org"), "already"),
        (("create", "nonsense"), "not an e-mail address"),
    ):
        with pytest.raises(AfterdropError, match=word):
            account(*wrong)
    with pytest.raises(AfterdropError, match="no account"):
        account("verify", "x@y.org")
