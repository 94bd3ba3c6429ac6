"""Passwords, the secret box and signed links."""

from __future__ import annotations

import importlib.util
import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from afterdrop.accounts import passwords
from afterdrop.accounts.account import Account
from afterdrop.accounts.secret_box import SecretBox, SecretUnreadable, open_secret_box
from afterdrop.accounts.tokens import account_id_in, make_token, token_fits
from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings

NOW = datetime(2026, 11, 20, tzinfo=UTC)
OLD, NEW = "old-" + "x" * 30, "new-" + "y" * 30
ACCOUNT = Account(7, "a@b.com", NOW, NOW, None)


def test_a_password_fits_its_hash_only() -> None:
    stored = passwords.hash_password("correct horse battery")
    assert "correct" not in stored
    assert passwords.password_fits(stored, "correct horse battery")
    assert not passwords.password_fits(stored, "correct horse")
    assert not passwords.password_fits(None, "correct horse battery")
    assert not passwords.password_fits("not a hash", "x")


def test_a_hash_costs_who_guesses_as_much_as_is_customary() -> None:
    """RFC 9106, section 4: the second recommended choice, 64 MiB and three passes. The tests' own hashes are cheap."""
    fresh = importlib.util.find_spec("afterdrop.accounts.passwords")
    assert fresh is not None
    assert fresh.loader is not None
    module = importlib.util.module_from_spec(fresh)
    fresh.loader.exec_module(module)
    stored = module.hash_password("correct horse battery")
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=")
    assert module.password_fits(stored, "correct horse battery")


def test_a_bad_password_gets_a_reason() -> None:
    assert passwords.password_fault("short") == "must have at least 10 characters"
    assert passwords.password_fault("x" * 201) == "must have at most 200 characters"
    assert passwords.password_fault("x" * 10) is None


def test_the_first_key_encrypts_and_all_decrypt() -> None:
    sealed = SecretBox([OLD]).encrypt("whsec_secret")
    assert b"whsec" not in sealed
    assert SecretBox([NEW, OLD]).decrypt(sealed) == "whsec_secret"
    with pytest.raises(SecretUnreadable) as caught:
        SecretBox([NEW]).decrypt(sealed)
    assert "whsec" not in str(caught.value)
    assert SecretBox([NEW]).decrypt(SecretBox([NEW, OLD]).encrypt("a")) == "a"


def test_the_first_key_signs_and_all_verify() -> None:
    signed = SecretBox([OLD]).sign("reset", [1, 2])
    assert SecretBox([NEW, OLD]).verify("reset", signed) == [1, 2]
    assert SecretBox([NEW]).verify("reset", SecretBox([NEW, OLD]).sign("reset", 1)) == 1
    assert SecretBox([NEW]).verify("reset", signed) is None
    assert SecretBox([OLD]).verify("verify", signed) is None
    assert SecretBox([OLD]).verify("reset", signed[:-1] + "!") is None


@pytest.mark.parametrize("keys", [[], ["short"], [NEW, ""]])
def test_missing_or_short_keys_stop_the_start(keys: list[str]) -> None:
    with pytest.raises(SettingsError, match="secret_keys"):
        SecretBox(keys)


def test_embedded_keys_are_made_once_and_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    sealed = open_secret_box(settings).encrypt("a")
    assert open_secret_box(settings).decrypt(sealed) == "a"
    file = tmp_path / "data" / "secret_keys"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["secret_keys"]


def test_keys_from_the_settings_win(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, secret_keys=(NEW,))
    assert SecretBox([NEW]).decrypt(open_secret_box(settings).encrypt("a")) == "a"
    assert not (tmp_path / "secret_keys").exists()


def test_links_are_valid_for_their_account_until_they_expire() -> None:
    secret_box = SecretBox([NEW])
    token = make_token(secret_box, "reset", ACCOUNT, NOW)
    assert account_id_in(secret_box, "reset", token, NOW + timedelta(hours=2, seconds=-1)) == 7
    assert account_id_in(secret_box, "reset", token, NOW + timedelta(hours=2)) is None
    assert account_id_in(secret_box, "verify", token, NOW) is None
    assert account_id_in(secret_box, "reset", secret_box.sign("reset", ["7", 0, 9e9]), NOW) is None
    assert token_fits(secret_box, "reset", token, ACCOUNT)
    assert not token_fits(secret_box, "reset", token, replace(ACCOUNT, token_version=1))
    assert not token_fits(secret_box, "reset", token, replace(ACCOUNT, id=8))
    assert not token_fits(secret_box, "reset", "x", ACCOUNT)


def test_unsubscribe_links_survive_a_password_change() -> None:
    secret_box = SecretBox([NEW])
    token = make_token(secret_box, "unsubscribe", ACCOUNT, NOW)
    assert token_fits(secret_box, "unsubscribe", token, replace(ACCOUNT, token_version=5))
