"""Groups of settings: their base, logs and upkeep, the site, where people are sent to buy. Pure."""

from __future__ import annotations

import re
from datetime import time
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from afterdrop.core.web_addresses import WebLink

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]
TOKEN_LENGTH: Final = 32


def _long_token(value: str) -> str:
    if value and (len(value) < TOKEN_LENGTH or not value.isascii() or " " in value):
        raise ValueError(
            f"must have at least {TOKEN_LENGTH} characters of ASCII without a space; `openssl rand -hex 32` makes one"
        )
    return value


# A secret that opens something of the operator's; empty: closed.
Token = Annotated[str, AfterValidator(_long_token)]


def _time_of_day(value: object) -> time:
    told = f"{value:%H:%M}" if isinstance(value, time) else str(value).strip()
    if not (found := _TIME_OF_DAY.fullmatch(told)):
        raise ValueError('must be an hour from 0 to 23, or a time such as "15:30"')
    return time(int(found[1]), int(found[2] or 0))


_TIME_OF_DAY: Final = re.compile(r"([01]?[0-9]|2[0-3])(?::([0-5][0-9]))?")
# A time of the day in UTC: an hour (3), or an hour with minutes ("15:30").
TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]


class Section(BaseModel):
    """A group of settings: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Log(Section):
    """The log of `serve` and `worker`, on standard error. Other commands log warnings and errors only."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"
    access: bool = False


def _listening_address(value: str) -> str:
    host, colon, port = value.rpartition(":")
    if value and not (host and colon and port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError("must be host:port, such as 127.0.0.1:9464")
    return value


class Metrics(Section):
    """The readers of `/metrics`: those who have the token, or reach the separate address."""

    token: Token = ""
    listen: Annotated[str, AfterValidator(_listening_address)] = ""


def _web_address(value: str) -> str:
    if value and not value.startswith(("https://", "http://")):
        raise ValueError("must be an address that starts with https://")
    return value


class Operator(Section):
    """Where the operator is told of trouble, and from when on a full disk and an old backup are trouble."""

    mail: Annotated[str, Field(pattern=r"^([^@\s,]+@[^@\s,]+)?$")] = ""
    webhook: Annotated[str, AfterValidator(_web_address)] = ""
    heartbeat: Annotated[str, AfterValidator(_web_address)] = ""
    disk_free_share: Share = 0.1
    backup_days: Annotated[float, Field(ge=0)] = 7


class Backup(Section):
    """The daily backup: into which folder it goes (none: no backup is made), and how many files are kept."""

    dir: Path | None = None
    keep: Annotated[int, Field(ge=1)] = 7


class Retention(Section):
    """How many days mails, and the archive's index of unpublished names, are kept; `worker/pruning.py` has the rest."""

    index_days: Annotated[int, Field(ge=1)] = 180
    mails_days: Annotated[int, Field(ge=1)] = 14


Line = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]


class Site(Section):
    """Pages and forms a minute for one signed-in browser, and what the start page offers to strangers.

    `visitor_checks` is how many names strangers may check in a day, all together (0: none). `terms` and `privacy` are
    files of the operator's, in Markdown. `notice` stands on every page. `share_links` is what a share link shows to
    whoever opens it.
    `rejected_names` tells whoever may see reports what was rejected, and why.
    """

    pages_per_minute: Count = 240
    forms_per_minute: Count = 60
    share_links: Literal["names", "reports"] = "names"
    show_rejections: bool = False
    rejected_names: bool = True
    objections: Line = ""
    pro_price: Line = ""
    notice: Line = ""
    visitor_checks: Count = 0
    terms: Path | None = None
    privacy: Path | None = None


Extension = Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*$")]
Host = Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")]
# One or more `name=value`, as they stand in an address.
AffiliateParameter = Annotated[
    str, Field(pattern=r"^[\w.~%-]+=[\w.~%-]+(&[\w.~%-]+=[\w.~%-]+)*$", max_length=200)
]


class Catcher(Section):
    """A service that takes backorders for names of some extensions. `{domain}` in `url` stands for the name."""

    name: Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=100)]
    url: WebLink
    extensions: Annotated[tuple[Extension, ...], Field(min_length=1)]


class Purchase(Section):
    """Catchers of names about to drop, and affiliate parameters by host."""

    catchers: tuple[Catcher, ...] = ()
    affiliate: dict[Host, AffiliateParameter] = Field(default_factory=dict)


def _relay(text: str) -> str:
    host, _, port = text.rpartition(":")
    if text and not (host and port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
        raise ValueError("must be HOST:PORT")
    return text


# One address that stands for every host of the internet: the sandbox's.
Relay = Annotated[str, AfterValidator(_relay)]


class Live(Section):
    """Looking at the links to a name as they stand today.

    `pages` are the strongest links of a name that are looked at, `pages_per_day` those of all names together;
    `check_seconds` is how long a check waits for them. From a score of `from_score` on the scan looks at a
    name's links before it lists the name. A look counts for `valid_days`. With `followed` the links of followed
    names are looked at as often. `host_seconds` lie between two requests to one host. With `relay` every host is at
    that address. With `visits` the home pages of followed and once listed names are read when
    these are registered anew, at most `visits_per_day`; with `evidence` those pages are kept for `evidence_days`,
    in at most `evidence_bytes`.
    """

    links: bool = True
    pages: Annotated[int, Field(ge=1, le=100)] = 40
    pages_per_day: Count = 10_000
    check_seconds: Annotated[float, Field(ge=0, le=300)] = 45
    from_score: Annotated[int, Field(ge=0, le=101)] = 75
    valid_days: Annotated[int, Field(ge=1, le=365)] = 30
    followed: bool = True
    host_seconds: Seconds = 5
    visits: bool = False
    visits_per_day: Count = 1_000
    evidence: bool = True
    evidence_days: Annotated[int, Field(ge=1, le=3650)] = 730
    evidence_bytes: Count = 5_000_000_000
    relay: Relay = ""
