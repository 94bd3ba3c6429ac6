"""The verification snippets of docs/integrate/webhooks.md, run as a receiver would run them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from afterdrop.core import clock
from afterdrop.core.settings import Webhook
from afterdrop.delivery.events import EVENTS, KEPT, PING
from afterdrop.delivery.webhooks.retry_schedule import JITTER, SLOW_SHARE
from afterdrop.delivery.webhooks.send import open_sender
from afterdrop.delivery.webhooks.signing import TOLERANCE, sign
from afterdrop.delivery.webhooks.store import DISABLE_AFTER, KEPT_PER_ENDPOINT, PER_ENDPOINT
from afterdrop.web.site.templates import snippet as site_snippet
from tests.support.receivers import OK, receiver

PAGE = Path(__file__).resolve().parents[2] / "docs" / "integrate" / "webhooks.md"
SECRET = "whsec_3Zr-kQ9_x'y$z"
BODY = b'{"id":"evt_1","data":{"title":"B\xc3\xbccher \\u2026 100%\\n"}}'


def snippet(language: str) -> str:
    """The page's code in this language."""
    [code] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


def tool(name: str) -> str:
    """A program the snippet needs."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine")
    return found


def python(folder: Path, secret: str, header: str, body: bytes) -> bool:
    names: dict[str, Callable[[str, str, bytes], bool]] = {}
    exec(compile(snippet("python"), "webhooks.md", "exec"), names)
    return names["verified"](secret, header, body)


def node(folder: Path, secret: str, header: str, body: bytes) -> bool:
    (folder / "body").write_bytes(body)
    call = "process.exit(verified(process.argv[2], process.argv[3], require('fs').readFileSync('body')) ? 0 : 1);"
    (folder / "check.js").write_text(snippet("javascript") + call)
    return _exits(folder, [tool("node"), "check.js", secret, header])


def php(folder: Path, secret: str, header: str, body: bytes) -> bool:
    (folder / "body").write_bytes(body)
    call = "exit(verified($argv[1], $argv[2], file_get_contents('body')) ? 0 : 1);"
    (folder / "check.php").write_text(snippet("php") + call)
    return _exits(folder, [tool("php"), "check.php", secret, header])


def shell(folder: Path, secret: str, header: str, body: bytes) -> bool:
    tool("openssl")
    (folder / "body").write_bytes(body)
    (folder / "check.sh").write_text(snippet("sh"))
    return _exits(
        folder, ["/bin/sh", "check.sh"], {"SECRET": secret, "HEADER": header, "PATH": "/usr/bin:/bin"}
    )


def _exits(folder: Path, command: list[str], environment: dict[str, str] | None = None) -> bool:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    return done.returncode == 0


@pytest.mark.parametrize("verified", [python, node, php, shell])
def test_sg_06_sg_07_the_snippet_verifies_what_we_sign_and_nothing_else(
    verified: Callable[[Path, str, str, bytes], bool], tmp_path: Path
) -> None:
    now = int(clock.epoch())
    good = sign(SECRET, now, BODY)
    assert verified(tmp_path, SECRET, good, BODY)
    assert verified(tmp_path, SECRET, sign(SECRET, now - 290, BODY), BODY)
    assert not verified(tmp_path, SECRET, sign(SECRET, now - 310, BODY), BODY), "a recording"
    assert not verified(tmp_path, SECRET, sign(SECRET, now + 310, BODY), BODY)
    assert not verified(tmp_path, "whsec_other", good, BODY)
    assert not verified(tmp_path, SECRET, good, BODY + b" ")
    assert not verified(tmp_path, SECRET, good[:-1] + ("0" if good[-1] != "0" else "1"), BODY)
    assert not verified(tmp_path, SECRET, f"t={now},v1=", BODY)
    for moment in ("", "\u00b2", "1\u00b9", "\u2460", "\u0661", "08", "x", "9" * 5000):
        assert not verified(tmp_path, SECRET, f"t={moment},v1=abc", BODY)
    for header in ("", "v1=abc", "t", "t=,v1", f"t={now},v1=\u00e4", f"{good},{good}x"):
        assert not verified(tmp_path, SECRET, header, BODY)


def _duration(seconds: float) -> str:
    unit, size = next(
        (unit, size) for unit, size in (("hour", 3600), ("minute", 60), ("second", 1)) if seconds >= size
    )
    count = f"{seconds / size:g}"
    return f"{count} {unit}{'s' * (count != '1')}"


def test_the_page_says_what_the_code_does() -> None:
    text, webhook = " ".join(PAGE.read_text(encoding="utf-8").split()), Webhook()
    *waits, last = map(_duration, webhook.retry_waits)
    tries = ("one", "two", "three", "four", "five", "six", "seven", "eight")[len(waits) + 1]
    for stated in (
        f"no status within {_duration(webhook.answer_seconds)},",
        f"tried up to {tries} times: at once, then after about {', '.join(waits)} and {last} ",
        f"each wait is up to {JITTER:.0%} longer",
        f"up to {PER_ENDPOINT} deliveries at the same time",
        f"last answer took more than {_duration(webhook.answer_seconds * SLOW_SHARE)}.",
        f"After {DISABLE_AFTER} deliveries in a row",
        f"last {KEPT_PER_ENDPOINT} deliveries of the past {KEPT.days} days",
        f"anything older than {KEPT.days} days",
        f"every event of the last {KEPT.days} days",
        f"more than {TOLERANCE} seconds away from now",
        f"User-Agent: {webhook.slug}-webhooks/1 ",
    ):
        assert stated in text, stated


def test_the_page_lists_every_event() -> None:
    _, *listed = re.findall(r"^\| `([a-z_.]+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == sorted([*EVENTS, PING])


async def test_the_snippets_verify_a_delivery_as_it_comes_in(tmp_path: Path) -> None:
    """Not a header made by hand: what a receiver's socket read, with the body's bytes as they came."""
    settings = Webhook(allow_loopback=True)
    async with receiver(OK) as target, open_sender(settings, clock.epoch) as sender:
        answer = await sender.send(target.url, SECRET, "ping", "evt_1", BODY)
    assert answer.ok
    [post] = target.posts
    header = post.headers["service-signature"]
    for verified in (python, node, php, shell):
        assert verified(tmp_path, SECRET, header, post.body), verified.__name__
        assert not verified(tmp_path, SECRET, header, post.body + b"\n"), verified.__name__


@pytest.mark.parametrize(
    ("fence", "name"), [("python", "python"), ("javascript", "node"), ("php", "php"), ("sh", "shell")]
)
def test_the_sites_page_shows_the_same_snippets(fence: str, name: str) -> None:
    assert site_snippet(name) == snippet(fence).rstrip()
