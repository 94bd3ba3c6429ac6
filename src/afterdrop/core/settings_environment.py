"""AFTERDROP_* variables as values at their place in the settings. Pure.

Nested keys are spelled with a double underscore: AFTERDROP_SCAN__HOUR=3 is `[scan] hour = 3`. A list is separated by
commas or written as JSON, a table or a list of tables as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel

# Variables that the interface documents by these names, beside the general rule.
_ALIASES: Final = {
    "AFTERDROP_WEBHOOK_RETRY_WAITS": ("webhook", "retry_waits"),
    "AFTERDROP_WEBHOOK_ALLOW_LOOPBACK": ("webhook", "allow_loopback"),
    "AFTERDROP_MAIL_HOST": ("mail", "host"),
}
_NOT_SETTINGS: Final = {"AFTERDROP_SETTINGS", "AFTERDROP_API_KEY"}
UNKNOWN: Final = "is not a setting of Afterdrop"


def put_variables(
    values: dict[str, Any], environ: Mapping[str, str], model: type[BaseModel]
) -> tuple[dict[tuple[str, ...], str], list[tuple[str, str]]]:
    """Put every variable's value into `values`; gives the places with their variables, and what cannot be taken."""
    given: dict[tuple[str, ...], str] = {}
    faults: list[tuple[str, str]] = []
    for key, text in environ.items():
        if not key.startswith("AFTERDROP_") or key in _NOT_SETTINGS:
            continue
        parts = _ALIASES.get(key) or tuple(key.removeprefix("AFTERDROP_").lower().split("__"))
        try:
            _put(values, parts, _value(text, _kind(model, parts)))
        except ValueError as error:
            faults.append((f"environment: {key}", str(error)))
        else:
            given[parts] = key
    return given, faults


def _put(values: dict[str, Any], parts: tuple[str, ...], value: Any) -> None:
    target = values
    for part in parts[:-1]:
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise ValueError(UNKNOWN)
    target[parts[-1]] = value


def _kind(model: type[BaseModel], parts: tuple[str, ...]) -> Any:
    """The type of the setting at a place; Any below a table with free keys. Raises ValueError for an unknown one."""
    found: Any = model
    for part in parts:
        if get_origin(found) is dict:
            found = _plain(get_args(found)[1])
        elif isinstance(found, type) and issubclass(found, BaseModel) and part in found.model_fields:
            found = _plain(found.model_fields[part].annotation)
        else:
            raise ValueError(UNKNOWN)
    return found


def _plain(annotation: Any) -> Any:
    """The type without what is annotated to it; a union with None stays one."""
    return _plain(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def _value(text: str, kind: Any) -> Any:
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
