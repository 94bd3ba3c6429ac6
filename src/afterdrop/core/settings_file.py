"""Read the settings once at start: a TOML file and AFTERDROP_* environment variables, which win.

Nested keys are spelled with a double underscore: AFTERDROP_SCAN__HOUR=3 is `[scan] hour = 3`.
A wrong value stops the start with file, key and what was expected.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from afterdrop.core.errors import SettingsError
from afterdrop.core.settings import Settings

# Variables that the interface documents by these names, beside the general rule.
_ALIASES = {
    "AFTERDROP_WEBHOOK_RETRY_WAITS": ("webhook", "retry_waits"),
    "AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": ("webhook", "allow_loopback"),
    "AFTERDROP_MAIL_HOST": ("mail", "host"),
}
_LISTS = {
    "secret_keys",
    "trusted_origins",
    "trusted_proxies",
    "retry_waits",
    "resolvers",
    "sale_zones",
    "marks",
}
_NOT_SETTINGS = {"AFTERDROP_SETTINGS", "AFTERDROP_API_KEY"}


def load(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Read settings from `file` (or $AFTERDROP_SETTINGS, or ./afterdrop.toml if there) and the environment.

    Raises SettingsError naming file and key.
    """
    env = os.environ if environ is None else environ
    path = file or (Path(env["AFTERDROP_SETTINGS"]) if env.get("AFTERDROP_SETTINGS") else None)
    if path is None and Path("afterdrop.toml").exists():
        path = Path("afterdrop.toml")
    values = read_toml(path) if path else {}
    given: dict[tuple[str, ...], str] = {}
    for key, text in env.items():
        if key.startswith("AFTERDROP_") and key not in _NOT_SETTINGS:
            given[_put(values, key, text)] = key
    try:
        return Settings.model_validate({**values, "file": str(path or "")})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise SettingsError(_where(first["loc"], path, given), _expected(first)) from None


def _where(loc: tuple[int | str, ...], path: Path | None, given: Mapping[tuple[str, ...], str]) -> str:
    """Where the wrong value came from: the variable that set it, else the file and the key."""
    names = tuple(str(part) for part in loc)
    for place, key in given.items():
        if names and (names[: len(place)] == place or place[: len(names)] == names):
            return f"environment: {key}"
    return f"{path or 'settings'}: {'.'.join(names)}".rstrip(": ")


def _expected(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return "is not a setting Afterdrop knows"
    return str(error["msg"]).removeprefix("Value error, ")


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file, or SettingsError naming it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"is not valid TOML ({error})") from None


def _put(values: dict[str, Any], key: str, text: str) -> tuple[str, ...]:
    """Store a variable's value at its place in `values`; gives the place."""
    parts = _ALIASES.get(key) or tuple(key.removeprefix("AFTERDROP_").lower().split("__"))
    if parts[0] not in Settings.model_fields:
        raise SettingsError(f"environment: {key}", "is not a setting Afterdrop knows")
    target = values
    for part in parts[:-1]:
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise SettingsError(f"environment: {key}", "is not a setting Afterdrop knows")
    target[parts[-1]] = (
        [item.strip() for item in text.split(",") if item.strip()] if parts[-1] in _LISTS else text
    )
    return parts
