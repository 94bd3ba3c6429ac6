"""The kinds of value that requests carry, read strictly. Query values come as text, body values as JSON."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal, get_args

import idna
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from afterdrop.delivery.events import EVENTS
from afterdrop.feeds.spec import ListingType
from afterdrop.sources.metrics.values import TOPICS
from afterdrop.web.schemas import patterns
from afterdrop.web.schemas.patterns import MOST_ITEMS

MOST: Final = 2**31 - 1
_LONGEST_NAME: Final = 253
LISTING_TYPES: Final[tuple[ListingType, ...]] = ("bid", "buy_now", "pending_delete", "auction")
Lang = Literal["en", "de", "fr", "es", "it", "nl", "pt", "tr", "ru", "sv", "ja"]
LANGS: Final[tuple[Lang, ...]] = get_args(Lang)
_TOPIC_BY_LOWER = {topic.lower(): topic for topic in TOPICS}
_EXTENSION_FORM = re.compile(patterns.PLAIN_EXTENSION, re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d))?", re.ASCII
)


def digits(value: Any) -> int:
    """ASCII digits of a query as a number."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]+", value, re.ASCII):
        return int(value) if len(value) <= 15 else 10**15
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("must be a whole number written in digits")


def whole(value: Any) -> int:
    """A JSON number without a fraction; `30.0` is the integer 30."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise ValueError("must be a whole number")


def strict_bool(value: Any) -> bool:
    """JSON true or false, nothing that looks like it."""
    if isinstance(value, bool):
        return value
    raise ValueError("must be true or false")


def truth(value: Any) -> bool:
    """`true`, `false`, `1` or `0` of a query."""
    if value in ("true", "1", True):
        return True
    if value in ("false", "0", False):
        return False
    raise ValueError("must be true or false")


def plain_text(value: str) -> str:
    """Text without control characters, trimmed, not blank."""
    if _CONTROL.search(value):
        raise ValueError("must not contain control characters")
    if not value.strip():
        raise ValueError("must not be blank")
    return value.strip()


def comma_list(value: Any) -> tuple[str, ...]:
    """The items of a comma-separated query value: none empty, at most `MOST_ITEMS`, each once, in the order given."""
    count = value.count(",") + 1 if isinstance(value, str) else len(value)
    if count > MOST_ITEMS:
        raise ValueError(f"should have at most {MOST_ITEMS} items")
    items = value.split(",") if isinstance(value, str) else value
    if not all(items) or not items:
        raise ValueError("must be a comma-separated list without empty items")
    return tuple(dict.fromkeys(items))


def extension(value: str) -> str:
    """`com`, `.com` and `COM` as `com`; `co.uk` is one extension; Unicode ones become A-labels."""
    text = value if value.isascii() else ""
    if not value.isascii() and len(value) <= _LONGEST_NAME:
        with suppress(idna.IDNAError, UnicodeError):
            text = idna.encode(value.strip("."), uts46=True).decode("ascii")
    if len(text) > _LONGEST_NAME or not _EXTENSION_FORM.fullmatch(text):
        raise ValueError(f"{value[:40]!r} is not a domain extension")
    return text.removeprefix(".").lower()


def extensions(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each extension once."""
    return tuple(dict.fromkeys(extension(value) for value in values))


def topic(value: str) -> str:
    """One of the fourteen topics, whatever the case it is written in."""
    found = _TOPIC_BY_LOWER.get(value.lower())
    if found is None:
        raise ValueError(f"should be among {', '.join(TOPICS)}")
    return found


def topics(values: tuple[str, ...]) -> tuple[str, ...]:
    """Each topic once, spelled as the interface spells it."""
    return tuple(dict.fromkeys(topic(value) for value in values))


def listing_types(values: tuple[str, ...]) -> tuple[str, ...]:
    """Listing types as the interface spells them."""
    for value in values:
        if value not in LISTING_TYPES:
            raise ValueError(f"should be among {', '.join(LISTING_TYPES)}")
    return values


def event_types(values: tuple[str, ...]) -> tuple[str, ...]:
    """Types of events that endpoints subscribe to."""
    for value in values:
        if value not in EVENTS:
            raise ValueError(f"should be among {', '.join(EVENTS)}")
    return values


def two_letters(values: tuple[str, ...]) -> tuple[str, ...]:
    """Two-letter language codes in lower case."""
    for value in values:
        if not re.fullmatch(r"[A-Za-z]{2}", value, re.ASCII):
            raise ValueError("should be two-letter language codes")
    return tuple(dict.fromkeys(value.lower() for value in values))


def moment(value: Any) -> datetime:
    """An ISO 8601 time with `Z` or an offset, or a bare date (00:00Z), as whole UTC seconds."""
    # An unescaped `+` of a query arrives as a space.
    text = value if isinstance(value, str) else ""
    found = _MOMENT.fullmatch(re.sub(r" (\d\d:?\d\d)$", r"+\1", text) if len(text) > 19 else text)
    if not found:
        raise ValueError("must be an ISO 8601 time with Z or an offset, such as 2026-11-20T08:00:00Z")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        raise ValueError("is not a time that exists") from None
    try:
        return local - _offset(found.group(7) or "Z")
    except OverflowError:
        # Within a day of the calendar's first or last: nothing was found before or after that anyway.
        return local


def _offset(text: str) -> timedelta:
    if text in "Zz":
        return timedelta()
    sign = -1 if text[0] == "-" else 1
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 23 or minutes > 59:
        raise ValueError("has an offset that does not exist")
    return sign * timedelta(hours=hours, minutes=minutes)


def described(pattern: str) -> WithJsonSchema:
    """A text of this pattern, in the description."""
    return WithJsonSchema({"type": "string", "pattern": pattern})


QueryPage = Annotated[int, Field(ge=1, le=MOST), BeforeValidator(digits)]
QueryHundred = Annotated[int, Field(ge=1, le=100), BeforeValidator(digits)]
QueryFifty = Annotated[int, Field(ge=1, le=50), BeforeValidator(digits)]
QueryBool = Annotated[
    bool,
    BeforeValidator(truth),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "integer", "enum": [1, 0]}]}),
]
QueryText = Annotated[str, Field(min_length=1, max_length=60, pattern=patterns.TEXT)]
QueryMoment = Annotated[
    datetime,
    BeforeValidator(moment),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "string", "pattern": patterns.MOMENT},
            ]
        }
    ),
]
QueryExtensions = Annotated[
    tuple[str, ...],
    BeforeValidator(comma_list),
    AfterValidator(extensions),
    described(patterns.EXTENSION_LIST),
]
QueryTypes = Annotated[
    tuple[str, ...],
    BeforeValidator(comma_list),
    AfterValidator(listing_types),
    described(patterns.list_of(f"(?:{'|'.join(LISTING_TYPES)})")),
]
QueryEvents = Annotated[
    tuple[str, ...],
    BeforeValidator(comma_list),
    AfterValidator(event_types),
    described(patterns.list_of(f"(?:{'|'.join(map(re.escape, EVENTS))})")),
]
QueryCursor = Annotated[str, Field(pattern="^[0-9]{1,18}$")]
QueryMatchCursor = Annotated[str, Field(pattern=r"^[0-9]{1,12}-[0-9]{1,18}$")]
QueryTopics = Annotated[
    tuple[str, ...], BeforeValidator(comma_list), AfterValidator(topics), described(patterns.TOPIC_LIST)
]
QueryLangs = Annotated[
    tuple[str, ...],
    BeforeValidator(comma_list),
    AfterValidator(two_letters),
    described(patterns.list_of("[A-Za-z]{2}")),
]
QueryNames = Annotated[tuple[str, ...], BeforeValidator(comma_list), described(patterns.REGISTRABLE_LIST)]
QueryName = Annotated[str, described(patterns.REGISTRABLE)]
QueryHost = Annotated[str, described(patterns.HOST)]

BodyCount = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(whole)]
BodyBool = Annotated[bool, BeforeValidator(strict_bool), WithJsonSchema({"type": "boolean"})]
UrlOrDomain = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=2000),
    described(patterns.URL_OR_DOMAIN),
]
