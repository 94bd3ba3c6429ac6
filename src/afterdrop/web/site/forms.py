"""Forms as people fill them in: read with a limit, checked against a model, kept to be shown again with errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from afterdrop.core.errors import AfterdropError
from afterdrop.web.problems import Invalid
from afterdrop.web.strict_input import media_type, read_pairs, utf8

LIMIT: Final = 64 * 1024
_MOST_FIELDS: Final = 400
_FIRST: Final = {"value_error": "", "missing": "is required", "string_too_short": "is required"}
Model = TypeVar("Model", bound=BaseModel)


@dataclass
class Form:
    """The fields of a form, and error messages by field."""

    values: dict[str, list[str]] = field(default_factory=dict)
    errors: Mapping[str, list[str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """One field without blanks around it."""
        return (self.values.get(name) or [""])[-1].strip()

    def raw(self, name: str) -> str:
        """One field as typed (passwords)."""
        return (self.values.get(name) or [""])[-1]

    def all(self, name: str) -> list[str]:
        """The values of a field that is sent several times or separates them by commas or lines."""
        texts = self.values.get(name, [])
        words = (word.strip() for text in texts for word in text.replace("\n", ",").split(","))
        return [word for word in words if word]

    def has(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.text(name))

    def number(self, name: str) -> int | str | None:
        """A whole number, None for an empty field, the text itself where that is no number."""
        text = self.text(name)
        if not text:
            return None
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else text

    def with_errors(self, errors: Mapping[str, list[str]]) -> Form:
        """The same form with error messages by field."""
        return Form(self.values, errors)

    def refused(self, error: AfterdropError, field: str = "form") -> Form:
        """The same form with what was wrong; `field` gets the message of an error that names no fields."""
        named = error.fields if isinstance(error, Invalid) else None
        return self.with_errors(named or {field: [error.message]})


def own_path(path: str, otherwise: str) -> str:
    """A path of this site that somebody sent, never another host; `otherwise` for anything else."""
    plain = path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable() and len(path) < 3000
    return path if plain and "\\" not in path else otherwise


def whole_number(text: str) -> int:
    """Digits as a number; 0, which is no id and no page, for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


async def read_form(http: Request) -> Form:
    """The body, urlencoded or in parts. Raises Invalid when it is too large or not text."""
    body = bytearray()
    try:
        async for chunk in http.stream():
            body += chunk
            if len(body) > LIMIT:
                raise Invalid({"form": ["is too large"]})
    except ClientDisconnect:
        raise Invalid({"form": ["is incomplete"]}) from None
    if media_type(http, "form") == "multipart/form-data":
        return await _read_parts(http, bytes(body))
    form = Form()
    for name, value in read_pairs(bytes(body), "form", _MOST_FIELDS):
        form.values.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return form


async def _read_parts(http: Request, body: bytes) -> Form:
    """The fields of a form with files; a file is a field with its text. Raises Invalid."""

    utf8(body, "form")  # the parser would read other bytes as Latin-1

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    form = Form()
    try:
        parser = MultiPartParser(
            http.headers, stream(), max_files=5, max_fields=_MOST_FIELDS, max_part_size=LIMIT
        )
        parts = await parser.parse()
        try:
            for name, part in parts.multi_items():
                value = part if isinstance(part, str) else (await part.read()).decode("utf-8-sig")
                form.values.setdefault(name, []).append(value.replace("\r\n", "\n"))
        finally:
            await parts.close()
    except (MultiPartException, UnicodeDecodeError, KeyError):
        raise Invalid({"form": ["could not be read; a file must be plain text in UTF-8"]}) from None
    return form


def validated(values: Mapping[str, object], model: type[Model]) -> Model:
    """The values as the API's model of the same body. Raises Invalid with messages in the words of a form."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        errors: dict[str, list[str]] = {}
        for each in error.errors(include_url=False, include_input=False, include_context=False):
            name = str(each["loc"][0]) if each["loc"] else "form"
            message = _FIRST.get(each["type"]) or each["msg"].removeprefix("Value error, ")
            message = message.replace("Input should", "should")
            if message not in errors.setdefault(name, []):
                errors[name].append(message)
        raise Invalid(errors) from None
