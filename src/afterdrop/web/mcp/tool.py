"""A tool: an async function with a name, arguments and a description, and its result."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, TypeVar, get_type_hints

from pydantic import BeforeValidator, Field

from afterdrop.web.account_request import ApiRequest
from afterdrop.web.mcp.response_paging import ROWS, Position
from afterdrop.web.schemas import values as v
from afterdrop.web.schemas.envelope import RequestModel

Arguments = TypeVar("Arguments", bound=RequestModel, contravariant=True)
ToolKind = Literal["read", "lookup", "add", "change", "delete", "spend"]

Limit = Annotated[int, Field(ge=1, le=ROWS), BeforeValidator(v.whole)]
Id = Annotated[int, Field(ge=1, le=2**63 - 1), BeforeValidator(v.whole)]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=253)]
Cursor = Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class NoArguments(RequestModel):
    """The arguments of a tool that takes none."""


class Paged(RequestModel):
    """The arguments of a tool whose answer may continue in a next one."""

    cursor: Cursor | None = Field(
        default=None,
        description="`next_cursor` of the previous answer; the other arguments must stay the same",
    )


class Listed(Paged):
    """The arguments of a tool that gives rows."""

    limit: Limit = Field(default=ROWS, description="The most rows to return, 1-25")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The rows a tool found from the position asked for on, and whether more of them follow.

    `position_of` gives the position after the first n of the rows. `single`: the answer is one object, the only row.
    """

    rows: Sequence[Mapping[str, Any]]
    position_of: Callable[[int], Position] = Position
    more: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False


class ToolFunction(Protocol[Arguments]):
    """A tool's function. It raises what the actions raise."""

    __name__: str

    def __call__(self, request: ApiRequest, args: Arguments, position: Position) -> Awaitable[ToolResult]:
        """Answer from `position` on."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `pro_only`: it needs Pro as a whole."""

    name: str
    title: str
    description: str
    kind: ToolKind
    arguments: type[RequestModel]
    run: Callable[[ApiRequest, Any, Position], Awaitable[ToolResult]]
    pro_only: bool = False

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.kind in ("read", "lookup")


def tool(title: str, kind: ToolKind, *, pro_only: bool = False) -> Callable[[ToolFunction[Arguments]], Tool]:
    """Make a tool of an async function: its name is the tool's, its docstring the description."""

    def made(run: ToolFunction[Arguments]) -> Tool:
        arguments = get_type_hints(run)["args"]
        text = " ".join((inspect.getdoc(run) or "").split())
        return Tool(run.__name__, title, text, kind, arguments, run, pro_only)

    return made


def single(row: Mapping[str, Any]) -> ToolResult:
    """An answer that is one object."""
    return ToolResult((row,), single=True)


def counted_from(start: int) -> Callable[[int], Position]:
    """Positions of rows counted from the start of a list, of which `start` came before these."""
    return lambda n: Position(row=start + n)


# One page of a list, and its `meta`.
ToolPage = tuple[Sequence[Mapping[str, Any]], Mapping[str, Any]]


async def rows_of_pages(
    read_page: Callable[[int], Awaitable[ToolPage]], per_page: int, start: int, most: int
) -> ToolPage:
    """Up to `most` rows of a paged list after the first `start`, and its `meta`. `most` is not over `per_page`."""
    number = start // per_page + 1
    page, meta = await read_page(number)
    rows = [*page[start % per_page :]]
    if len(rows) < most and number < meta["pages"]:
        rows += (await read_page(number + 1))[0]
    return rows[:most], meta
