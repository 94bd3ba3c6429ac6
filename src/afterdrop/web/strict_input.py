"""Strict reading of requests: what is misspelt, repeated, out of range or not JSON is named, never ignored."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import BadName
from afterdrop.web.problems import Invalid

BODY_LIMIT = 64 * 1024
_MOST_PARAMETERS = 100
_MOST_NAMED = 20
Model = TypeVar("Model", bound=BaseModel)


def read_query(raw: bytes, model: type[Model]) -> Model:
    """The query string as `model`. Raises Invalid that names every bad, unknown and repeated parameter."""
    try:
        text = raw.decode("utf-8")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS)
    except UnicodeDecodeError:
        raise Invalid({"query": ["is not valid UTF-8"]}) from None
    except ValueError:
        raise Invalid({"query": [f"has more than {_MOST_PARAMETERS} parameters"]}) from None
    errors: dict[str, list[str]] = {}
    for name, times in Counter(name for name, _ in pairs).items():
        if name not in model.model_fields:
            errors[_shown(name)] = ["is not a parameter of this endpoint"]
        elif times > 1:
            errors[name] = ["is given more than once"]
    known = {name: value for name, value in pairs if name in model.model_fields}
    return validated(known, model, errors)


async def read_body(request: Request, model: type[Model]) -> Model:
    """The JSON body as `model`. Raises Invalid; errors of the body as a whole are under `body`."""
    raw = await _bytes(request)
    if raw or "content-type" in request.headers:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Invalid({"body": ["must be sent with Content-Type: application/json"]})
    return validated(load_object(raw), model, {})


async def _bytes(request: Request) -> bytes:
    too_large = Invalid({"body": [f"is larger than {BODY_LIMIT // 1024} KiB"]})
    length = request.headers.get("content-length", "")
    if length.isdecimal() and len(length) < 20 and int(length) > BODY_LIMIT:
        raise too_large
    chunks = bytearray()
    try:
        async for chunk in request.stream():
            chunks += chunk
            if len(chunks) > BODY_LIMIT:
                raise too_large
    except ClientDisconnect:
        raise Invalid({"body": ["is incomplete"]}) from None
    return bytes(chunks)


def load_object(raw: bytes) -> dict[str, Any]:
    """A JSON object: UTF-8, no duplicate members, no NaN, no lone surrogates, not too deep. Raises Invalid."""
    if not raw.strip():
        raise Invalid({"body": ["is required"]})
    try:
        value = orjson.loads(raw)
        # orjson silently keeps the last of duplicate members; the slower parser shows them all.
        json.loads(raw, object_pairs_hook=_no_duplicates)
    except RecursionError:
        raise Invalid({"body": ["is nested too deeply"]}) from None
    except ValueError as error:
        reason = str(error) if isinstance(error, _Duplicate) else "is not valid JSON"
        raise Invalid({"body": [reason]}) from None
    if not isinstance(value, dict):
        raise Invalid({"body": ["must be a JSON object"]})
    return value


class _Duplicate(ValueError):
    pass


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Duplicate("contains a member twice")
    return members


def read_domain(text: str, sale_zones: tuple[str, ...]) -> str:
    """The registrable domain of a domain, subdomain or URL. Raises Invalid for the field `domain`."""
    try:
        return domain_of_url(text, sale_zones)
    except BadName as error:
        raise Invalid({"domain": [error.message]}) from None


def validated(values: dict[str, Any], model: type[Model], errors: dict[str, list[str]]) -> Model:
    """`values` as `model`. Raises Invalid with messages by field, the `errors` found before among them."""
    try:
        made = model.model_validate(values)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_input=False, include_context=False):
            where, *inside = each["loc"] or ("body",)
            messages = errors.setdefault(_shown(str(where)), [])
            message = _message(each["type"], each["msg"], [part for part in inside if isinstance(part, int)])
            if message not in messages and len(messages) < _MOST_NAMED:
                messages.append(message)
        raise Invalid(dict(list(errors.items())[:_MOST_NAMED])) from None
    if errors:
        raise Invalid(dict(list(errors.items())[:_MOST_NAMED]))
    return made


_MESSAGES = {
    "missing": "is required",
    "extra_forbidden": "is not a member this endpoint knows",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "list_type": "must be an array",
    "none_required": "must be null",
    # The library checks only one pattern here, `patterns.TEXT`.
    "string_pattern_mismatch": "must contain more than spaces, and no control characters",
}


# How the library's messages begin; the field's name says that already.
_BEGINNING = re.compile(r"^(Input|String|List|Tuple|Value) should")


def _message(kind: str, message: str, items: list[int]) -> str:
    text = _MESSAGES.get(kind) or _BEGINNING.sub("should", message.removeprefix("Value error, "))
    return f"item {items[0] + 1}: {text}" if items else text


def _shown(name: str) -> str:
    """A name that a stranger chose, cut short enough to repeat."""
    return name if len(name) <= 60 else name[:60] + "…"
