"""The Jinja environment of the site: templates read once, escaped always, with the filters they use."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from afterdrop.catalogue.drops import dropping, due
from afterdrop.catalogue.drops import when as when_ends
from afterdrop.catalogue.purchase import marketplace
from afterdrop.catalogue.shapes import CheckedListing, ListingJson
from afterdrop.core.json_shapes import instant
from afterdrop.core.safe_text import isolated, isolating, one_line
from afterdrop.core.settings import Settings
from afterdrop.core.time_zones import time_zone, utc_offset, zone_place
from afterdrop.core.web_addresses import web_address
from afterdrop.delivery.mail.message import shown_name
from afterdrop.delivery.webhooks.store import DISABLE_AFTER
from afterdrop.review.history.life import unpacked
from afterdrop.review.page.planted import spam_anchor
from afterdrop.scoring.colours import tone
from afterdrop.scoring.conclusion import VERDICTS, grades
from afterdrop.sources.archive.cdx_index import WAYBACK, archive_of
from afterdrop.sources.registry.registry_rules import how_to_buy
from afterdrop.web.site import labels
from afterdrop.web.site.charts import row_strip
from afterdrop.web.site.labels import language_name
from afterdrop.web.site.links_view import path_of, seen_years
from afterdrop.web.site.list_query import (
    FILTER_GROUPS,
    OPTIONS,
    chips_of,
    sorted_by,
    suggested,
    then_by,
    widened,
)
from afterdrop.web.site.list_rows import COLUMNS, outcome_words
from afterdrop.web.site.score_view import signed
from afterdrop.web.site.typed_query import SUGGESTIONS

TEMPLATES: Final = Path(__file__).parents[1] / "templates"
STATIC: Final = Path(__file__).parents[1] / "static"
_HOUR: Final = timedelta(hours=1)
_TICKS: Final = re.compile(r"`([^`\n]+)`")
# A quotation, or a date that is no part of an address.
_ISO_DAY: Final = re.compile(r"“[^“”]*”|(?<![\w/.=&?#%+-])(\d{4})-(\d{2})-(\d{2})(?![\w-])", re.ASCII)
_PRE: Final = re.compile(r"(<pre|</pre>)")
_AT_MARKUP: Final = re.compile(r"(?<=[>}])\n[ \t]+|\n[ \t]+(?=[<{])")
_CONTINUED: Final = re.compile(r"\n[ \t]+")
_ENDS_WITH: Final = re.compile(r"(.*\S) \((https?://\S+)\)\.?", re.DOTALL)


def moment(value: str | datetime | None) -> datetime | None:
    """A time given as JSON writes it or as a datetime."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def in_zone(zone: str) -> str:
    """The words behind a time of day: `UTC`, or a place as in `18:02 (Berlin)`."""
    return zone if zone == "UTC" else f"({zone_place(zone)})"


def when(value: str | datetime | None, zone: str = "UTC") -> str:
    """A time in the reader's zone."""
    at = moment(value)
    if at is None:
        return "–"
    local = at.astimezone(time_zone(zone))
    return f"{local.day} {local:%b %Y, %H:%M} {in_zone(zone)}"


def iso(value: str | datetime | None) -> str:
    """A time as ISO 8601."""
    return instant(moment(value)) or ""


def time_left(value: str | datetime | None, now: datetime) -> str:
    """How long it is until a time, or since it."""
    at = moment(value)
    if at is None:
        return "no fixed end"
    gap = at - now
    past, gap = gap < timedelta(), abs(gap)
    hours = gap // _HOUR
    if hours >= 48:
        text = f"{gap.days} days"
    elif hours:
        text = f"{hours} h {(gap - hours * _HOUR).seconds // 60} min"
    else:
        text = f"{gap.seconds // 60} min"
    return f"{text} ago" if past else f"in {text}"


def short_left(value: str | datetime | None, now: datetime) -> str:
    """The same in a few characters: `2 h 10 m`, `1 d 4 h`, `12 d`; of the past `3 d ago`."""
    at = moment(value)
    if at is None:
        return "–"
    minutes = int(abs((at - now).total_seconds()) // 60)
    days, hours = minutes // 1440, minutes // 60
    if days >= 3 or (at < now and days):
        text = f"{days} d"
    elif days:
        text = f"{days} d {hours % 24} h" if hours % 24 else f"{days} d"
    elif hours >= 6:
        text = f"{hours} h"
    else:
        text = f"{hours} h {minutes % 60} m" if hours else f"{minutes} m"
    return f"{text} ago" if at < now else text


def number(value: float | None) -> str:
    """A figure, or a dash where it is unknown."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}".rstrip("0").rstrip(".")


def in_row(value: int | None) -> str:
    """The same where a phone's row must hold it: millions with one digit behind the point."""
    return number(value) if value is None or value < 1_000_000 else f"{value / 1_000_000:,.1f}M"


def money(value: int | None) -> str:
    """A price in US dollars."""
    return "–" if value is None else f"${value:,}"


def evidence(note: str) -> tuple[str, str | None]:
    """A note without the URL it ends with, and that URL."""
    cited = _ENDS_WITH.fullmatch(note)
    return (cited[1] + ".", cited[2]) if cited else (note, None)


def dated(text: str) -> Markup:
    """A note of ours with its dates as people write them: 3 May 2015. Its quotations stay as they stand."""
    return isolating(_ISO_DAY.sub(_spelled, text))


def _spelled(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    try:
        at = datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return match[0]
    return f"{at.day} {at:%b %Y}"


def lines(text: str, most: int) -> str:
    """Text of strangers with its line breaks, without control or direction-changing characters, cut at `most`."""
    cut = f"{text[:most]}…" if len(text) > most else text
    return "\n".join(one_line(line, most) if line.strip() else "" for line in cut.splitlines())


def coded(text: str) -> Markup:
    """Text of our own, in which `backticks` become code."""
    return Markup(_TICKS.sub(r"<code>\1</code>", str(escape(text))))  # escaped just before


def web(url: str | None) -> bool:
    """Whether a stranger's URL may become a link."""
    return web_address(url) is not None


def elsewhere(url: str | None) -> str:
    """The name of the archive that shows a capture, in brackets, where it is not the Wayback Machine."""
    name = archive_of(url or "")
    return "" if name == WAYBACK else f" ({name})"


def day(value: str | datetime | None, zone: str = "UTC") -> str:
    """A date in the reader's zone."""
    at = moment(value)
    if at is None:
        return "–"
    local = at.astimezone(time_zone(zone))
    return f"{local.day} {local:%b %Y}"


def clock(value: str | datetime, zone: str = "UTC") -> str:
    """The time of day in the reader's zone."""
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    return f"{at.astimezone(time_zone(zone)):%H:%M}"


def ending(listing: ListingJson | CheckedListing, zone: str = "UTC", extension: str = "") -> str:
    """When a listing ends or drops, in the reader's zone; a day without an hour is its registry's: "during 26 Nov".

    `extension` is named beside such a day, because it is a day of that registry.
    """
    found = when_ends(listing)
    if found is None:
        return "–"
    if found.day is None:
        return when(found.begins, zone)
    return f"during {found.day.day} {found.day:%b %Y}" + (f" (.{extension})" if extension else "")


def long_day(at: datetime, zone: str = "UTC") -> str:
    """A day with its weekday in the reader's zone."""
    local = at.astimezone(time_zone(zone))
    return f"{local:%A} {local.day} {local:%B}"


def span(start: datetime, end: datetime | None, zone: str = "UTC") -> str:
    """Two times of one day in the reader's zone; with None for the second, from when on."""
    first = start.astimezone(time_zone(zone))
    day = f"{first:%a} {first.day} {first:%b}"
    if end is None:
        return f"{day}, from {first:%H:%M}"
    return f"{day}, {first:%H:%M}–{end.astimezone(time_zone(zone)):%H:%M}"


def highlighted(text: str, quotes: Iterable[str]) -> Markup:
    """A stranger's text with the words marked that accuse it."""
    shown = one_line(text, 400)
    wanted = sorted(filter(None, (one_line(quote, 200) for quote in quotes)), key=len, reverse=True)
    if not wanted:
        return isolated(shown)
    parts = re.split("(" + "|".join(map(re.escape, wanted)) + ")", shown)
    marked = Markup("").join(
        Markup("<mark>{}</mark>").format(part) if place % 2 else part for place, part in enumerate(parts)
    )
    return Markup("<bdi>{}</bdi>").format(marked) if isolated(shown) != escape(shown) else marked


def pairs(values: Iterable[str]) -> list[tuple[str, str]]:
    """Options whose text is their value."""
    return [(value, value) for value in values]


@lru_cache(maxsize=64)
def asset(name: str) -> str:
    """The address of a static file, which changes with its content."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


@lru_cache(maxsize=8)
def snippet(language: str) -> str:
    """The code that verifies a webhook in a language; the same text as in docs/integrate/webhooks.md."""
    return (TEMPLATES / "docs" / "verify" / f"{language}.txt").read_text(encoding="utf-8").rstrip()


class ContinuedLines(Extension):
    """A line of a template that begins with blanks continues the one before: as if no line ended there.

    At a tag, an expression or a statement nothing stands between the two; elsewhere one blank does. So markup can be
    written on lines that people can read, and no blank more is drawn or sent. The text in `pre` stays as it is.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source with each continued line as one."""
        lines, verbatim = "", False
        for part in _PRE.split(source):
            verbatim = part == "<pre" or (verbatim and part != "</pre>")
            lines += part if verbatim else _CONTINUED.sub(" ", _AT_MARKUP.sub("", part))
        return lines


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[ContinuedLines],
    )
    environment.filters.update(_filters())
    environment.tests["spam_text"] = spam_anchor
    environment.globals.update(
        asset=asset,
        disable_after=DISABLE_AFTER,
        words=labels,
        verdicts=VERDICTS,
        tone=tone,
        due=due,
        dropping=dropping,
        snippet=snippet,
        row_strip=row_strip,
        suggested=suggested,
        suggestions=SUGGESTIONS,
        sorted_by=sorted_by,
        then_by=then_by,
        life_picture=life_picture,
        mark=mark,
        filter_groups=FILTER_GROUPS,
        every_column=[*COLUMNS.values()],
        filter_options=OPTIONS,
    )
    return environment


def _filters() -> dict[str, Callable[..., object]]:
    return dict(
        when=when,
        iso=iso,
        left=time_left,
        short=short_left,
        in_zone=in_zone,
        number=number,
        in_row=in_row,
        money=money,
        line=one_line,
        name=shown_name,
        marketplace=marketplace,
        say=labels.label,
        pairs=pairs,
        nothing=dict.fromkeys,
        chips=chips_of,
        widened=widened,
        web=web,
        elsewhere=elsewhere,
        path_of=path_of,
        seen_years=seen_years,
        utc_offset=utc_offset,
        evidence=evidence,
        coded=coded,
        lines=lines,
        day=day,
        span=span,
        clock=clock,
        long_day=long_day,
        became=outcome_words,
        dated=dated,
        bdi=isolated,
        isolating=isolating,
        highlighted=highlighted,
        language=language_name,
        grades=grades,
        how_to_buy=how_to_buy,
        ending=ending,
        signed=signed,
    )


@lru_cache(maxsize=5000)
def mark(name: str, *values: Hashable) -> Markup:
    """The drawing of a macro of marks.html for these values, which are the same in many rows: drawn once."""
    drawn: Markup = getattr(_environment().get_template("marks.html").module, name)(*values)
    return drawn


@lru_cache(maxsize=10_000)
def life_picture(life: str, year: int) -> Markup:
    """The strip of a packed life in a row, drawn once: it changes with the year only."""
    strip = row_strip(unpacked(life), datetime(year, 1, 1, tzinfo=UTC))
    drawn: Markup = _environment().get_template("marks.html").module.row_life(strip)  # type: ignore[attr-defined]  # a macro
    return drawn


def markdown(text: str) -> Markup:
    """Markdown as HTML. HTML inside it is shown as text."""
    # escaped by the renderer
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))


def fragment(template: str, values: Mapping[str, object]) -> Markup:
    """A part of a page that is the same for everybody, as HTML to put into it."""
    return Markup(_environment().get_template(template).render(**values))  # escaped by the template


def render(settings: Settings, template: str, values: Mapping[str, object]) -> str:
    """A page as HTML."""
    return _environment().get_template(template).render(site=settings, **values)
