"""The settings of a deployment in the long run: logs, metrics, what its operator is told of, what is kept. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from afterdrop.core.settings_section import Section, Share, Token


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
    """Who may read `/metrics`: whoever has the token, or reaches the separate address."""

    token: Token = ""
    listen: Annotated[str, AfterValidator(_listening_address)] = ""


def _web_address(value: str) -> str:
    if value and not value.startswith(("https://", "http://")):
        raise ValueError("must be an address that starts with https://")
    return value


class Operator(Section):
    """Where the operator is told of trouble, and from when on something is trouble."""

    mail: Annotated[str, Field(pattern=r"^([^@\s,]+@[^@\s,]+)?$")] = ""
    webhook: Annotated[str, AfterValidator(_web_address)] = ""
    remind_hours: Annotated[float, Field(gt=0)] = 24
    scan_late_hours: Annotated[float, Field(gt=0)] = 2
    failed_reviews_share: Share = 0.2
    queue_minutes: Annotated[float, Field(gt=0)] = 60
    disk_free_share: Share = 0.1
    failed_deliveries: Annotated[int, Field(ge=1)] = 10
    budget_shares: tuple[Share, ...] = (0.8, 1.0)


class Retention(Section):
    """How many days rows are kept that nothing needs any longer; `worker/pruning.py` says what is needed."""

    reviews_days: Annotated[int, Field(ge=1)] = 7
    index_days: Annotated[int, Field(ge=1)] = 180
    # A name that dropped drops again after a year and the registry's grace periods at the earliest: its next review
    # then asks for the drop before.
    listings_days: Annotated[int, Field(ge=30)] = 500
    candidates_days: Annotated[int, Field(ge=30)] = 90
    metrics_days: Annotated[int, Field(ge=30)] = 90
    mails_days: Annotated[int, Field(ge=1)] = 14
    scans_days: Annotated[int, Field(ge=30)] = 400
    jobs_days: Annotated[int, Field(ge=1)] = 7
