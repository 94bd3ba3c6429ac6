"""Encrypt and sign with the deployment's secret keys.

`secret_keys` (AFTERDROP_SECRET_KEYS) holds them, newest first: the first encrypts and signs, all decrypt and
verify. Embedded, without the setting, they are a file of mode 0600 in the data directory.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from itsdangerous import BadData, URLSafeSerializer

from afterdrop.core.errors import AfterdropError, SettingsError
from afterdrop.core.settings import Settings

FILE = "secret_keys"
_SHORTEST = 16


class SecretUnreadable(AfterdropError):
    """A stored secret cannot be decrypted with any of the secret keys."""


class SecretBox:
    """Encrypts and signs with the first key, decrypts and verifies with any."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise SettingsError("secret_keys", "at least one key is needed")
        for key in keys:
            if len(key) < _SHORTEST:
                raise SettingsError("secret_keys", f"each key needs at least {_SHORTEST} characters")
        self._keys = tuple(keys)
        self._fernet = MultiFernet([Fernet(_derived("encrypt", key)) for key in keys])

    def encrypt(self, text: str) -> bytes:
        """Encrypt a text."""
        return self._fernet.encrypt(text.encode())

    def decrypt(self, encrypted: bytes) -> str:
        """Decrypt a text. Raises SecretUnreadable, which never quotes it."""
        try:
            return self._fernet.decrypt(encrypted).decode()
        except InvalidToken:
            raise SecretUnreadable(
                "secret_keys", "a stored secret cannot be decrypted: is an old key missing?"
            ) from None

    def sign(self, purpose: str, value: object) -> str:
        """A URL-safe text with `value` (JSON), signed for `purpose`."""
        text = self._signer(purpose).dumps(value)
        return text if isinstance(text, str) else text.decode()

    def verify(self, purpose: str, text: str) -> object | None:
        """The value that was signed for `purpose`, or None when the signature is wrong."""
        try:
            value: object = self._signer(purpose).loads(text)
        except BadData:
            return None
        return value

    def _signer(self, purpose: str) -> URLSafeSerializer:
        # itsdangerous signs with the last key of its list.
        return URLSafeSerializer([_derived("sign", key) for key in reversed(self._keys)], salt=purpose)


def _derived(use: str, key: str) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(f"afterdrop {use}\0{key}".encode()).digest())


def open_secret_box(settings: Settings) -> SecretBox:
    """The secret box of this deployment. Without configured keys it makes a key file the first time."""
    return SecretBox(configured_keys(settings))


def configured_keys(settings: Settings) -> Sequence[str]:
    """The keys of this deployment, the one that encrypts first."""
    return settings.secret_keys or _embedded(settings.data_dir)


def add_key(data_dir: Path) -> None:
    """Put a new key before those in the data folder, in one step."""
    lines = "\n".join([secrets.token_urlsafe(32), *_embedded(data_dir), ""])
    draft = data_dir / f"{FILE}.{os.getpid()}"
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii"
    ) as file:
        file.write(lines)
    draft.replace(data_dir / FILE)


def _embedded(data_dir: Path) -> list[str]:
    path = data_dir / FILE
    if not path.exists():
        data_dir.mkdir(parents=True, exist_ok=True)
        draft = data_dir / f"{FILE}.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        try:
            os.link(draft, path)  # the first process wins; the file is never seen half written
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return [line.strip() for line in path.read_text(encoding="ascii").splitlines() if line.strip()]
