"""`afterdrop follow`: follow the names of a file, or every domain that the pages of a site link to."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

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
_BETWEEN: Final = re.compile(r"[\s,;\"]+")
_PAGES: Final = (".html", ".htm", ".xhtml")


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
            help="Follow every domain that this HTML file, or the HTML files of this folder, link to."
        ),
    ] = None,
    rejected: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_UNLISTED,
            help="Follow so many names that scans rejected last, to see what becomes of them.",
        ),
    ] = 0,
    site: Annotated[
        str, typer.Option(help="With --links-of: the site's own domain, which is left out.")
    ] = "",
    account: Annotated[
        str,
        typer.Option(help="The account that follows; by default the only account, or the only operator's."),
    ] = "",
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out what is no domain name.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the names, and follow none.")] = False,
) -> None:
    """Follow many names, on the lists or not: all of them, or none where they are more than the plan allows.

    Their registries are asked, and the account is told when one is renewed, is about to drop or is free.
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

    names, wrong, whole = dict[str, None](), list[str](), _text(file)
    # One more than may be followed together, so that a longer table is refused and not cut.
    cells, headed = cells_of_names(whole, MOST_UNLISTED + 1)
    for number, text in cells if headed else _pieces(whole):
        try:
            names[domain_of_url(text, zones)] = None
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


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What is meant as names, each with the number of its line."""
    for number, line in enumerate(text.splitlines(), 1):
        # In an address, `#` follows a character of it.
        written = re.split(r"(?:^|\s)#", line, maxsplit=1)[0]
        for piece in filter(None, _BETWEEN.split(written)):
            yield number, piece


def _linked(path: Path, site: str, zones: tuple[str, ...]) -> list[str]:
    """The domains that the page, or the pages of the folder, link to, by name."""
    from afterdrop.review.page.charset import decode
    from afterdrop.review.page.links import linked_domains

    own = {domain_of_url(site, zones)} if site else set()
    names, pages = set[str](), 0
    for page in _pages(path):
        try:
            with page.open("rb") as opened:
                raw = opened.read(MOST_PAGE_BYTES + 1)
        except OSError as error:
            raise AfterdropError(str(page), f"cannot be read ({error})") from None
        if len(raw) > MOST_PAGE_BYTES:
            console.note(f"left out, larger than {MOST_PAGE_BYTES // 1024 // 1024} MiB: {page}")
            continue
        names |= linked_domains(decode(raw).text, zones)
        pages += 1
    console.note(f"{len(names - own):,} domains linked from {pages:,} pages")
    return sorted(names - own)


def _pages(path: Path) -> list[Path]:
    """The file itself, or the HTML files of the folder and its folders, by path."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise AfterdropError(
            str(path), "is neither a file nor a folder; fetch a site first, as `wget --mirror URL` does"
        )
    return sorted(page for page in path.rglob("*") if page.suffix.lower() in _PAGES and page.is_file())


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
