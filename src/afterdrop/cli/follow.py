"""`afterdrop follow`: follow the names of a file, or every domain that the pages of a site link to."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import unquote

import typer

from afterdrop.cli import console
from afterdrop.cli.bootstrap import load_settings, open_existing
from afterdrop.core import clock
from afterdrop.core.domain_names import domain_of_url
from afterdrop.core.errors import AfterdropError, BadName
from afterdrop.core.plan_limits import MOST_UNLISTED

if TYPE_CHECKING:
    from afterdrop.core.settings import Settings

MOST_BYTES: Final = 32 * 1024 * 1024
MOST_PAGE_BYTES: Final = 8 * 1024 * 1024
_TOLD: Final = 20
_PAGES: Final = (".html", ".htm", ".xhtml")
# So much of a file is looked at to see whether it is a page.
_HEAD_BYTES: Final = 4096
_PAGE: Final = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|\xff\xfe|\xfe\xff|<\?xml[^>]*+>|<!--(?:[^-]|-(?!->))*+-->)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta)[\s>]",
    re.IGNORECASE,
)
# A part of an address that is a name itself: those of listings have the name that is sold.
_NAME: Final = re.compile(r"(?:[a-z0-9-]++\.)++[a-z0-9-]++", re.IGNORECASE)


def follow(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file with up to 100,000 names, one per line or separated by commas, or a table with a column "
            "`domain`; what follows # is a comment. - for standard input.",
            allow_dash=True,
        ),
    ] = None,
    *,
    links_of: Annotated[
        Path | None,
        typer.Option(
            help="Follow every domain that this HTML file, or the HTML files of this folder, link to; "
            "their names do not matter."
        ),
    ] = None,
    rejected: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_UNLISTED,
            help="Follow the N most recently rejected names.",
        ),
    ] = 0,
    site: Annotated[
        str, typer.Option(help="With --links-of: the site's own domain, which is left out.")
    ] = "",
    account: Annotated[
        str,
        typer.Option(help="The account that follows; by default the only account, or the only operator's."),
    ] = "",
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out words that are no domain names.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the names, and follow none.")] = False,
) -> None:
    """Follow many names, on the lists or not: all of them, or none where they are more than the plan allows.

    Their registries are queried. The account is notified when a name is renewed, about to drop or free.
    """
    settings = load_settings()
    if (file is not None) + (links_of is not None) + (rejected > 0) != 1:
        raise AfterdropError("follow", "takes a file of names, or --links-of PAGE-OR-FOLDER, or --rejected N")
    zones = settings.scan.sale_zones
    if file is not None:
        names = _names(file, zones, skip_bad=skip_bad)
    elif links_of is not None:
        names = _linked(links_of, site, zones)
    else:
        names = asyncio.run(_rejected(settings, rejected))
    source = str(file or links_of or "the list of rejected names")
    if not 1 <= len(names) <= MOST_UNLISTED:
        raise AfterdropError(
            source, f"has {len(names):,} domain names; 1 to {MOST_UNLISTED:,} are followed together"
        )
    if dry_run:
        for name in names:
            console.line(name)
        return
    asyncio.run(_follow(settings, names, account))


def _names(file: Path, zones: tuple[str, ...], *, skip_bad: bool) -> list[str]:
    """The distinct domains of the file. Raises AfterdropError that names the lines that are wrong."""
    from afterdrop.web.actions.checks import cells_of_names

    names, wrong = dict[str, None](), list[str]()
    # One more than may be followed together, so that a longer file is refused and not cut.
    for number, text in cells_of_names(_text(file), MOST_UNLISTED + 1):
        try:
            # The domain that a text names. Raises BadName, also for an address at which another name is
            # listed.
            domain = domain_of_url(text, zones)
            _, *parts = re.split(r"[/?&=#]+", unquote(text.partition("://")[2] or text))
            for listed in filter(_NAME.fullmatch, parts):
                if (named := _domain(listed, zones)) and named != domain:
                    raise BadName(
                        text, "listing", f"is an address at {domain} that names {named}: write the name alone"
                    )
            names[domain] = None
        except BadName as error:
            wrong.append(f"line {number}: {text[:80]}: {error.message}")
    for fault in wrong[:_TOLD]:
        console.note(fault)
    if wrong and not skip_bad:
        raise AfterdropError(
            str(file), f"has {len(wrong):,} bad names, so none was followed; --skip-bad leaves them out"
        )
    if wrong:
        console.note(f"{len(wrong):,} bad names left out")
    return list(names)


def _domain(text: str, zones: tuple[str, ...]) -> str | None:
    with suppress(BadName):
        return domain_of_url(text, zones)
    return None


def _text(file: Path) -> str:
    try:
        if str(file) == "-":
            raw = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with file.open("rb") as opened:
                raw = opened.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise AfterdropError(str(file), f"is larger than {MOST_BYTES // 1024 // 1024} MiB")
        return raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise AfterdropError(str(file), f"cannot be read as text ({error})") from None


def _linked(path: Path, site: str, zones: tuple[str, ...]) -> list[str]:
    """The domains that the page, or the pages of the folder, link to, by name."""
    from afterdrop.review.page.charset import decode
    from afterdrop.review.page.identity import linked_domains

    own = {domain_of_url(site, zones)} if site else set()
    names, pages, others = set[str](), 0, 0
    for page in _files(path):
        raw = _page(page, asked=page == path)
        if raw is None:
            others += 1
            continue
        if len(raw) > MOST_PAGE_BYTES:
            console.note(f"left out, larger than {MOST_PAGE_BYTES // 1024 // 1024} MiB: {page}")
            continue
        names |= linked_domains(decode(raw).text, zones)
        pages += 1
    console.note(f"{len(names - own):,} domains linked from {pages:,} pages")
    if others:
        console.note(f"{others:,} files left out, which do not begin like HTML")
    return sorted(names - own)


def _page(file: Path, *, asked: bool) -> bytes | None:
    """The content of a file that was named, or whose name or beginning is a page's; else None."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD_BYTES)
            if asked or file.suffix.lower() in _PAGES or _PAGE.match(head.replace(b"\0", b"")):
                return head + opened.read(max(0, MOST_PAGE_BYTES + 1 - len(head)))
    except OSError as error:
        raise AfterdropError(str(file), f"cannot be read ({error})") from None
    return None


def _files(path: Path) -> list[Path]:
    """The file itself, or those of the folder and its folders, by path."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise AfterdropError(
            str(path), "is neither a file nor a folder; fetch a site first, as `wget --mirror URL` does"
        )
    return sorted(file for file in path.rglob("*") if file.is_file())


async def _rejected(settings: Settings, most: int) -> list[str]:
    """The names that scans rejected last."""
    from afterdrop.catalogue.rejections import rejected_last

    async with open_existing(settings) as database, database.read() as conn:
        return await rejected_last(conn, most)


async def _follow(settings: Settings, names: Sequence[str], email: str) -> None:
    from afterdrop.accounts.members import acting_account
    from afterdrop.watching.watchlist import count_watches, follow_names, names_to_follow

    async with open_existing(settings) as database:
        now = clock.now()
        async with database.read() as conn:
            member = await acting_account(conn, email)
            wanted = await names_to_follow(conn, member.viewer(now), names, now)
        if wanted.locked:
            shown = ", ".join(wanted.locked[:5])
            raise AfterdropError(
                member.email, f"has no Pro plan, of which these are part: {shown}; none was followed"
            )
        plan = settings.plan(member.plan(now))
        async with database.write() as conn:
            new = await follow_names(conn, member.viewer(now), wanted, plan, now)
            total = await count_watches(conn, member.id)
    console.line(
        f"{len(names):,} names: {new:,} followed now, {len(names) - new:,} already. {member.email} follows {total:,}."
    )
