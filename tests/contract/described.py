"""Holds requests and answers against the served OpenAPI document, more strictly than a client may.

A client ignores members it does not know. Here an answer's every member must be declared, so schemas get
`unevaluatedProperties: false`; and what the service took must be valid by the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx2
import jsonschema_rs

from tests.contract.narrowing import present

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def strict(value: Any) -> Any:
    """A schema, or anything that holds schemas, in which no object has a member that is not declared."""
    if isinstance(value, list):
        return [strict(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: strict(item) for key, item in value.items() if key not in ("examples", "example")}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made.pop("additionalProperties", None)
        made["unevaluatedProperties"] = False
    return made


class Described:
    """A document, ready to be asked whether requests and answers are as it says."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}

    @cached_property
    def _components(self) -> dict[str, Any]:
        found: dict[str, Any] = strict(self.document["components"])
        return found

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], str]]:
        # Templates without placeholders first: `/domains/archive` is no `/domains/{domain}`.
        templates = sorted(self.document["paths"], key=lambda path: (path.count("{"), path))
        return [(re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", path)), path) for path in templates]

    def operation(self, method: str, path: str) -> tuple[str, dict[str, str]] | None:
        """The template of a path relative to the base address, and its values; None for no operation."""
        for pattern, template in self._paths:
            found = pattern.fullmatch(path)
            if found:
                known = method.lower() in self.document["paths"][template]
                return (template, found.groupdict()) if known else None
        return None

    def faults(self, schema: dict[str, Any], value: Any) -> list[str]:
        """What is wrong with a value by one of the document's schemas, read strictly."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            whole = {**strict(schema), "components": self._components}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        errors = self._validators[key].iter_errors(value)
        return [f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}" for error in errors]

    def answer_faults(self, template: str, method: str, status: int, body: Any) -> list[str]:
        """What is not described in an answer."""
        responses = self.document["paths"][template][method.lower()]["responses"]
        if str(status) not in responses:
            return [f"{status} is not described"]
        content = responses[str(status)].get("content")
        if (content is None) != (body is None):
            return [f"{status} has {'no ' if body is None else 'a '}body"]
        return self.faults(content["application/json"]["schema"], body) if content else []

    def request_faults(self, request: httpx2.Request, template: str, path: dict[str, str]) -> Iterator[str]:
        """What is not valid by the document in a request that the service took."""
        operation = self.document["paths"][template][request.method.lower()]
        parameters = {(each["in"], each["name"]): each["schema"] for each in operation.get("parameters", [])}
        given = [("path", name, unquote(text)) for name, text in path.items()]
        query = request.url.query.decode("ascii")
        given += [("query", name, text) for name, text in parse_qsl(query, keep_blank_values=True)]
        for place, name, text in given:
            if (place, name) not in parameters:
                yield f"{place} {name} is not described"
            elif all(self.faults(parameters[place, name], value) for value in readings(text)):
                yield f"{place} {name}: {text!r} is not valid"
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            yield from self.faults(schema, json.loads(request.content))

    def check(self, base: str, answer: httpx2.Response) -> None:
        """Raise when an answer of the API, or the request that was taken, is not as described."""
        request = answer.request
        address = str(request.url).partition("?")[0]
        found = (
            self.operation(request.method, address.removeprefix(base)) if address.startswith(base) else None
        )
        if found is None:
            return
        template, values = found
        media = answer.headers.get("Content-Type", "").partition(";")[0]
        if media in ("application/x-ndjson", "text/csv"):
            self._check_lines(answer, template, media)
            return
        body = answer.json() if answer.content else None
        faults = self.answer_faults(template, request.method, answer.status_code, body)
        if answer.is_success:
            faults += self.request_faults(request, template, values)
        assert not faults, (request.method, str(request.url), answer.status_code, faults)

    def _check_lines(self, answer: httpx2.Response, template: str, media: str) -> None:
        """Raise when a list that is sent line by line is not described, or its lines are no summaries."""
        assert media in self.document["paths"][template]["get"]["responses"]["200"]["content"]
        if media == "application/x-ndjson":
            for line in answer.text.splitlines():
                faults = self.faults({"$ref": "#/components/schemas/Summary"}, json.loads(line))
                assert not faults, (line, faults)


@cache
def described() -> Described:
    """The description that this code serves with default settings."""
    return Described(present())


def readings(text: str) -> Iterator[Any]:
    """A parameter's text as each type it may stand for."""
    yield text
    if re.fullmatch("[0-9]+", text):
        yield int(text)
    if text in ("true", "false"):
        yield text == "true"
