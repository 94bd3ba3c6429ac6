"""The tree of errors: every error carries its subject, a stable code and, for the API, a status."""

from __future__ import annotations

from collections.abc import Sequence


class AfterdropError(Exception):
    """A failure that somebody can act on: `subject` names what failed, the message says why.

    `code` is one of the interface's eleven codes where the error can reach an API caller,
    `status` its HTTP status.
    """

    code = "server_error"
    status = 500

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(f"{subject}: {message}" if subject else message)
        self.subject = subject
        self.message = message


class NotReady(AfterdropError):
    """The answer is being made ready: it is worth another try after `retry_seconds`."""

    status = 503

    def __init__(self, subject: str, message: str, retry_seconds: int) -> None:
        super().__init__(subject, message)
        self.retry_seconds = retry_seconds


class SettingsError(AfterdropError):
    """A setting or TOML file is wrong: subject is `file: key`, message what was expected. Stops the start."""


class SettingsFaults(SettingsError):
    """Everything that is wrong with the settings: pairs of where it is and what was expected, at least one."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        super().__init__(*faults[0])
        self.faults = tuple(faults)


class BadName(AfterdropError):
    """The text cannot be a public registrable domain; `reason` is a short word for counters."""

    code = "validation_failed"
    status = 422

    def __init__(self, name: str, reason: str, message: str) -> None:
        super().__init__(name[:80], message)
        self.reason = reason


class FeedError(AfterdropError):
    """A feed as a whole cannot be read (unreachable, truncated, wrong container, bomb).

    Its text often quotes the file, so unprintable characters become question marks.
    """

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(_printable(subject), _printable(message))


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


class DatabaseUnusable(AfterdropError):
    """The database does not answer, refuses the connection, is not a database or one that cannot hold our text."""


class UpstreamError(AfterdropError):
    """Somebody else's server did not give a usable answer.

    `kind` is one of: timeout, connect (no connection was made), refused_address (or no usable one), redirect, status,
    too_large, truncated (it broke off after the question was sent), bad_content, rate_limited, paused (the host failed
    before and is left alone: nothing was sent). `http_status` is set for status and rate_limited; `retry_after` seconds
    or None.
    """

    def __init__(
        self,
        subject: str,
        kind: str,
        message: str,
        *,
        http_status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(subject, message)
        self.kind = kind
        self.http_status = http_status
        self.retry_after = retry_after

    @property
    def unreached(self) -> bool:
        """Whether the host could not be asked, so that what was to be asked has no part in the failure."""
        return self.kind in ("connect", "paused", "rate_limited")

    @property
    def ambiguous(self) -> bool:
        """Whether the host may be in trouble, or only this question too much for it."""
        return self.kind in ("timeout", "truncated") or (self.http_status or 0) >= 500
