"""Read the settings once at start: a TOML file and AFTERDROP_* environment variables, which win.

Wrong values stop the start with one line each: file and key, or the variable, and what was expected. Relative paths in
the file, and those of settings that nobody set, are relative to the file; a variable's are relative to where the
command was started.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from afterdrop.core.errors import SettingsError, SettingsFaults
from afterdrop.core.settings import Settings
from afterdrop.core.settings_environment import UNKNOWN, put_variables

DEFAULT_FILE: Final = "afterdrop.toml"
_SQLITE: Final = "sqlite:///"


def load(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Read settings from `file` (or $AFTERDROP_SETTINGS, or ./afterdrop.toml if there) and the environment.

    Raises SettingsError, and SettingsFaults with every fault where there are several.
    """
    env = os.environ if environ is None else environ
    path = file or (Path(env["AFTERDROP_SETTINGS"]) if env.get("AFTERDROP_SETTINGS") else None)
    if path is None and Path(DEFAULT_FILE).exists():
        path = Path(DEFAULT_FILE)
    values = read_toml(path) if path else {}
    if path is not None:
        _anchor(values, path.parent)
    given, faults = put_variables(values, env, Settings)
    try:
        found = Settings.model_validate({**values, "file": str(path or "")})
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            faults.append((_where(each["loc"], path, given), _expected(each)))
    if faults:
        raise SettingsFaults(faults)
    return found


def _anchor(values: dict[str, Any], folder: Path) -> None:
    """Make the file's relative paths relative to its folder."""
    values["data_dir"] = _beside(folder, values.get("data_dir", Settings.model_fields["data_dir"].default))
    ranks = values.get("ranks")
    if isinstance(ranks, dict) and "dir" in ranks:
        ranks["dir"] = _beside(folder, ranks["dir"])
    site = values.get("site")
    for name in ("terms", "privacy"):
        if isinstance(site, dict) and name in site:
            site[name] = _beside(folder, site[name])
    url = values.get("database_url")
    if isinstance(url, str) and url.startswith(_SQLITE):
        values["database_url"] = _SQLITE + str(_beside(folder, url.removeprefix(_SQLITE)))
    feeds = values.get("feeds")
    for feed in feeds if isinstance(feeds, list) else ():
        if isinstance(feed, dict):
            _anchor_feed(feed, folder)


def _anchor_feed(feed: dict[str, Any], folder: Path) -> None:
    preset, url, options = feed.get("preset"), feed.get("url"), feed.get("options")
    if isinstance(preset, str) and preset.endswith(".toml"):
        feed["preset"] = str(_beside(folder, preset))
    if isinstance(url, str) and "://" not in url:
        feed["url"] = str(_beside(folder, url))
    if isinstance(options, dict) and isinstance(options.get("path"), str):
        options["path"] = str(_beside(folder, options["path"]))


def _beside(folder: Path, given: Any) -> Any:
    if not isinstance(given, str | Path) or not str(given):
        return given
    return folder / Path(given).expanduser()


def _where(loc: tuple[int | str, ...], path: Path | None, given: Mapping[tuple[str, ...], str]) -> str:
    """Where the wrong value came from: the variable that set it, else the file and the key."""
    names = tuple(str(part) for part in loc)
    for place, key in given.items():
        if names and (names[: len(place)] == place or place[: len(names)] == names):
            return f"environment: {key}"
    return f"{path or 'settings'}: {'.'.join(names)}".rstrip(": ")


def _expected(error: Mapping[str, Any]) -> str:
    if error["type"] == "extra_forbidden":
        return UNKNOWN
    return str(error["msg"]).removeprefix("Value error, ")


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file, or SettingsError naming it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"is not valid TOML ({error})") from None
