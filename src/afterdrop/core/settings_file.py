"""Read the settings once at start: a TOML file and AFTERDROP_* environment variables, which win.

Wrong values stop the start with one line each: file and key, or the variable, and what was expected. Relative paths in
the file, and those of settings that nobody set, are relative to the file; a variable's are relative to where the
command was started.

Nested keys are spelled with a double underscore in variables: AFTERDROP_SCAN__HOUR=3 is `[scan] hour = 3`. A list is
separated by commas or written as JSON, a table or a list of tables as JSON.
"""

from __future__ import annotations

import json
import logging
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from afterdrop.core.errors import SettingsError, SettingsFaults
from afterdrop.core.settings import Settings

# Variables that the interface documents by these names, beside the general rule.
_ALIASES: Final = {
    "AFTERDROP_WEBHOOK_RETRY_WAITS": ("webhook", "retry_waits"),
    "AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": ("webhook", "allow_loopback"),
    "AFTERDROP_MAIL_HOST": ("mail", "host"),
}
_NOT_SETTINGS: Final = {"AFTERDROP_SETTINGS", "AFTERDROP_API_KEY"}
_UNKNOWN: Final = "is not a setting of Afterdrop"
# What 1.0 let an operator set and what is fixed since, by section.
_FIXED: Final[Mapping[str, Mapping[str, object]]] = {
    "plans": {"keys_per_account": 5},
    "scan": {"review_attempts": 4, "spool_max_bytes": 4_000_000_000, "archive_max_ratio": 200},
    "registry": {
        "recheck_seconds": 7200, "recheck_slow_seconds": 86400, "mass_404_share": 0.2, "whois_seconds": 2,
        "whois_recheck_share": 0.5,
    },
    "archive": {"captures_per_review": 8, "cdx_limit": 50_000},
    "pace": {"failures_in_a_row": 3, "pause_seconds": 60, "longest_pause_seconds": 1800},
    "webhook": {"at_once": 64, "per_endpoint": 4, "disable_after": 15},
    "ranks": {"keep": 2},
    "site": {"visitor_checks_per_network": 2},
    "server": {"head_max_bytes": 65_536, "stalled_seconds": 30},
    "operator": {
        "remind_hours": 24, "scan_late_hours": 2, "failed_reviews_share": 0.2, "queue_minutes": 60,
        "failed_deliveries": 10, "budget_shares": [0.8, 1.0],
    },
    "backup": {"hour": 3},
    "retention": {
        "reviews_days": 7, "listings_days": 500, "candidates_days": 90, "metrics_days": 90, "scans_days": 400,
        "jobs_days": 7,
    },
}  # fmt: skip

log = logging.getLogger("afterdrop.settings")


def _put_variables(
    values: dict[str, object], environ: Mapping[str, str]
) -> tuple[dict[tuple[str, ...], str], list[tuple[str, str]]]:
    """Put every variable's value into `values`; gives the places with their variables, and what cannot be taken."""
    given: dict[tuple[str, ...], str] = {}
    faults: list[tuple[str, str]] = []
    for key, text in environ.items():
        if not key.startswith("AFTERDROP_") or key in _NOT_SETTINGS:
            continue
        parts = _ALIASES.get(key) or tuple(key.removeprefix("AFTERDROP_").lower().split("__"))
        try:
            value = text if _is_fixed(parts) else _value(text, _kind(parts))
            target = values
            for part in parts[:-1]:
                table = target.setdefault(part, {})
                if not isinstance(table, dict):
                    raise ValueError(_UNKNOWN)
                target = table
            target[parts[-1]] = value
        except ValueError as error:
            told = _unknown(parts, _variable) if str(error) == _UNKNOWN else str(error)
            faults.append((f"environment: {key}", told))
        else:
            given[parts] = key
    return given, faults


def _unknown(parts: Sequence[str], spelled: Callable[[str], str] = str) -> str:
    """The message about a setting that there is not, with the most similar one as `spelled` writes it."""
    known = {spelled(name) for name in _names(Settings)}
    near = get_close_matches(spelled(".".join(parts)), sorted(known), n=1, cutoff=0.75)
    return f"{_UNKNOWN}; did you mean {near[0]}?" if near else _UNKNOWN


def _names(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """Every setting and section, by its dotted name; entries of lists have no number."""
    for name, field in model.model_fields.items():
        yield before + name
        kind = _plain(field.annotation)
        for inner in (kind, *(_plain(each) for each in get_args(kind))):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                yield from _names(inner, f"{before}{name}.")


def _variable(name: str) -> str:
    return f"AFTERDROP_{name.replace('.', '__').upper()}"


def _kind(parts: tuple[str, ...]) -> Any:
    """The type of the setting at a place; Any below a table with free keys. Raises ValueError for an unknown one."""
    found: Any = Settings
    for part in parts:
        if get_origin(found) is dict:
            found = _plain(get_args(found)[1])
        elif isinstance(found, type) and issubclass(found, BaseModel) and part in found.model_fields:
            found = _plain(found.model_fields[part].annotation)
        else:
            raise ValueError(_UNKNOWN)
    return found


def _plain(annotation: object) -> Any:
    """The type without what is annotated to it; a union with None stays one."""
    return _plain(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def _value(text: str, kind: object) -> Any:
    """A variable's text as the kind of setting wants it. Raises ValueError."""
    if get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind):
        return None if text.strip().lower() in ("", "none") else text
    stripped = text.strip()
    if get_origin(kind) is tuple:
        items = get_args(kind)[0]
        if not stripped.startswith("[") and not (isinstance(items, type) and issubclass(items, BaseModel)):
            return [item.strip() for item in text.split(",") if item.strip()]
        return _json(stripped, list, 'a JSON list, such as [{"preset": "NAME"}]')
    if get_origin(kind) is dict or (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return _json(stripped, dict, 'a JSON object, such as {"com": "10"}')
    return text


def _json(text: str, kind: type, expected: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, kind):
        raise ValueError(f"must be {expected}")
    return value


DEFAULT_FILE: Final = "afterdrop.toml"
_SQLITE: Final = "sqlite:///"


def load(
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
    warn: Callable[[str], None] = log.warning,
) -> Settings:
    """Read settings from `file` (or $AFTERDROP_SETTINGS, or ./afterdrop.toml if there) and the environment.

    `warn` is told of every setting that is fixed now. Raises SettingsError, and SettingsFaults with every fault where
    there are several.
    """
    env = os.environ if environ is None else environ
    path = file or (Path(env["AFTERDROP_SETTINGS"]) if env.get("AFTERDROP_SETTINGS") else None)
    if path is None and Path(DEFAULT_FILE).exists():
        path = Path(DEFAULT_FILE)
    values = read_toml(path) if path else {}
    if path is not None:
        for place, text in _take_fixed(values):
            warn(f"{path}: {text} from line {_line(path, place)}")
        _anchor(values, path.parent)
    given, faults = _put_variables(values, env)
    for place, text in _take_fixed(values):
        warn(f"{_where(place, path, given)}: {text}")
    try:
        found = Settings.model_validate({**values, "file": str(path or "")})
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            faults.append((_where(each["loc"], path, given), _expected(each)))
    if faults:
        raise SettingsFaults(faults)
    return found


def _is_fixed(parts: Sequence[str]) -> bool:
    return len(parts) == 2 and parts[1] in _FIXED.get(parts[0], {})


def _take_fixed(values: Mapping[str, object]) -> Iterator[tuple[tuple[str, str], str]]:
    """Take the settings that are fixed now out of `values`; gives their places, and what to say of each."""
    for section, fixed in _FIXED.items():
        if isinstance(table := values.get(section), dict):
            for name in filter(table.__contains__, fixed):
                del table[name]
                text = f"{section}.{name} is fixed at {json.dumps(fixed[name])} since 2.0 and is ignored"
                yield (section, name), f"{text}: remove it"


def _line(path: Path, place: tuple[str, str]) -> int:
    """The number of the line with which a setting begins: those before it make a valid file without it."""
    lines, begins = path.read_text(encoding="utf-8").splitlines(), 1
    for end in range(1, len(lines)):
        with suppress(tomllib.TOMLDecodeError):
            if place[1] in tomllib.loads("\n".join(lines[:end])).get(place[0], {}):
                break
            begins = end + 1
    return begins


def _anchor(values: dict[str, object], folder: Path) -> None:
    """Make the file's relative paths relative to its folder."""
    values["data_dir"] = _beside(folder, values.get("data_dir", Settings.model_fields["data_dir"].default))
    for section in (values.get("ranks"), values.get("backup")):
        if isinstance(section, dict) and "dir" in section:
            section["dir"] = _beside(folder, section["dir"])
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


def _anchor_feed(feed: dict[str, object], folder: Path) -> None:
    preset, url, options = feed.get("preset"), feed.get("url"), feed.get("options")
    if isinstance(preset, str) and preset.endswith(".toml"):
        feed["preset"] = str(_beside(folder, preset))
    if isinstance(url, str) and "://" not in url:
        feed["url"] = str(_beside(folder, url))
    if isinstance(options, dict) and isinstance(options.get("path"), str):
        options["path"] = str(_beside(folder, options["path"]))


def _beside(folder: Path, given: object) -> Any:
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


def _expected(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return _unknown([part for part in error["loc"] if isinstance(part, str)])
    return str(error["msg"]).removeprefix("Value error, ")


def read_toml(path: Path) -> dict[str, object]:
    """The content of a TOML file, which may begin with the mark of UTF-8, or SettingsError naming it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SettingsError(str(path), f"cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(str(path), f"is not valid TOML ({error})") from None
