"""The format of a provider file: how to ask a metric provider, how to read its answer, and what it costs. Pure.

A provider file is TOML. `read_provider` turns its parsed content into a frozen ProviderFile, or raises an error with
file, key and what was expected. `ProviderSpec` is that file as this deployment uses it, with its keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from afterdrop.core.errors import SettingsError
from afterdrop.sources.metrics.model import Role

PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
VARIABLE = re.compile(r"\$\{([^{}]*)\}")
# domain: one name; domains: the list of names; each: as the only key of a table, one copy of its value per name;
# i: number of the name, from 0, in a query key; n: how many names; today: UTC date.
_PLACEHOLDERS = frozenset({"domain", "domains", "each", "i", "n", "today"})
_VARIABLE_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def _path(value: str) -> str:
    try:
        jmespath.compile(value)
    except JMESPathError as error:
        raise ValueError(f"is not a JMESPath ({str(error).splitlines()[0]})") from None
    return value


Path = Annotated[str, AfterValidator(_path)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0)]
Scalar = str | int | float | bool


class TomlTable(BaseModel):
    """A table of a provider file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Auth(TomlTable):
    """Where the keys go. `${NAME}` is an environment variable; `basic` is user and password."""

    headers: dict[str, str] = {}
    query: dict[str, str] = {}
    basic: Annotated[tuple[str, ...], Field(max_length=2)] = ()

    def variables(self) -> tuple[str, ...]:
        """The names of the environment variables it needs, each once and in order."""
        texts = [*self.headers.values(), *self.query.values(), *self.basic]
        return tuple(dict.fromkeys(name for text in texts for name in VARIABLE.findall(text)))

    @model_validator(mode="after")
    def _names(self) -> Auth:
        if len(self.basic) == 1:
            raise ValueError("basic: expected user and password")
        for name in self.variables():
            if not _VARIABLE_NAME.fullmatch(name) or name.startswith("AFTERDROP_"):
                raise ValueError(f"${{{name}}}: expected an environment variable such as ${{VENDOR_API_KEY}}")
        return self


class RequestSpec(TomlTable):
    """The request as a template; see `_PLACEHOLDERS`. A query key with `{{i}}` is repeated for each name."""

    method: Literal["GET", "POST"] = "GET"
    url: Text
    headers: dict[str, str] = {}
    query: dict[str, Scalar] = {}
    body: dict[str, Any] | list[Any] | None = None

    def placeholders(self) -> set[str]:
        """Every `{{name}}` used."""
        return {
            name for text in _texts([self.url, self.query, self.body]) for name in PLACEHOLDER.findall(text)
        }

    @model_validator(mode="after")
    def _known(self) -> RequestSpec:
        unknown = self.placeholders() - _PLACEHOLDERS
        if unknown:
            raise ValueError(f"{{{{{min(unknown)}}}}}: expected one of {', '.join(sorted(_PLACEHOLDERS))}")
        if (self.method == "POST") != (self.body is not None):
            raise ValueError('method = "POST" and a body go together')
        return self


class FoundSpec(TomlTable):
    """The meaning of the value at `path`: an item's name is known with one of `values`, unknown with one of `unknown`.

    Where only one of the two is given, every other value says the opposite. With both, any other value is an error:
    the name was not answered.
    """

    path: Path
    values: tuple[Scalar, ...] = ()
    unknown: tuple[Scalar, ...] = ()

    @model_validator(mode="after")
    def _says_something(self) -> FoundSpec:
        if not self.values and not self.unknown:
            raise ValueError("expected values, unknown or both")
        return self


class FaultSpec(TomlTable):
    """An error inside a good HTTP answer.

    In JSON, the value at `path` is not one of `ok` (or, without `ok`, is not null, false, zero or empty); `message`
    says more. In any format, the text starts with `prefix`. Where the text or message contains one of `not_found`, the
    provider does not know the names.
    """

    path: Path | None = None
    ok: tuple[Scalar, ...] = ()
    message: Path | None = None
    prefix: str = ""
    not_found: tuple[Text, ...] = ()


def as_tuple(value: object) -> object:
    """A list as it is, and any other value as the only one of a list."""
    return value if isinstance(value, list | tuple) else (value,)


class ItemErrors(TomlTable):
    """Where a good answer lists names that it could not answer: each at `key` of an item, `message` says why."""

    items: Path
    key: Path
    message: Path


class AnswerSpec(TomlTable):
    """How to read the answer.

    With `key`, `items` is a list whose items name their domain at `key`. With `order`, the items come in the order of
    the request, and a `key`, where present, must agree. With neither, the whole answer is about the one name asked.
    `absent_is_not_found`: the vendor leaves out names that it does not know, or answers without any value; else such an
    answer about one name is a fault. `error` is a table, or one for each place where errors stand.
    """

    format: Literal["json", "csv"] = "json"
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    items: Path | None = None
    key: Path | None = None
    order: bool = False
    absent_is_not_found: bool = False
    found: FoundSpec | None = None
    error: Annotated[tuple[FaultSpec, ...], BeforeValidator(as_tuple)] = ()
    item_errors: ItemErrors | None = None
    not_found_status: tuple[int, ...] = ()
    max_bytes: Annotated[int, Field(ge=1000, le=50_000_000)] = 5_000_000


class Cost(TomlTable):
    """The units that a request takes from the budgets."""

    per_request: Count = 0
    per_item: Count = 1


class Budget(TomlTable):
    """The units to spend in a UTC day and a UTC month; None means no limit of ours."""

    per_day: Count | None = None
    per_month: Count | None = None


class Attribution(TomlTable):
    """The credit a licence asks for."""

    text: Text
    url: str = ""


class ProviderFile(TomlTable):
    """One provider. The kind `bulk` serves the scan's filter; `per_domain` is asked about survivors and checks only.

    JSON calls it by its `source`, without one by its `name`; people read its `title`.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
    title: Text
    source: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)] | None = None
    kind: Literal["bulk", "per_domain"]
    tier: Literal["free", "paid"]
    licence: Literal["open", "attribution", "own_use"]
    permission: str | None = None
    attribution: Attribution | None = None
    evidence: Literal["sample", "code", "documentation", "own"] = "own"
    note: str = ""
    cache_days: Annotated[int, Field(ge=1, le=365)] = 30
    batch: Annotated[int, Field(ge=1, le=1000)] = 1
    per_second: Annotated[float, Field(gt=0)] = 1.0
    at_once: Annotated[int, Field(ge=1)] = 1
    timeout_seconds: Annotated[float, Field(gt=0, le=300)] = 30
    cost: Cost = Cost()
    budget: Budget = Budget()
    auth: Auth = Auth()
    request: RequestSpec
    answer: AnswerSpec = AnswerSpec()
    metrics: dict[Role, Path] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_together(self) -> ProviderFile:
        joined = self.answer.key is not None or self.answer.order
        if joined != (self.answer.items is not None):
            raise ValueError('answer: "items" goes with "key" or "order"')
        if self.batch > 1 and not joined:
            raise ValueError("batch: more than one name needs answer.key, or answer.order = true")
        if self.batch > 1 and not self.request.placeholders() & {"domains", "each", "i"}:
            raise ValueError("batch: more than one name needs {{domains}}, {{each}} or {{i}} in the request")
        if not self.request.placeholders() & {"domain", "domains"}:
            raise ValueError("request: names no {{domain}} and no {{domains}}")
        if self.licence == "attribution" and self.attribution is None:
            raise ValueError('licence = "attribution" needs the table [attribution]')
        return self


@dataclass(frozen=True, slots=True)
class ProviderSpec:
    """A provider as this deployment asks it. `keys` are the values of its environment variables, never shown."""

    file: ProviderFile
    url: str
    budget: Budget
    permission: str | None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The provider's name, as metrics state it."""
        return self.file.name

    @property
    def configured(self) -> bool:
        """Whether every key that it needs is set."""
        return not self.missing

    @property
    def own_use(self) -> bool:
        """Whether its licence allows the operator's own use only, and no permission says otherwise."""
        return self.file.licence == "own_use" and not self.permission

    @property
    def roles(self) -> frozenset[Role]:
        """The roles whose values it gives."""
        return frozenset(self.file.metrics)

    def cost(self, names: int) -> int:
        """The units that one request for `names` names takes."""
        return self.file.cost.per_request + self.file.cost.per_item * names


def read_provider(content: Mapping[str, object], where: str) -> ProviderFile:
    """Check a provider file's parsed content. Raises SettingsError: subject `file: key`, message what was expected."""
    try:
        return ProviderFile.model_validate(dict(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"] if part != "[key]")
        raise SettingsError(f"{where}: {key}" if key else where, _expectation(first)) from None


def _expectation(problem: ErrorDetails) -> str:
    if problem["type"] == "extra_forbidden":
        return "is not a key a provider file knows"
    if problem["type"] == "missing":
        return "is missing"
    return str(problem["msg"]).removeprefix("Value error, ")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
