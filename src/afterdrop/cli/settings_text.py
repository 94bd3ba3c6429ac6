"""The settings file that `afterdrop init` writes: its answers as commented TOML. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict

from afterdrop.core.audience import Audience


class Answers(BaseModel):
    """The answers to `init` so far; None stands for a question that is still open.

    `feeds` and `providers` are names of presets or files, each with another address after `=` where there is one.
    `keys` are vendors' keys by the name of their variable. `operator` is the e-mail address of the first account,
    empty for none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    audience: Audience | None = None
    contact: str | None = None
    site_url: str | None = None
    feeds: tuple[str, ...] | None = None
    providers: tuple[str, ...] | None = None
    keys: Mapping[str, str] | None = None
    whois: bool | None = None
    operator: str | None = None
    ranks: bool | None = None


_HEAD: Final = """\
# The settings of this Afterdrop, written by `afterdrop init`. docs/operate/settings.md describes every one.
# `afterdrop doctor` checks them. Restart the service after a change.

# The audience: "team" (people you invite) or "public", where own_use feeds and providers are refused.
audience = {audience}
# Goes into the User-Agent of every request, so that the hosts we ask can reach you.
contact = {contact}
# Where people reach the site and the API: https:// on a public address.
site_url = {site_url}
"""
_PROXY: Final = """\
# The proxy that terminates TLS in front of the service. Its X-Forwarded-* headers are trusted.
trusted_proxies = ["127.0.0.1", "::1"]
"""
_KEYS: Final = """
# Vendors' keys, by the names that feeds and providers call them. A variable of the same name wins.
[keys]
"""
_WHOIS: Final = """
# Registries without RDAP are asked over WHOIS.
[registry]
whois = true
"""


def settings_text(answers: Answers, remarks: Mapping[str, str]) -> str:
    """The file's content. `remarks` by feed and provider become the comments above them."""
    return "".join(_parts(answers, remarks))


def _parts(answers: Answers, remarks: Mapping[str, str]) -> Iterator[str]:
    site_url = answers.site_url or ""
    yield _HEAD.format(
        audience=_quoted(answers.audience or "public"),
        contact=_quoted(answers.contact or ""),
        site_url=_quoted(site_url),
    )
    if site_url.startswith("https://"):
        yield _PROXY
    if answers.keys:
        yield _KEYS
        yield from (f"{name} = {_quoted(key)}\n" for name, key in answers.keys.items())
    if answers.whois:
        yield _WHOIS
    for table, chosen in (("feeds", answers.feeds), ("providers", answers.providers)):
        for each in chosen or ():
            preset, address = split_choice(each)
            yield "\n"
            yield from (f"# {line}\n" for line in remarks.get(each, "").splitlines() if line)
            yield f"[[{table}]]\npreset = {_quoted(preset)}\n"
            if address:
                yield f"url = {_quoted(address)}\n"


def split_choice(choice: str) -> tuple[str, str | None]:
    """A chosen feed or provider as its preset and its own address, if it has one.

    >>> split_choice("dns_pl=https://mirror.example/list.txt")
    ('dns_pl', 'https://mirror.example/list.txt')
    """
    preset, _, address = choice.partition("=")
    return preset, address or None


def _quoted(text: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's too, and DEL needs one besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
