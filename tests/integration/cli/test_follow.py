"""`afterdrop follow`: names of a file, and every domain that the pages of a site link to."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner, Result

from afterdrop.cli import follow as command
from afterdrop.cli.commands import app
from afterdrop.core import clock
from afterdrop.core.settings import Settings
from afterdrop.db.engine import Database
from afterdrop.db.tables.feeds import candidates
from afterdrop.db.tables.watching import watches
from tests.support import TEST_SECRET
from tests.support.world import World

PAGE = """<meta charset=utf-8><a href="https://www.Partner.com/x#y">a</a> <a href="/about">b</a>
<a href="//other.org">c</a>
<a href="https://shop.mine.com">d</a> <a href="mailto:a@b.com">e</a> <a href="http://127.0.0.1/">f</a>
<a href="http://bücher.de">g</a> <a href="http://printer.local">h</a> <map><area href="HTTP://map.net"></map>
<a href="https://web.archive.org/web/2015/http://archived.com/a">i</a> <!-- <a href="http://comment.com">j</a> -->"""


@pytest.fixture
def world(database: Database, settings: Settings) -> World:
    """The deployment that the command finds, now."""
    made = World(database, settings)
    made.now = clock.now()
    return made


async def run(world: World, *words: str, text: str | None = None) -> Result:
    given = {
        "AFTERDROP_DATABASE_URL": world.settings.database_url,
        "AFTERDROP_DATA_DIR": str(world.settings.data_dir),
        "AFTERDROP_SECRET_KEYS": TEST_SECRET,
    }
    return await asyncio.to_thread(lambda: CliRunner(env=given).invoke(app, ["follow", *words], input=text))


async def followed(world: World) -> set[str]:
    async with world.database.read() as conn:
        return set(await conn.scalars(sa.select(watches.c.domain)))


def written(folder: Path, text: str) -> str:
    file = folder / "names.txt"
    file.write_text(text, encoding="utf-8")
    return str(file)


async def test_the_names_of_a_file_are_followed_once(world: World, tmp_path: Path) -> None:
    await world.account(email="one@example.org")
    file = written(tmp_path, "# mine\nmine.com, other.se # two\n\nhttps://www.MINE.com/#top\n")
    shown = await run(world, file, "--dry-run")
    assert (shown.exit_code, shown.stdout, await followed(world)) == (0, "mine.com\nother.se\n", set())
    done = await run(world, file)
    assert "2 names: 2 followed now, 0 already. one@example.org follows 2." in done.stdout
    done = await run(world, "-", "--account", "one@example.org", text="mine.com\nthird.net\n")
    assert "2 names: 1 followed now, 1 already. one@example.org follows 3." in done.stdout
    assert await followed(world) == {"mine.com", "other.se", "third.net"}


@pytest.mark.parametrize(
    "text",
    [
        '\ufeffdomain,tld,score,title\r\nmine.com,com,70,"A club, a choir"\r\n\r\nother.se,se,,\r\n',
        "Price;Domain\n12;mine.com\n;https://www.other.se/\n",
        '"mine.com"\r\n"other.se"\r\n',
        '"mine.com","$1,200"\r\n"OTHER.SE:8080","$120"\r\n',
        "mine.com,https://dropcatch.com/domain/mine.com\nother.se,https://dropcatch.com/domain/other.se\n",
        "url,domain\nhttps://dropcatch.com/domain/mine.com,mine.com\nhttps://other.se/,other.se\n",
    ],
)
async def test_a_table_of_names_is_followed(world: World, tmp_path: Path, text: str) -> None:
    """As the site's lists are saved, and as spreadsheets save names."""
    await world.account(email="one@example.org")
    done = await run(world, written(tmp_path, text))
    assert done.exit_code == 0, done.stderr
    assert await followed(world) == {"mine.com", "other.se"}


async def test_a_bad_cell_of_a_table_is_told_with_its_line(world: World, tmp_path: Path) -> None:
    await world.account(email="one@example.org")
    done = await run(world, written(tmp_path, "domain,score\n\nmine.com,1\nno name,2\n"))
    assert done.exit_code != 0 and "line 4: no name: " in done.stderr
    assert await followed(world) == set()


@pytest.mark.parametrize(
    "address",
    [
        "https://dropcatch.com/domain/x.com",
        "https://sedo.com/search/details/?domain=x.com&partner=1",
        "sedo.com/search/?u=http%3A%2F%2Fx.com%2F",
        "https://web.archive.org/web/2015/http://x.com/",
    ],
)
async def test_the_host_of_a_listing_is_no_name(world: World, tmp_path: Path, address: str) -> None:
    await world.account(email="one@example.org")
    told = await run(
        world, written(tmp_path, f"url\nhttps://mine.com/mine.com/index.html\n{address}\n"), "--skip-bad"
    )
    assert "line 3" in told.stderr and "names x.com" in told.stderr
    assert await followed(world) == {"mine.com"}


async def test_bad_names_are_told_with_their_lines(world: World, tmp_path: Path) -> None:
    await world.account(email="one@example.org")
    file = written(tmp_path, "a.com\nlocalhost\nb.com,co.uk\n")
    refused = await run(world, file)
    assert refused.exit_code != 0
    assert "line 2: localhost" in refused.stderr and "line 3: co.uk" in refused.stderr
    assert await followed(world) == set()
    done = await run(world, file, "--skip-bad")
    assert (done.exit_code, await followed(world)) == (0, {"a.com", "b.com"})


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("names.txt", "--links-of", "page.html"),
        ("missing.txt",),
        ("--links-of", "https://mine.com/"),
        ("large.txt",),
        ("binary.txt",),
        ("empty.txt",),
        ("two.txt",),
    ],
)
async def test_what_cannot_be_followed(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    await world.account(email="one@example.org")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "MOST_BYTES", 100)
    monkeypatch.setattr(command, "MOST_UNLISTED", 1)
    for name, content in (
        ("names.txt", b"a.com"),
        ("large.txt", b"a.com\n" * 50),
        ("binary.txt", b"\xff\xfe\x00"),
        ("empty.txt", b"# nothing\n"),
        ("two.txt", b"a.com b.com"),
    ):
        (tmp_path / name).write_bytes(content)
    refused = await run(world, *words)
    assert refused.exit_code != 0 and await followed(world) == set()


async def test_more_than_the_plan_allows_is_refused_as_a_whole(world: World, tmp_path: Path) -> None:
    await world.account(pro=False)
    refused = await run(world, written(tmp_path, "a.com b.com c.com d.com"))
    assert refused.exit_code != 0 and await followed(world) == set()


async def test_every_domain_that_a_site_links_to(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.account(email="one@example.org")
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "sub" / "old.HTM").write_text('<a href="http://second.net/">x</a>', encoding="utf-8")
    (tmp_path / "notes.txt").write_text('<a href="http://text.net/">x</a>', encoding="utf-8")
    (tmp_path / "sub" / "large.html").write_text(
        '<a href="http://large.net/">' + "x" * 2000, encoding="utf-8"
    )
    monkeypatch.setattr(command, "MOST_PAGE_BYTES", 2000)
    linked = ["archived.com", "map.net", "other.org", "partner.com", "second.net", "xn--bcher-kva.de"]
    shown = await run(world, "--links-of", str(tmp_path), "--site", "www.mine.com", "--dry-run")
    assert shown.stdout.split() == linked
    assert "left out" in shown.stderr and "6 domains linked from 2 pages" in shown.stderr
    done = await run(world, "--links-of", str(tmp_path / "index.html"))
    assert "6 names: 6 followed now" in done.stdout
    assert await followed(world) == {*linked, "mine.com"} - {"second.net"}


async def test_a_mirror_is_read_whatever_its_files_are_called(world: World, tmp_path: Path) -> None:
    pages = {
        "about": "<!doctype html><html>",
        "links.php?page=2": "\r\n\r\n <HTML lang=en>",
        "index.html@page=3": "<!-- saved - from --><!-- a mirror -->\n<html>",
        "Main_Page": '\ufeff<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-">',
        "plain.html": "Welcome to us.",
        "wide": "<html>",
    }
    others = {
        "site.css": "/* <html> */",
        "site.js": "var a = '<html>';",
        "feed": '<?xml version="1.0"?><rss>',
        "picture.svg": "<svg>",
        "logo.png": "\x89PNG\r\n",
        "robots.txt": "User-agent: *\n",
        "heads": "<headline>",
    }
    for number, (name, begin) in enumerate((pages | others).items()):
        text = f'{begin} <a href="http://n{number}.com/">x</a>'
        (tmp_path / name).write_bytes(text.encode("utf-16" if name == "wide" else "utf-8"))
    shown = await run(world, "--links-of", str(tmp_path), "--dry-run")
    assert shown.stdout.split() == [f"n{number}.com" for number in range(len(pages))]
    assert "6 domains linked from 6 pages" in shown.stderr and "7 files left out" in shown.stderr


async def test_names_that_were_rejected_last_are_followed(world: World) -> None:
    await world.account(email="one@example.org")
    async with world.database.write() as conn:
        for number, outcome in enumerate(["rejected", "published", "rejected", "rejected"]):
            at = world.now + timedelta(minutes=number)
            row = {"domain": f"n{number}.com", "outcome": outcome, "settled_at": at, "first_seen_at": at}
            await conn.execute(sa.insert(candidates).values(**row, state="settled", attempts=0))
    told = await run(world, "--rejected", "2")
    assert told.exit_code == 0, told.output
    assert await followed(world) == {"n2.com", "n3.com"}
    assert (await run(world, "--rejected", "2", "names.txt")).exit_code == 1
