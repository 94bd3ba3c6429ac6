"""What people typed: read with a limit, checked against a model, kept for showing it again beside its faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request

from afterdrop.web.problems import Invalid

LIMIT: Final = 64 * 1024
_MOST_FIELDS: Final = 400
_FIRST: Final = {"value_error": "", "missing": "is required", "string_too_short": "is required"}
Model = TypeVar("Model", bound=BaseModel)


@dataclass
class Form:
    """The fields of a form, and what is wrong with them by field."""

    values: dict[str, list[str]] = field(default_factory=dict)
    faults: Mapping[str, list[str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """One field without blanks around it."""
        return (self.values.get(name) or [""])[-1].strip()

    def raw(self, name: str) -> str:
        """One field as typed (passwords)."""
        return (self.values.get(name) or [""])[-1]

    def all(self, name: str) -> list[str]:
        """A field that may stand several times, or several words with commas or lines between them."""
        texts = self.values.get(name, [])
        words = (word.strip() for text in texts for word in text.replace("\n", ",").split(","))
        return [word for word in words if word]

    def lines(self, name: str) -> list[str]:
        """A field with one value a line; values may hold commas."""
        texts = self.values.get(name, [])
        return [line.strip() for text in texts for line in text.split("\n") if line.strip()]

    def has(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.text(name))

    def number(self, name: str) -> int | str | None:
        """A whole number, None for an empty field, the text itself where it is none."""
        text = self.text(name)
        if not text:
            return None
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else text

    def refused(self, faults: Mapping[str, list[str]]) -> Form:
        """The same with what is wrong with it."""
        return Form(self.values, faults)


async def read_form(request: Request) -> Form:
    """The urlencoded body. Raises Invalid when it is too large or not text."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LIMIT:
                raise Invalid({"form": ["is too large"]})
    except ClientDisconnect:
        raise Invalid({"form": ["breaks off"]}) from None
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise Invalid({"form": ["could not be read"]}) from None
    form = Form()
    for name, value in pairs:
        form.values.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return form


def checked(values: Mapping[str, Any], model: type[Model]) -> Model:
    """The values as the API's model of the same body. Raises Invalid with messages by field."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        faults: dict[str, list[str]] = {}
        for fault in error.errors(include_url=False, include_input=False, include_context=False):
            name = str(fault["loc"][0]) if fault["loc"] else "form"
            message = _FIRST.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
            message = message.replace("Input should", "should")
            if message not in faults.setdefault(name, []):
                faults[name].append(message)
        raise Invalid(faults) from None
