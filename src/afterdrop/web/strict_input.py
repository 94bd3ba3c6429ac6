"""Strict reading of requests: what is misspelt, repeated, out of range or not JSON is named, never ignored.

Values of paths are read here, too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qsl

import orjson
from fastapi import Path
from pydantic import BaseModel, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import ClientDisconnect, Request

from afterdrop.core.domain_names import domain_of_url, exact_domain
from afterdrop.core.errors import BadName
from afterdrop.web.problems import Invalid, not_found

BODY_LIMIT = 64 * 1024
_MOST_PARAMETERS = 100
_MOST_NAMED = 20
Model = TypeVar("Model", bound=BaseModel)


def read_query(raw: bytes, model: type[Model]) -> Model:
    """The query string as `model`. Raises Invalid that names every bad, unknown and repeated parameter."""
    pairs = read_pairs(raw, "query", _MOST_PARAMETERS)
    errors: dict[str, list[str]] = {}
    for name, times in Counter(name for name, _ in pairs).items():
        if name not in model.model_fields:
            errors[_shown(name)] = ["is not a parameter of this endpoint"]
        elif times > 1:
            errors[name] = ["is given more than once"]
    known = {name: value for name, value in pairs if name in model.model_fields}
    return validated(known, model, errors)


def read_pairs(raw: bytes, field: str, most: int) -> list[tuple[str, str]]:
    """The names and values of an urlencoded query or form, at most so many. Raises Invalid for `field`."""
    try:
        return parse_qsl(utf8(raw, field), keep_blank_values=True, errors="strict", max_num_fields=most)
    except UnicodeDecodeError:
        raise _not_utf8(field) from None
    except ValueError:
        raise Invalid({field: [f"has more than {most} parameters"]}) from None


def media_type(request: Request, field: str) -> str:
    """The media type of a body, in lower case. Raises Invalid for `field` where another charset than UTF-8 is declared.

    The header is read as the parser of forms reads it, so that this one sees no charset that was not looked at here.
    """
    kind, parameters = parse_options_header(request.headers.get("content-type", ""))
    if parameters.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise Invalid({field: ["must be encoded in UTF-8"]})
    return kind.decode("latin-1")


def utf8(raw: bytes, field: str) -> str:
    """Bytes of a request as text. Raises Invalid for `field`: no other encoding is accepted anywhere."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _not_utf8(field) from None


def _not_utf8(field: str) -> Invalid:
    return Invalid({field: ["is not valid UTF-8"]})


async def read_body(request: Request, model: type[Model]) -> Model:
    """The JSON body as `model`. Raises Invalid; errors of the body as a whole are under `body`."""
    raw = await _bytes(request)
    if (raw or "content-type" in request.headers) and media_type(request, "body") != "application/json":
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
    text = utf8(raw, "body")
    try:
        value = orjson.loads(text)
        # orjson silently keeps the last of duplicate members; the slower parser shows them all.
        json.loads(text, object_pairs_hook=_no_duplicates)
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
            items = [part for part in inside if isinstance(part, int)]
            text = _MESSAGES.get(each["type"]) or _BEGINNING.sub(
                "should", each["msg"].removeprefix("Value error, ")
            )
            message = f"item {items[0] + 1}: {text}" if items else text
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


def _shown(name: str) -> str:
    """A name that a stranger chose, cut short enough to repeat."""
    return name if len(name) <= 60 else name[:60] + "…"


_MOST: Final = 2**63 - 1
_CHECK_ID = re.compile(r"chk_[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)
_BATCH_ID = re.compile(r"bat_[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


class RuleId(Convertor[str]):
    """A rule's id in a path. `/alerts/matches` is a path of its own and never a rule."""

    regex = "(?!matches$)[^/]+"

    def convert(self, value: str) -> str:
        """The value as it stands; what is no id is not found later."""
        return value

    def to_string(self, value: str) -> str:
        """The value as it stands."""
        return value


class CheckId(RuleId):
    """A check's id in a path. `/checks/batch` is a path of its own and never a check."""

    regex = "(?!batch$)[^/]+"


register_url_convertor("rule", RuleId())
register_url_convertor("check", CheckId())

DomainPath = Annotated[
    str,
    Path(
        description="A registrable domain in any case, Unicode or A-labels",
        min_length=1,
    ),
]
IdPath = Annotated[int, Path(description="Its id", ge=1, le=_MOST)]
CheckPath = Annotated[
    str,
    Path(
        description="The check's id",
        pattern="^chk_[0-9A-HJKMNP-TV-Z]{26}$",
    ),
]
BatchPath = Annotated[
    str,
    Path(
        description="The batch's id",
        pattern="^bat_[0-9A-HJKMNP-TV-Z]{26}$",
    ),
]


def path_domain(text: str, sale_zones: tuple[str, ...] = ()) -> str:
    """The registrable domain a path names. A text that cannot be one is not found."""
    try:
        return exact_domain(text, sale_zones)
    except BadName:
        raise not_found("The domain is not on the list.") from None


def path_id(text: int | str) -> int:
    """The id a path names (text at run time). A text that cannot be one is not found."""
    if re.fullmatch(r"[1-9][0-9]{0,18}", str(text), re.ASCII) and int(text) <= _MOST:
        return int(text)
    raise not_found()


def path_check_id(text: str) -> str:
    """The check's id a path names. A text that cannot be one is not found."""
    if not _CHECK_ID.fullmatch(text):
        raise not_found()
    return text


def path_batch_id(text: str) -> str:
    """The id of a batch of checks that a path names. A text that cannot be one is not found."""
    if not _BATCH_ID.fullmatch(text):
        raise not_found()
    return text
