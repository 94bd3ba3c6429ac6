"""The format of a feed file: where a feed is, how it is packed, and what its columns mean.

Pure. A feed file is TOML. `read_spec` turns its parsed content into a frozen FeedSpec, or raises an error with file,
key and what was expected. Unknown keys are errors, because a misspelt one would silently lose a column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal, get_args
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from afterdrop.core.errors import SettingsError
from afterdrop.core.web_addresses import WebLink
from afterdrop.feeds.converters import chain
from afterdrop.sources.metrics.model import FEED_PREFIX, Role
from afterdrop.sources.metrics.provider_spec import Attribution, Scalar, as_tuple


class TomlTable(BaseModel):
    """A table of a feed file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Indirection(TomlTable):
    """The feed's URL answers JSON in which `url` (a JMESPath) holds the real URL of the file."""

    url: str

    @field_validator("url")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            jmespath.compile(value)
        except JMESPathError as error:
            raise ValueError(f"is not a JMESPath ({str(error).splitlines()[0]})") from None
        return value


class ErrorAnswer(TomlTable):
    """An error inside a good HTTP answer: the value at `path` is one of `is`, or none of `ok`.

    Without both, any value but null, false, zero and empty is an error.
    """

    path: Annotated[str, Field(min_length=1)]
    is_: Annotated[tuple[Scalar, ...], BeforeValidator(as_tuple)] = Field(default=(), alias="is")
    ok: Annotated[tuple[Scalar, ...], BeforeValidator(as_tuple)] = ()


class Paging(TomlTable):
    """A list that comes in pages: `query` is the parameter that counts from `first` in steps of `step`.

    With `more`, which leads, by names joined by dots, to a member that is false on the last page, only that ends the
    list. Without it a page without rows does, and so do the last page once more and an answer that there is no such
    page. With `until_ended` the walk is over, too, at a page of which all listings have ended, after one with a running
    one: some marketplaces go on listing what is over. `error` tells an error from a page. Without it, a list of fewer
    pages than the last time may be a part. After `most` pages the rest is left unread. A part withdraws nothing.
    """

    query: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\[\]-]{1,100}$")] = "page"
    first: Annotated[int, Field(ge=0)] = 1
    step: Annotated[int, Field(ge=1)] = 1
    most: Annotated[int, Field(ge=1, le=10_000)] = 200
    more: str = ""
    until_ended: bool = False
    error: ErrorAnswer | None = None


# A day of the feed's zone, so many days ahead.
_DAY = re.compile(r"\{day(?:\+([0-9]))?(?::([^{}]{1,20}))?\}")
ListingType = Literal["bid", "buy_now", "auction", "pending_delete"]
LISTING_TYPES: Final[tuple[ListingType, ...]] = get_args(ListingType)
# A running auction has an end: where the feed names a column for it, a row without an end is a gap, not an offer.
RUNNING: Final[frozenset[ListingType]] = frozenset({"bid", "auction"})

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]


class FieldSource(TomlTable):
    """Where one value of a row comes from.

    It is the name of a column, or a table with exactly one of `from` (a column, or several of which the first filled
    one counts), `const` and `template` (`{domain}` is filled in). `convert` is a chain of converters
    (afterdrop.feeds.converters). `map` translates the result; a value that it does not list is an error of the row.
    `required` makes a row without the value a bad row. `optional` allows a whole file without the column, which
    otherwise fails the file or is noted (afterdrop.feeds.mapping).
    """

    from_: tuple[str, ...] = Field(default=(), alias="from")
    const: str | int | float | None = None
    template: str | None = None
    convert: tuple[str, ...] = ()
    map: dict[str, str] = {}
    required: bool = False
    optional: bool = False

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, str):
            return {"from": (value,)}
        if isinstance(value, dict) and isinstance(value.get("from"), str):
            return {**value, "from": (value["from"],)}
        return value

    @model_validator(mode="after")
    def _one_origin(self) -> FieldSource:
        origins = [bool(self.from_), self.const is not None, self.template is not None]
        if sum(origins) != 1:
            raise ValueError('expected exactly one of "from", "const" and "template"')
        if self.template is not None and "{domain}" not in self.template:
            raise ValueError('"template" must contain {domain}')
        chain(self.convert)
        return self


class Fields(TomlTable):
    """The values of a listing. Only `domain` and `type` are required."""

    domain: FieldSource
    type: FieldSource
    external_id: FieldSource | None = None
    url: FieldSource | None = None
    price: FieldSource | None = None
    currency: FieldSource = FieldSource(const="USD")
    bids: FieldSource | None = None
    ends_at: FieldSource | None = None

    @field_validator("type")
    @classmethod
    def _known_type(cls, value: FieldSource) -> FieldSource:
        named = [*value.map.values(), *([str(value.const)] if value.const is not None else [])]
        wrong = [name for name in named if name not in LISTING_TYPES]
        if wrong or (value.from_ and not value.map):
            raise ValueError(f"expected const or map values among {', '.join(LISTING_TYPES)}")
        return value

    @field_validator("price", "bids")
    @classmethod
    def _constant_is_a_number(cls, value: FieldSource | None) -> FieldSource | None:
        if value is not None and not isinstance(value.const, int | float | None):
            raise ValueError(f"expected a number, not {value.const!r}")
        return value

    @model_validator(mode="after")
    def _template_is_an_address(self) -> Fields:
        for name in type(self).model_fields:
            source: FieldSource | None = getattr(self, name)
            if name != "url" and source is not None and source.template is not None:
                raise ValueError(f'{name}: only "url" can have a template')
        return self


class Csv(TomlTable):
    """Delimited text. `preamble` lines are skipped (or all up to the line starting with `header_starts`).

    `capture` makes virtual columns `@NAME` from the first preamble line, be it a comment, that its pattern matches.
    `replace` changes a line before it is split. A record is one line; a cell whose quote stays open makes it a bad row.
    """

    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    preamble: Annotated[int, Field(ge=0, le=100)] = 0
    header_starts: str | None = None
    comment: str | None = None
    columns: tuple[str, ...] = ()
    quote: bool = True
    capture: dict[str, str] = {}
    replace: dict[str, str] = {}

    @field_validator("capture")
    @classmethod
    def _patterns(cls, value: dict[str, str]) -> dict[str, str]:
        for pattern in value.values():
            try:
                groups = re.compile(pattern).groups
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression ({error})") from None
            if groups != 1:
                raise ValueError(f"{pattern!r} must have exactly one group")
        return value


class Json(TomlTable):
    """A JSON document; `path` names the array of rows by keys (`reply.body`), empty = the document itself."""

    path: str = ""


class Xml(TomlTable):
    """An XML document; every `row` element is a row: child elements by name, attributes as `@name`."""

    row: str


class FeedSpec(TomlTable):
    """One feed.

    `evidence`: what the file rests on. `sample`: a genuine file or record was read with it. `code`: independent public
    code reads the same. `documentation`: documents only. `own`: nobody but you can tell.
    `complete`: its file has every listing, so a missing one was withdrawn. `registry`: it is a registry's drop list,
    whose day is the drop day and not an estimate. `ahead_days`: rows whose end is further ahead wait, and are listed
    once it has come this near. `certain_within_days`: so many days before the registry releases it a name on the list
    is sure to drop; until then its holder may still renew it. Without it every row is certain. `endless`: the listing
    types that have no end of their own; what the column of the end holds for them (that of an earlier auction) is not
    taken. `ignore`: columns that are left out on purpose. `title`: what people call the marketplace; without it they
    read the host of its addresses, or `source`. `home`: its page for rows without an address; a registry sells nothing
    and has none. `extensions`: where it lists names of certain extensions only or above all, these; the command
    `registries` then says how they are confirmed. A registry's list has no others: such a row cannot be used.
    """

    name: Identifier
    title: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=100)] | None = None
    home: WebLink | None = None
    source: Identifier = "market_a"
    url: str | None = None
    path: str | None = None
    indirection: Indirection | None = None
    paging: Paging | None = None
    headers: dict[str, str] = {}
    container: Literal["plain", "gzip", "zip"] = "plain"
    members: tuple[str, ...] = ("*",)
    format: Literal["csv", "json", "ndjson", "xml"]
    encoding: str = "utf-8-sig"
    csv: Csv = Csv()
    json_: Json = Field(default=Json(), alias="json")
    xml: Xml | None = None
    fields: Fields
    metrics: dict[Role, FieldSource] = {}
    ignore: tuple[str, ...] = ()
    complete: bool
    registry: bool = False
    extensions: tuple[Annotated[str, Field(pattern=r"^[a-z0-9-]{2,63}$")], ...] = ()
    ahead_days: Annotated[int, Field(ge=1, le=365)] | None = None
    certain_within_days: Annotated[int, Field(ge=0, le=365)] | None = None
    endless: tuple[ListingType, ...] = ()
    zone: str = "UTC"
    evidence: Literal["sample", "code", "documentation", "own"] = "own"
    licence: Literal["open", "attribution", "own_use"]
    permission: str | None = None
    attribution: Attribution | None = None
    note: str = ""

    @property
    def provider(self) -> str:
        """The provider's name in metrics from this feed."""
        return f"{FEED_PREFIX}{self.name}"

    def of_day(self, now: datetime) -> FeedSpec:
        """The feed as it is asked for at `now` (aware UTC): `{day}` and `{day+1}` are days of its zone.

        They may stand in the address and in the constant end of its rows, as 20261128 or, `{day+1:%Y-%m-%d}`, as said.
        """
        end = self.fields.ends_at
        texts = (self.url, end.const if end else None)
        if not any(isinstance(text, str) and "{day" in text for text in texts):
            return self
        today = now.astimezone(ZoneInfo(self.zone)).date()

        def filled(text: str) -> str:
            return _DAY.sub(
                lambda found: format(today + timedelta(days=int(found[1] or 0)), found[2] or "%Y%m%d"), text
            )

        url = filled(self.url) if self.url else None
        fields = self.fields
        if end is not None and isinstance(end.const, str):
            fields = fields.model_copy(
                update={"ends_at": end.model_copy(update={"const": filled(end.const)})}
            )
        return self.model_copy(update={"url": url, "fields": fields})

    @property
    def own_use(self) -> bool:
        """Whether its licence allows the operator's own use only, and no permission says otherwise."""
        return self.licence == "own_use" and not self.permission

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns of the id, whose numbers are kept as the file writes them."""
        return self.fields.external_id.from_ if self.fields.external_id else ()

    @field_validator("url")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        try:
            parts = urlsplit(value or "https://none")
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("https", "http") or not parts.hostname:
            raise ValueError(f"expected an address starting with https://, not {value!r}")
        return value

    @field_validator("zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"expected an IANA time zone such as America/New_York, not {value!r}") from None
        return value

    @field_validator("encoding")
    @classmethod
    def _known_encoding(cls, value: str) -> str:
        try:
            "".encode(value)
        except LookupError:
            raise ValueError(f"expected a text encoding such as utf-8-sig, not {value!r}") from None
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> FeedSpec:
        if bool(self.url) == bool(self.path):
            raise ValueError('expected exactly one of "url" and "path"')
        if self.registry and self.home:
            raise ValueError('"home" is where names are sold, which a registry\'s list does not do')
        if self.indirection and not self.url:
            raise ValueError('"indirection" needs "url"')
        if self.paging and (not self.url or self.format != "json" or self.container != "plain"):
            raise ValueError('"paging" needs "url" and format = "json" without a container')
        if (self.format == "xml") != (self.xml is not None):
            raise ValueError('format = "xml" and the table [xml] with the row tag go together')
        if any(not source.from_ for source in self.metrics.values()):
            raise ValueError('a metric needs "from", the column that holds it')
        if running := RUNNING.intersection(self.endless):
            raise ValueError(f'"endless" cannot name {min(running)}: a running auction has an end')
        ends = self.fields.ends_at
        if self.endless and ends is not None and ends.required:
            raise ValueError('"ends_at" cannot be required where "endless" types have none')
        if self.licence == "attribution" and self.attribution is None:
            raise ValueError('licence = "attribution" needs the table [attribution]')
        return self


def read_spec(content: Mapping[str, object], where: str) -> FeedSpec:
    """Check a feed file's parsed content; `where` names the file in messages.

    Raises SettingsError: subject `file: key`, message what was expected.
    """
    try:
        return FeedSpec.model_validate(dict(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{where}: {key}" if key else where, _expectation(first)) from None


def _expectation(problem: ErrorDetails) -> str:
    if problem["type"] == "extra_forbidden":
        return "is not a key a feed file knows"
    if problem["type"] == "missing":
        return "is missing"
    return str(problem["msg"]).removeprefix("Value error, ")
