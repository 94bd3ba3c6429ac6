"""The WHOIS servers of the registries that have no RDAP in the bootstrap, all at one address (RFC 3912).

.se answers as The Swedish Internet Foundation writes; every other registry refuses to answer, as many do.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta

from afterdrop.sandbox.registry_server import REGISTRARS, may_be_real, nameservers_of
from afterdrop.sandbox.state import SandboxState
from afterdrop.sandbox.story import Phase, Story

# The extensions whose registry answers by WHOIS, with a name that is always registered.
ANSWERED = {"se": "nic.se"}
# The servers that are asked about the extensions of the world without RDAP in the bootstrap.
HOSTS = ("whois.iis.se", "whois.denic.de", "whois.nic.io")
_REFUSED = "Requests of this client are not permitted. Please use the registry's site.\r\n"
_TERMS = "# This registry is invented. Its answers serve tests and demonstrations only.\r\n\r\n"
_STRANGE = f"{_TERMS}It knows invented names only, and cannot say whether this one is registered.\r\n"
# Deactivated names can be had back; in the quarantine of the last seven days nobody can restore them.
_STATES = {"redemption": "deactivated", "pending_restore": "deactivated", "pending_delete": "quarantine"}
_QUARANTINE = timedelta(days=7)
_LONGEST_QUESTION = 300


async def serve(sandbox: SandboxState, host: str, port: int) -> asyncio.Server:
    """Serve WHOIS until the server is closed."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, ValueError, asyncio.IncompleteReadError):
            question = (await reader.readuntil(b"\n")).decode("ascii", "replace").split()
            writer.write(whois_text(sandbox, question[-1] if question else "").encode())
            await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, host, port, limit=_LONGEST_QUESTION)


def whois_text(sandbox: SandboxState, name: str) -> str:
    """The answer about `name` at the sandbox's time."""
    if (canary := ANSWERED.get(name.rpartition(".")[2])) is None:
        return _REFUSED
    story = sandbox.world.by_domain.get(name)
    phase = story.phase(sandbox.clock.now()) if story else None
    if name == canary:
        return f"{_TERMS}state: active\r\ndomain: {name}\r\ncreated: 2001-04-01\r\nregistrar: Harbourlight Domains\r\n"
    if story is None and may_be_real(name):
        return _STRANGE
    if story is None or phase is None or phase.state in ("free", "blocked", "registry_404"):
        return f'{_TERMS}domain "{name}" not found.\r\n'
    return _TERMS + "".join(f"{key}: {value}\r\n" for key, value in _fields(story, phase))


def _fields(story: Story, phase: Phase) -> list[tuple[str, str]]:
    """The lines about a registered name; its holder is invented, and no reader may keep it."""
    fields = [
        ("state", _STATES.get(phase.state, "active")),
        ("domain", story.domain),
        ("holder", "holder9-00001"),
    ]
    for key, moment in (
        ("created", phase.registered_at),
        ("modified", phase.changed_at),
        ("expires", phase.expires_at),
    ):
        if moment is not None:
            fields.append((key, f"{moment:%Y-%m-%d}"))
    if phase.state in _STATES and (end := story.listing.end) is not None:
        fields.append(("date_to_delete", f"{end - _QUARANTINE:%Y-%m-%d}"))
        fields.append(("date_to_release", f"{end:%Y-%m-%d}"))
    fields += [("nserver", server) for server in nameservers_of(story, phase)]
    return [
        *fields,
        ("dnssec", "unsigned delegation"),
        ("registrar", REGISTRARS[phase.registrar % len(REGISTRARS)][0]),
    ]
