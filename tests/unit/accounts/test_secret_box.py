"""Passwords, the secret box and signed links."""

from __future__ import annotations

import importlib.util
import stat
import time
import unicodedata
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


# As keyboards and systems of these languages write them, in NFC; macOS gives some of them in NFD.
WRITTEN = [
    "Größenwahn über alles",
    "été à Nîmes, garçon",
    "mật khẩu của tôi",
    "contraseña añeja",
    "příliš žluťoučký kůň",
    "пароль ёжика й",
    "ο κωδικός μου ΐ",
    "비밀번호입니다 정말로",
    "パスワードがどうぞ。",
    "\u0622\u0645\u0648\u0632\u0634 \u0622\u0632\u0627\u062f \u0624",
    "Ångström und Zwölf",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_a_password_fits_however_a_keyboard_composes_it(text: str) -> None:
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert composed != apart
    for new, typed in ((composed, apart), (apart, composed), (apart, apart), (composed, composed)):
        assert passwords.password_fits(passwords.hash_password(new), typed)
    # What was typed was hashed as it was before.
    assert passwords.password_fits(passwords.hasher.hash(apart), apart)
    assert passwords.password_fault(composed) == passwords.password_fault(apart)


@pytest.mark.parametrize(
    ("new", "typed"),
    [
        ("Geheimnis über", "geheimnis über"),
        ("Geheimnis über", "Geheimnis uber"),
        ("straße der Stadt", "strasse der Stadt"),
        ("ﬁnal countdown", "final countdown"),
        ("１２３４５６７８９０", "1234567890"),
        ("m² und m³ und so", "m2 und m3 und so"),
        ("ıstanbul şehri", "istanbul şehri"),
        ("ﾊﾟｽﾜｰﾄﾞｶﾞﾄﾞｳｿﾞ", "パスワードガドウゾ"),
        ("correct horse ", "correct horse"),
        ("é" * 10, "é" * 11),
    ],
)
def test_no_other_password_fits(new: str, typed: str) -> None:
    """Neither case nor width nor compatibility is mapped."""
    assert not passwords.password_fits(passwords.hash_password(new), typed)
    assert not passwords.password_fits(passwords.hash_password(typed), new)


@pytest.mark.parametrize(
    ("typed", "hashes"), [("plain ascii", 1), ("über den Dächern", 1), ("u\u0308ber allem", 2)]
)
def test_a_password_costs_the_same_whatever_is_stored(
    monkeypatch: pytest.MonkeyPatch, typed: str, hashes: int
) -> None:
    nobody, other = passwords.hash_password("nobody has this one"), passwords.hash_password("another one")
    mine = passwords.hash_password(typed)
    monkeypatch.setattr(passwords, "_hash_of_nobody", lambda: nobody)
    real, tried = passwords.hasher, []

    class Counting:
        def verify(self, stored: str, password: str) -> bool:
            tried.append(password)
            return real.verify(stored, password)

    monkeypatch.setattr(passwords, "hasher", Counting())
    for stored, fits in ((None, False), (other, False), (mine, True), (real.hash(typed), True)):
        tried.clear()
        assert passwords.password_fits(stored, typed) is fits
        assert len(tried) == hashes and tried[0] == unicodedata.normalize("NFC", typed)


def test_the_length_of_a_password_counts_composed_characters() -> None:
    assert passwords.password_fault("e\u0301" * 9) == "must have at least 10 characters"
    assert passwords.password_fault("e\u0301" * 10) is None
    longest = "\u03a9\u0313\u0342\u0345" * 200
    assert passwords.password_fault(longest) is None
    assert passwords.password_fits(passwords.hash_password(longest), unicodedata.normalize("NFC", longest))
    assert passwords.password_fault(longest + "x") == "must have at most 200 characters"
    assert not passwords.password_fits(passwords.hash_password(longest), longest + "x")


def test_composing_a_flood_of_accents_takes_no_time() -> None:
    """The order of accents is sorted in quadratic time: 30,000 of them take seconds."""
    flood = "a" + "\u0301\u0323" * 16_000
    began = time.process_time()
    assert passwords.password_fault(flood) is not None
    assert not passwords.password_fits(None, flood)
    assert time.process_time() - began < 0.1


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
