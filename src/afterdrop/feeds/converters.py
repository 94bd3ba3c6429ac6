"""The converters of feed files: they turn what a feed prints into what a listing needs, and can be chained.

Pure. A converter gets one value (text or a JSON value) and the feed's zone. None ends the chain.
ValueError says that the value is not what the converter expects.

    money          "$1,234.50" → Decimal("1234.50")       money_eu   "1.234,50 EUR" → Decimal("1234.50")
                   (also "1 234,50 €", "CHF 1’234.50", "1.234,- €"; "1.234" is ambiguous where the point is decimal,
                   and so refused, like "1,234" in money_eu; the printed currency is read separately)
    int_eu         "1.234" → 1234
    int, number    whole number, finite number             bool       true/false, yes/no, 1/0
    epoch_s, epoch_ms                                      seconds, milliseconds since 1970
    iso            ISO 8601 with a time; the feed's zone where none is printed. In all times, 24:00 is midnight of the
                   next day, and a year before 1990 or after 2100 is no time
    us_datetime    "01/02/2026 10:00 AM (PST)": the printed abbreviation is ignored, the feed's zone counts
    time:FORMATS   strptime formats separated by |, in the feed's zone
    date_only, date_only:FORMATS   a day without an hour (default ISO)
    regex:PATTERN  the groups of the first match joined by a blank; no match = no value
    dash_is_null   "-", "--", "n/a" = no value             negative_is_null  below zero = no value
    lower, upper   letter case                             list, list:SEPARATOR   split and trimmed
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TypeAlias
from zoneinfo import ZoneInfo

from afterdrop.core.json_values import Json

# What a feed prints, and what converters make of it.
FeedValue: TypeAlias = "Json | Decimal | date"
Converter = Callable[[FeedValue, ZoneInfo], FeedValue]

_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3})*")
_DASHES = frozenset({"-", "--", "---", "–", "—", "n/a", "na", "null", "none", ""})
_TRUE = frozenset({"true", "yes", "y", "1", "t"})
_FALSE = frozenset({"false", "no", "n", "0", "f"})
# What a price may print for its currency. Codes of three letters are their own.
_SIGNS = {
    "€": "EUR", "£": "GBP", "US$": "USD", "$US": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD",
    "NZ$": "NZD", "HK$": "HKD", "SG$": "SGD", "S$": "SGD", "NT$": "TWD", "MX$": "MXN", "R$": "BRL", "SFr.": "CHF",
    "SFr": "CHF", "Fr.": "CHF", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "₹": "INR", "₩": "KRW",
    "₺": "TRY", "₽": "RUB", "₴": "UAH", "₪": "ILS", "₫": "VND", "฿": "THB", "₱": "PHP", "円": "JPY",
}  # fmt: skip
# A sign that several currencies share says only that the currency is one of these.
_SHARED = {
    "$": frozenset(
        ["USD", "US$", "$US", "$", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS", "CLP", "COP"]
    ),
    "¥": frozenset({"JPY", "CNY", "CNH"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
}
_LETTER = r"[^\W\d_]"


def _mark(text: str) -> str:
    """The pattern of a code or sign: its letters are no part of a longer word."""
    before, after = (f"(?<!{_LETTER})" * text[0].isalpha(), f"(?!{_LETTER})" * text[-1].isalpha())
    return before + re.escape(text) + after


_MARKS = "|".join(
    [
        rf"(?<!{_LETTER})[A-Z]{{3}}(?!{_LETTER})",
        *map(_mark, sorted([*_SIGNS, *_SHARED], key=len, reverse=True)),
    ]
)
_MARK = re.compile(_MARKS)
# Groups of three (in India of two before the last three) behind one sign, or no groups. Then a decimal sign with
# digits, or with the dash that stands for none (1.250,-).
_MONEY = re.compile(
    rf"""\s*+(?:(?:{_MARKS})\s*+){{0,3}}
    (?P<whole>[1-9]\d{{0,2}}(?P<group>[.,'’\ \xa0\u2009\u202f])\d{{3}}(?:(?P=group)\d{{3}})*+(?!\d)
        |[1-9]\d?(?:,\d\d)+,\d{{3}}(?!\d)|\d{{1,30}})?
    (?:(?P<mark>[.,])(?:(?P<cents>\d{{1,30}})|[-–—]{{1,2}}))?
    \s*+(?:(?:{_MARKS})\.?\s*+){{0,2}}""",
    re.VERBOSE,
)
MONEY = frozenset({"money", "money_eu"})
_US_DATETIME = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp][Mm])?\s*(?:\(?[A-Za-z]{2,5}\)?)?"
)
# The patterns of a feed file may be slow on long texts: they see at most this many characters.
SEARCHED_MOST = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A time outside is in a wrong unit (milliseconds read as seconds).
_EARLIEST, _LATEST = 631_152_000, 4_102_444_800
# A year outside stands for none, as 9999-12-31 and 0001-01-01 do.
_YEARS = range(1990, 2101)
_YEAR_ZERO = "0000"
# The end of a day, and the second that is put in before midnight (RFC 3339, section 5.7).
_MIDNIGHT = re.compile(r"(?<=[T ])24(?=(?::?00){1,2}(?:[.,]0++)?(?![\d:.,]))")
_LEAP_SECOND = re.compile(r"(?<=\d\d:\d\d:)60(?!\d)")
# The zone's name behind the offset (RFC 9557), which says the same.
_ZONE_NAME = re.compile(r"(?<=[\dZ])\[[\w/+-]{1,60}\]$")


def _text(value: FeedValue) -> str:
    return value if isinstance(value, str) else str(value)


def _money(value: FeedValue, _zone: ZoneInfo) -> Decimal:
    return _read_money(value, ".")


def _money_eu(value: FeedValue, _zone: ZoneInfo) -> Decimal:
    return _read_money(value, ",")


def _read_money(value: FeedValue, point: str) -> Decimal:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _amount(str(value))
    return _printed_amount(_text(value), point)


@lru_cache(maxsize=1024)
def _printed_amount(text: str, point: str) -> Decimal:
    """The amount, where `point` is the feed's decimal sign; the other one is read where it can be nothing else."""
    found = _MONEY.fullmatch(text)
    whole, group, mark, cents = found.groups("") if found else ("", "", "", "")
    if not (whole or cents):
        raise ValueError("expected an amount such as $1,234.50")
    if _unclear(whole, group, mark, cents, point):
        raise ValueError("expected an amount whose separator is unambiguous")
    digits = whole.replace(group or ",", "")
    return _amount(f"{digits}.{cents}" if cents else digits)


def _unclear(whole: str, group: str, mark: str, cents: str, point: str) -> bool:
    """Whether a sign may separate thousands or decimals."""
    if not mark:
        return group == point and whole.count(group) == 1
    if mark in whole:
        return True
    return mark != point and not group and bool(cents) and len(cents) != 2


@lru_cache(maxsize=1024)
def printed_currency(price: str) -> str | None:
    """The currency in the text of a price: a code, or a sign that several share ($, ¥); None without either.

    ValueError when the text has two.
    """
    marks = {_SIGNS.get(mark, mark) for mark in _MARK.findall(price)}
    codes, shared = marks - _SHARED.keys(), marks & _SHARED.keys()
    if len(codes) > 1 or len(shared) > 1 or any(not codes <= _SHARED[sign] for sign in shared):
        raise ValueError("expected one currency")
    return next(iter(codes or shared), None)


def agreed_currency(printed: str | None, told: str) -> str:
    """The currency of a price whose text has `printed`, and whose row or feed names `told` ("" for none).

    A clear text wins. ValueError when its sign is shared by several currencies and `told` is none of them.
    """
    if printed is None:
        return told
    if printed not in _SHARED:
        return printed
    if told and told not in _SHARED[printed]:
        raise ValueError(f"expected a price in {told}")
    return told


def _amount(digits: str) -> Decimal:
    amount = Decimal(digits)
    if not amount.is_finite() or amount < 0:
        raise ValueError("expected an amount of zero or more")
    return amount


def _int_eu(value: FeedValue, zone: ZoneInfo) -> int:
    text = value.replace(".", "") if isinstance(value, str) and _DOTTED.fullmatch(value.strip()) else value
    return _int(text, zone)


def _int(value: FeedValue, _zone: ZoneInfo) -> int:
    if isinstance(value, str):
        return int(value.replace(",", ""))
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        raise ValueError("expected a whole number")
    return int(value)


def _number(value: FeedValue, _zone: ZoneInfo) -> float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("expected a number")
    found = float(value)
    if found != found or found in (float("inf"), float("-inf")):
        raise ValueError("expected a finite number")
    return found


def _bool(value: FeedValue, _zone: ZoneInfo) -> bool:
    word = _text(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError("expected true or false")


def _epoch_s(value: FeedValue, _zone: ZoneInfo) -> datetime:
    seconds = int(float(_figure(value)))
    if not _EARLIEST <= seconds <= _LATEST:
        raise ValueError("expected seconds since 1970, between 1990 and 2100")
    return _EPOCH + timedelta(seconds=seconds)


def _epoch_ms(value: FeedValue, zone: ZoneInfo) -> datetime:
    return _epoch_s(int(_figure(value)) // 1000, zone)


def _figure(value: FeedValue) -> str | int | float | Decimal:
    if not isinstance(value, str | int | float | Decimal):
        raise TypeError("expected a number")
    return value


def _iso(value: FeedValue, zone: ZoneInfo) -> datetime | None:
    """RFC 3339, whose `T` and `Z` may be in lower case (section 5.6), and what `datetime.fromisoformat` reads."""
    text, later = _clock(_ZONE_NAME.sub("", _text(value).strip().upper()).replace("\u2212", "-"))
    if len(text) < 12:
        raise ValueError("expected an ISO date with a time")
    return None if text.startswith(_YEAR_ZERO) else _utc(datetime.fromisoformat(text), zone, later)


def _clock(text: str) -> tuple[str, timedelta]:
    """A time as Python reads it, and how much later it is: 24:00 is midnight of the next day."""
    if _MIDNIGHT.search(text):
        return _MIDNIGHT.sub("00", text), timedelta(days=1)
    if _LEAP_SECOND.search(text):
        return _LEAP_SECOND.sub("59", text), timedelta(seconds=1)
    return text, timedelta()


def _utc(moment: datetime, zone: ZoneInfo, later: timedelta = timedelta()) -> datetime | None:
    """The moment in UTC; None for a year that stands for none."""
    if moment.year not in _YEARS:
        return None
    moment += later
    if moment.tzinfo is UTC and not moment.microsecond:
        return moment
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.astimezone(UTC).replace(microsecond=0)


def _us_datetime(value: FeedValue, zone: ZoneInfo) -> datetime | None:
    text, later = _clock(_text(value).strip())
    found = _US_DATETIME.fullmatch(text)
    if not found:
        raise ValueError("expected a date such as 01/02/2026 10:00 AM (PST)")
    month, day, year, hour, minute = (int(part) for part in found.groups()[:5])
    if found[7]:
        if not 1 <= hour <= 12:
            raise ValueError("expected an hour from 1 to 12")
        hour = hour % 12 + (12 if found[7].lower() == "pm" else 0)
    moment = datetime(year, month, day, hour, minute, int(found[6] or 0))  # noqa: DTZ001  # the feed's zone follows
    return _utc(moment, zone, later)


def _parsed(value: FeedValue, formats: tuple[str, ...]) -> tuple[datetime, timedelta]:
    text, later = _clock(
        _text(value).strip().upper()
    )  # `strptime` knows letters of any case, but for the Z of %z
    for pattern in formats:
        try:
            return datetime.strptime(text, pattern), later  # noqa: DTZ007  # the feed's zone follows
        except ValueError:
            continue
    raise ValueError(f"expected a time like {' or '.join(formats)}")


def _time(argument: str) -> Converter:
    formats = tuple(argument.split("|"))

    def convert(value: FeedValue, zone: ZoneInfo) -> datetime | None:
        moment, later = _parsed(value, formats)
        return _utc(moment, zone, later)

    return convert


def _date_only(argument: str) -> Converter:
    formats = tuple(argument.split("|"))

    def convert(value: FeedValue, _zone: ZoneInfo) -> date | None:
        if formats == ("",):
            text = _text(value).strip()
            if text.startswith(_YEAR_ZERO):
                return None
            day = date.fromisoformat(text)
        else:
            day = _parsed(value, formats)[0].date()
        return day if day.year in _YEARS else None

    return convert


def _regex(argument: str) -> Converter:
    try:
        pattern = re.compile(argument)
    except re.error as error:
        raise ValueError(f"{argument!r} is not a regular expression ({error})") from None
    if not pattern.groups:
        raise ValueError(f"{argument!r} has no group to take")

    def convert(value: FeedValue, _zone: ZoneInfo) -> str | None:
        found = pattern.search(_text(value)[:SEARCHED_MOST])
        return " ".join(part for part in found.groups() if part) if found else None

    return convert


def _list(argument: str) -> Converter:
    separator = argument or ","
    return lambda value, _zone: [part.strip() for part in _text(value).split(separator) if part.strip()]


def _dash_is_null(value: FeedValue, _zone: ZoneInfo) -> FeedValue:
    return None if isinstance(value, str) and value.strip().lower() in _DASHES else value


def _negative_is_null(value: FeedValue, zone: ZoneInfo) -> FeedValue:
    return None if _number(value, zone) < 0 else value


_PLAIN: dict[str, Converter] = {
    "money": _money,
    "money_eu": _money_eu,
    "int": _int,
    "int_eu": _int_eu,
    "number": _number,
    "bool": _bool,
    "epoch_s": _epoch_s,
    "epoch_ms": _epoch_ms,
    "iso": _iso,
    "us_datetime": _us_datetime,
    "dash_is_null": _dash_is_null,
    "negative_is_null": _negative_is_null,
    "lower": lambda value, _zone: _text(value).lower(),
    "upper": lambda value, _zone: _text(value).upper(),
}
_MADE: dict[str, Callable[[str], Converter]] = {
    "time": _time,
    "date_only": _date_only,
    "regex": _regex,
    "list": _list,
}


@lru_cache(maxsize=512)
def converter(name: str) -> Converter:
    """The converter spelled `name` or `name:argument`; ValueError names the known ones."""
    head, _, argument = name.partition(":")
    if head in _MADE and (argument or head in ("date_only", "list")):
        return _MADE[head](argument)
    if name in _PLAIN:
        return _PLAIN[name]
    known = ", ".join([*sorted(_PLAIN), *(f"{made}:…" for made in sorted(_MADE))])
    raise ValueError(f"unknown converter {name!r}; known are {known}")


def chain(names: Iterable[str]) -> tuple[Converter, ...]:
    """Several converters, applied in order."""
    return tuple(converter(name) for name in names)
