"""What a tool is: a function of the service with a name, arguments and a description, all of them ours."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, TypeVar, get_type_hints

import orjson
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from afterdrop.web.api.request import ApiRequest
from afterdrop.web.api.schemas import values as v
from afterdrop.web.api.schemas.common import QueryModel
from afterdrop.web.mcp.response_paging import ROWS, Place

Arguments = TypeVar("Arguments", bound=QueryModel, contravariant=True)
Kind = Literal["read", "lookup", "add", "change", "delete", "spend"]

Limit = Annotated[int, Field(ge=1, le=ROWS), BeforeValidator(v.whole)]
Id = Annotated[int, Field(ge=1, le=2**63 - 1), BeforeValidator(v.whole)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=253)]
Cursor = Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class NoArguments(QueryModel):
    """A tool that is asked for nothing in particular."""


class Continued(QueryModel):
    """A tool whose answer may go on."""

    cursor: Cursor | None = Field(
        default=None, description="`next_cursor` of the answer before, with the same other arguments"
    )


class Listed(Continued):
    """A tool that gives rows."""

    limit: Limit = Field(default=ROWS, description="At most so many rows, 1-25")


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found: JSON rows from the place asked for, and whether more of them follow.

    `place_of` gives the place of the n-th of the rows. `one`: the answer is one object, the only row.
    """

    rows: Sequence[Mapping[str, Any]]
    place_of: Callable[[int], Place] = Place
    more: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    one: bool = False


class Run(Protocol[Arguments]):
    """A tool's function. Raises what an endpoint of the API raises."""

    __name__: str

    def __call__(self, ask: ApiRequest, args: Arguments, place: Place) -> Awaitable[Found]:
        """Answer a question from `place` on."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `pro_only`: the whole tool needs Pro. `whole` names the tool that shows an answer cut here in full."""

    name: str
    title: str
    description: str
    kind: Kind
    arguments: type[QueryModel]
    run: Callable[[ApiRequest, Any, Place], Awaitable[Found]]
    pro_only: bool = False
    whole: str = ""


def tool(
    title: str, kind: Kind, *, pro_only: bool = False, whole: str = ""
) -> Callable[[Run[Arguments]], Tool]:
    """Make a tool of an async function: its name is the tool's, its docstring the description."""

    def made(run: Run[Arguments]) -> Tool:
        arguments = get_type_hints(run)["args"]
        text = " ".join((inspect.getdoc(run) or "").split())
        return Tool(run.__name__, title, text, kind, arguments, run, pro_only, whole)

    return made


def one(row: Mapping[str, Any]) -> Found:
    """An answer that is one object."""
    return Found((row,), one=True, place_of=_only)


def _only(_: int) -> Place:
    return Place()


def after(start: int) -> Callable[[int], Place]:
    """Places of rows counted from the start of a list, of which `start` came before these."""
    return lambda n: Place(row=start + n)


def body_of(response: Response) -> dict[str, Any]:
    """The JSON an endpoint of the API answered."""
    body: dict[str, Any] = orjson.loads(response.body)
    return body


async def window(
    page_of: Callable[[int], Awaitable[Response]], per_page: int, start: int, most: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Up to `most` rows of a paged list after the first `start`, and its `meta`. `most` is not over `per_page`."""
    number = start // per_page + 1
    body = body_of(await page_of(number))
    rows: list[dict[str, Any]] = body["data"][start % per_page :]
    if len(rows) < most and number < body["meta"]["pages"]:
        rows += body_of(await page_of(number + 1))["data"]
    return rows[:most], body["meta"]
