"""The texts of mails: subject, text and HTML from plain values. Pure; the templates are read once.

Whatever comes from outside (names, titles, rule names, addresses) is shown on one line without control characters,
and escaped in the HTML.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Final, Literal

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from afterdrop.core.domain_names import unicode_name
from afterdrop.core.safe_text import isolated, isolating, one_line
from afterdrop.core.time_zones import time_zone, zone_place

# What a reader can unsubscribe from: mails about matches of rules, about followed domains, about finished checks,
# and the free plan's weekly one.
Topic = Literal["alerts", "watches", "checks", "weekly"]
MOST_LISTED: Final = 50
# A mail of more domains than this draws no lives: Gmail cuts a mail off at 102 kB.
MOST_DRAWN: Final = 20
# Of more matches than these only the names are told.
_FEW: Final = 10
# The name under which a mail refers to the picture that `smtp.compose` attaches.
MARK: Final = "mark@afterdrop"

_BLANK_LINES: Final = re.compile(r"\n\s*\n")
# A subject names so many rules, or one less and how many more there are.
_RULES_NAMED: Final = 3
_HOURS_IN_WORDS: Final = {1: "an hour"}


@dataclass(frozen=True, slots=True)
class MailFrame:
    """The frame of a mail's text: the site, the reader's time zone, and the unsubscribe link, if any."""

    site_name: str
    site_url: str
    zone: str = "UTC"
    unsubscribe_url: str | None = None


@dataclass(frozen=True, slots=True)
class MailMessage:
    """A finished mail without its envelope. `topic` is set for notifications, which have an unsubscribe link."""

    kind: str
    subject: str
    text: str
    html: str
    topic: Topic | None = None
    unsubscribe_url: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers of one-click unsubscription (RFC 8058), for notifications."""
        if self.unsubscribe_url is None:
            return {}
        return {
            "List-Unsubscribe": f"<{self.unsubscribe_url}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }


@dataclass(frozen=True, slots=True)
class MailButton:
    """An action on a domain for the reader, and its address. `affiliate` is said beside it."""

    label: str
    url: str
    affiliate: bool = False


@dataclass(frozen=True, slots=True)
class MailLife:
    """A domain's life: cells of a strip, each with what stood there and its width, and the same in `words`."""

    cells: Sequence[tuple[str, int]]
    words: str


@dataclass(frozen=True, slots=True)
class MailDomain:
    """A domain as mails show it, in values that come from outside; the templates bound and escape them.

    `verdict` is what was concluded besides the score, empty where nothing speaks against it; `severity` is how grave
    that and the flags are, which is its colour. `rejected` is the reason why it was rejected; then it has no score.
    `figures` are pairs of name and value, `flags` the risks found in words, `offer` price and bids, `deadline` what
    happens at `due_at` ("Ends"), and `does` the same as a verb. `day` is the registry's day, in words, of a drop whose
    hour is not known: it is written instead of the time.
    """

    name: str
    report_url: str
    title: str | None
    score: int | None
    verdict: str
    severity: Literal["serious", "caution", "minor"]
    rejected: str | None
    figures: Sequence[tuple[str, str]]
    flags: Sequence[str]
    offer: str
    place: str
    deadline: str
    due_at: str | None
    button: MailButton | None
    does: str = "ends"
    life: MailLife | None = None
    day: str = ""

    @property
    def warning(self) -> str:
        """The verdict and the flags found, in a line; empty where there is nothing to be told beside the score."""
        if self.score is None or not (self.verdict or self.flags):
            return ""
        return f"{self.verdict or 'Flags'}: {', '.join(self.flags) or 'see the report'}"

    def listed(self, when: Callable[[str], str]) -> list[str]:
        """How and until when it is offered, a line each. `when` writes a time in the reader's zone."""
        offer = " · ".join(filter(None, (self.offer, self.place)))
        end = f"{self.deadline} {self.day or when(self.due_at)}" if self.due_at else "No fixed end"
        return [line for line in (offer, end if self.deadline else "") if line]


@dataclass(frozen=True, slots=True)
class MatchedDomain:
    """A domain that matched, and the names of the rules it matched."""

    domain: MailDomain
    rules: Sequence[str]


_YEARS: Final = "years archived"
_FIGURES: Final = {
    "TF": "trust_flow",
    "DR": "domain_rating",
    "referring domains": "referring_domains",
    "links still there": "live_links",
    _YEARS: "archive_years",
}


def mail_figures(metrics: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The figures that decide, each before what it counts; those that are not known are left out."""
    known = ((name, metrics.get(key)) for name, key in _FIGURES.items())
    # No year with a capture is no figure that decides: what is not known of the past is said elsewhere.
    return tuple(
        (name, f"{value:,}") for name, value in known if value is not None and (value or name != _YEARS)
    )


def moment(text: str, zone: str) -> str:
    """A time of the API (2026-11-20T18:00:00Z) as people read it in their zone."""
    local = datetime.fromisoformat(text).astimezone(time_zone(zone))
    return f"{local:%a} {local.day} {local:%b %Y, %H:%M} ({zone_place(zone)})"


def _day(text: str) -> str:
    """A date of the API (2026-11-20) as people read it."""
    day = date.fromisoformat(text)
    return f"{day.day} {day:%b %Y}"


def shown_name(domain: str) -> str:
    """A domain as people read it: the Unicode form, and the registered spelling where it differs."""
    name = unicode_name(domain)
    return domain if name == domain else f"{one_line(name)} ({domain})"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(line=one_line, name=shown_name, day=_day, bdi=isolated, isolating=isolating)
    made.globals.update(mark=MARK, most_drawn=MOST_DRAWN)
    return made


_templates: Final = _environment()
# Only classes and elements, for readers that drop style sheets; the layout's own sheet holds what a reader may drop:
# dark colours and narrow margins.
_inliner: Final = CSSInliner(
    extra_css=Path(__file__).with_name("mail.css").read_text(encoding="utf-8"),
    keep_at_rules=True,
    load_remote_stylesheets=False,
    minify_css=True,
)


def styled(page: str) -> str:
    """A page with the mails' look in the `style` of its elements, for readers that drop style sheets."""
    return _inliner.inline(page) + "\n"


def _message(
    kind: str, frame: MailFrame, subject: str, topic: Topic | None = None, **values: object
) -> MailMessage:
    frame = frame if topic else replace(frame, unsubscribe_url=None)

    def when(text: str) -> str:
        return moment(text, frame.zone)

    def rendered(suffix: str) -> str:
        template = _templates.get_template(f"{kind}.{suffix}")
        return template.render(frame=frame, subject=subject, when=when, **values).strip() + "\n"

    subject = one_line(subject)
    page = styled(_BLANK_LINES.sub("\n", rendered("html")))
    return MailMessage(kind, subject, rendered("txt"), page, topic, frame.unsubscribe_url)


def instant_matches(frame: MailFrame, matched: Sequence[MatchedDomain]) -> MailMessage:
    """Domains that have matched instant rules, best score first."""
    counts = Counter(rule for match in matched for rule in match.rules)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    return _matches("instant_matches", frame, _new_subject(matched, rules), matched, 0, rules=rules)


def digest(frame: MailFrame, matched: Sequence[MatchedDomain], more: int = 0) -> MailMessage:
    """A day's matches of daily rules, best score first; `more` of them are not listed."""
    return _matches("digest", frame, f"Daily digest: {_matched_subject(matched, more)}", matched, more)


def _matches(
    kind: str, frame: MailFrame, subject: str, matched: Sequence[MatchedDomain], more: int, **values: object
) -> MailMessage:
    """A mail about matches: the best with what is known of them, the others by name, `more` by their number."""
    others = [match.domain.name for match in matched[_FEW:]]
    return _message(
        kind, frame, subject, "alerts", matched=matched[:_FEW], others=others, more=more, **values
    )


def weekly(frame: MailFrame, domains: Sequence[MailDomain], locked: int) -> MailMessage:
    """The domains open to the free plan today; the Pro list has `locked` more."""
    others = len(domains) - 1
    more = f" and {others} more are" if others else " is"
    subject = f"{shown_name(domains[0].name)}{more} open to you today"
    return _message("weekly", frame, subject, "weekly", domains=domains, locked=locked)


def _new_subject(matched: Sequence[MatchedDomain], rules: Sequence[str]) -> str:
    best = matched[0].domain
    if len(matched) == 1:
        return f"{shown_name(best.name)} matches {_named(rules)}"
    score = "" if best.score is None else f", best {best.score}"
    return f"{len(matched):,} new for {_named(rules)}{score}"


def _named(rules: Sequence[str]) -> str:
    """Rules by name, in quotes where several; of many the first two, so that what follows is still seen."""
    if len(rules) == 1:
        return one_line(rules[0], 80)
    named = [f"“{one_line(rule, 40)}”" for rule in rules]
    if len(named) > _RULES_NAMED:
        named[_RULES_NAMED - 1 :] = [f"{len(named) - _RULES_NAMED + 1} more rules"]
    return f"{', '.join(named[:-1])} and {named[-1]}"


def _matched_subject(matched: Sequence[MatchedDomain], more: int = 0) -> str:
    first, others = shown_name(matched[0].domain.name), len(matched) - 1 + more
    if not others:
        return f"{first} matches {one_line(matched[0].rules[0], 80)}"
    return f"{first} and {others:,} more match your rules"


def reminder(
    frame: MailFrame, domain: MailDomain, hours_left: int, reason: Literal["watchlist", "alert"]
) -> MailMessage:
    """A followed or matched domain is about to end."""
    left = _HOURS_IN_WORDS.get(hours_left, f"{hours_left} hours")
    does = f"{domain.does} during {domain.day}, which begins" if domain.day else domain.does
    subject = f"{shown_name(domain.name)} {does} in about {left}"
    return _message("reminder", frame, subject, "watches", domain=domain, left=left, reason=reason)


def drop_notice(
    frame: MailFrame, domain: MailDomain, checked_at: str, reason: Literal["watchlist", "alert"]
) -> MailMessage:
    """A followed or matching domain dropped and is free to register, as the registry said at `checked_at`."""
    subject = f"{shown_name(domain.name)} has dropped and is free to register"
    return _message(
        "drop_notice", frame, subject, "watches", domain=domain, checked_at=checked_at, reason=reason
    )


@dataclass(frozen=True, slots=True)
class RegistryNews:
    """The change of a followed name at its registry. `register_url` is set where it dropped, `registrar` and
    `registered_at` where somebody registered it anew. `how_to_buy` says who can have it first once it is deleted.

    Times are those of the API; `drops` are the first and the last day of the estimated drop, where it has one.
    """

    name: str
    change: Literal["renewed", "redemption", "pending_delete", "dropped", "registered"]
    seen_at: str
    expires_at: str | None
    drops: tuple[str, str] | None
    register_url: str | None
    registrar: str | None = None
    registered_at: str | None = None
    how_to_buy: str | None = None


_REGISTRY_SUBJECTS: Final = {
    "renewed": "was renewed",
    "redemption": "is in redemption",
    "pending_delete": "is pending delete",
    "dropped": "has dropped and is free to register",
    "registered": "was registered anew",
}


def registry_notice(frame: MailFrame, news: RegistryNews) -> MailMessage:
    """The registration of a followed name changed."""
    subject = f"{shown_name(news.name)} {_REGISTRY_SUBJECTS[news.change]}"
    return _message("registry_notice", frame, subject, "watches", news=news)


@dataclass(frozen=True, slots=True)
class TakeoverNews:
    """The page at a followed name that has a new holder: `stands` in a few words, `passed` in a sentence.

    `url` is the page with the evidence. Title and quotes are the page's own words.
    """

    name: str
    stands: str
    passed: str
    title: str | None
    quotes: Sequence[str]
    seen_at: str
    url: str


def takeover_notice(frame: MailFrame, news: TakeoverNews) -> MailMessage:
    """The home page of a followed name that has a new holder was read."""
    subject = f"{shown_name(news.name)}: {one_line(news.stands, 80)}"
    return _message("takeover_notice", frame, subject, "watches", news=news)


def checks(frame: MailFrame, checked: Sequence[MailDomain], url: str) -> MailMessage:
    """Checks that have finished: one, or all of a batch, whose page is at `url`."""
    shown, more = checked[:MOST_LISTED], max(len(checked) - MOST_LISTED, 0)
    subject = f"Your {len(checked):,} checks have finished"
    if len(checked) == 1:
        only = checked[0]
        said = "rejected for spam" if only.rejected else only.verdict.lower()
        score = "" if only.score is None else f"{only.score} of 100"
        subject = f"{shown_name(only.name)}: {', '.join(filter(None, (score, said)))}"
    rejected = sum(1 for each in checked if each.rejected)
    return _message("checks", frame, subject, "checks", checked=shown, more=more, rejected=rejected, url=url)


def endpoint_off(frame: MailFrame, url: str, failures: int, error: str | None) -> MailMessage:
    """A webhook endpoint was switched off."""
    subject = "Your webhook endpoint has been switched off"
    return _message("endpoint_off", frame, subject, url=url, failures=failures, error=error)


def verification(frame: MailFrame, link: str) -> MailMessage:
    """A link that confirms the address of a new account."""
    return _message("verification", frame, f"Confirm your address for {frame.site_name}", link=link)


def password_reset(frame: MailFrame, link: str) -> MailMessage:
    """A link to choose a new password."""
    return _message("password_reset", frame, f"Choose a new password for {frame.site_name}", link=link)


def announcement(frame: MailFrame, subject: str, text: str) -> MailMessage:
    """A text of the operator's to everybody with an API key. Empty lines separate its paragraphs."""
    return _message("announcement", frame, subject, paragraphs=_paragraphs(text))


def operator(frame: MailFrame, subject: str, text: str) -> MailMessage:
    """The service's mail to its operator. Empty lines separate paragraphs."""
    return _message("operator", frame, subject, text=text, paragraphs=_paragraphs(text))


def _paragraphs(text: str) -> list[list[str]]:
    return [part.strip().split("\n") for part in text.split("\n\n") if part.strip()]
