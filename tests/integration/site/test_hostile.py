"""Hostile texts in everything that strangers write stay text on every page that shows them."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Final

import pytest
import sqlalchemy as sa
from selectolax.lexbor import LexborHTMLParser

from afterdrop.db.tables.catalogue import domains
from afterdrop.db.tables.checks import checks
from afterdrop.db.tables.delivery import deliveries
from tests.integration.site.test_links import faults_of
from tests.support import POSTGRES_IS_LONG
from tests.support.browser import Browser, words
from tests.support.service import ENDED, NOW, SITE, Service
from tests.support.site_world import fill

pytestmark = POSTGRES_IS_LONG

# What our own templates use; anything else on a page came from outside.
OURS: Final = {
    *(
        "html",
        "head",
        "body",
        "meta",
        "title",
        "link",
        "script",
        "noscript",
        "header",
        "nav",
        "main",
        "footer",
    ),
    *("section", "article", "div", "p", "span", "a", "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3"),
    *("strong", "em", "code", "pre", "br", "table", "caption", "thead", "tbody", "tr", "th", "td", "form"),
    *("fieldset", "legend", "label", "input", "select", "option", "textarea", "button", "details", "summary"),
    *("abbr", "time", "progress", "svg", "g", "rect", "circle", "line", "text", "defs", "pattern", "use"),
    *("aside", "blockquote", "mark", "small", "tfoot", "kbd", "b", "datalist"),
}
CORPUS: Final = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</title></textarea></pre></style></script><svg/onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x><embed src=x>",
    "' autofocus onfocus=alert(1) x='",
    "{{ 7*7 }}{% include '/etc/passwd' %}{# x #}",
    "<a href=javascript:alert(1)>x</a>[x](javascript:alert(1)) ![x](x onerror=alert(1))",
    "<base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<form action=//evil.example><input name=csrf><button>",
    '=HYPERLINK("http://evil.example")\t+1\r@x',
    "\x1b[31m\x07\u202egpj.exe\u2028\u2029",
    "<<a|ascript>alert(1)//<</script>%3Cscript%3E&lt;script&gt;&#x3c;script&#x3e;",
    "\ufe64script\ufe65alert(1)\ufe64/script\ufe65 \uff1cscript\uff1e",
)


@pytest.mark.parametrize("evil", CORPUS)
async def test_hostile_text_is_text_on_every_page(service: Service, browser: Browser, evil: str) -> None:
    made = await fill(service.context, service.accounts["operator"], evil)
    async with service.database.write() as conn:
        await conn.execute(sa.update(deliveries).values(status="failed", error=evil[:200], settled_at=NOW))
        waiting = checks.c.id == made["waiting"]
        await conn.execute(
            sa.update(checks)
            .where(waiting)
            .values(status="running", progress=evil[:100], error=evil, finished_at=NOW)
        )
    await browser.sign_in("operator")
    await browser.send("/account/keys", {"name": "x" + "".join(filter(str.isprintable, evil))[:70]})
    pages = [
        *(
            "/domains",
            "/domains?q=hostile",
            "/domains?open=hostile.com",
            "/domains/hostile.com",
            "/domains/open-today.com",
            "/account/keys",
        ),
        *("/account/watchlist", "/account/webhooks"),
        *(
            f"/account/webhooks/{made['hook']}",
            f"/account/webhooks/{made['hook']}/{made['delivery']}",
            "/checks",
            f"/checks/{made['done']}",
            f"/checks/{made['waiting']}",
        ),
        "/compare?d=hostile.com,open-today.com",
        *("/admin", "/admin/accounts", "/desk", "/drops", "/account/notes"),
        *("/account/filters", "/account/shares", f"/s/{made['share']}"),
        *("/domains/ended.org/takeover", f"/s/{made['share']}/ended.org/takeover", "/admin/takeovers"),
    ]
    for path in pages:
        await harmless(browser, path)
    shown = LexborHTMLParser((await browser.get("/domains/hostile.com")).text)
    assert len(shown.css("form[action^='//']")) == 0
    assert (
        evil.split()[0][:12] in words(await browser.get("/domains/hostile.com")) or not evil[0].isprintable()
    )
    # A free account has another page of a report.
    async with service.database.write() as conn:
        await conn.execute(sa.update(domains).where(domains.c.domain == "hostile.com").values(**ENDED))
    await browser.sign_in("free")
    for path in ("/domains/archive?q=hostile", "/domains/hostile.com", "/desk", f"/s/{made['share']}"):
        await harmless(browser, path)
    assert browser.last and "hostile.com" in browser.last.text


def all_ours(text: str, where: str, evil: str = "") -> None:
    """Every element of a page is one that our templates use, and its addresses are in order."""
    assert faults_of(text, where) == []
    tags = {node.tag for node in LexborHTMLParser(text).css("*") if node.tag and node.tag[0] not in "-!"}
    assert tags <= OURS, (where, evil, tags - OURS)


async def harmless(browser: Browser, path: str) -> None:
    """A page is shown, and every element on it is ours."""
    page = await browser.get(path)
    assert page.status_code == 200, path
    all_ours(page.text, path)
    assert not {"\x1b", "\u202e", "\x07"} & set(page.text), path


@pytest.mark.parametrize("field", ["q", "tld", "min_score", "since", "page", "nonsense"])
async def test_hostile_addresses_are_text_too(browser: Browser, field: str) -> None:
    await browser.sign_in("pro")
    for evil in CORPUS:
        params = {field: evil}
        page = await browser.http.get("http://127.0.0.1:8000/domains", params=params, follow_redirects=True)
        assert page.status_code in (200, 422)
        all_ours(page.text, field, evil)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/drops", "day"),
        ("/account/notes", "tag"),
        ("/account/shares", "d"),
    ],
)
async def test_hostile_addresses_of_the_desk_are_text(browser: Browser, path: str, field: str) -> None:
    await browser.sign_in("pro")
    for evil in CORPUS:
        page = await browser.http.get(f"http://127.0.0.1:8000{path}", params={field: evil})
        assert page.status_code in (200, 422), (path, evil)
        all_ours(page.text, field, evil)


async def test_hostile_searches_of_accounts_are_text(browser: Browser) -> None:
    await browser.sign_in("operator")
    for evil in CORPUS:
        page = await browser.http.get("http://127.0.0.1:8000/admin/accounts", params={"q": evil})
        assert page.status_code == 200, evil
        all_ours(page.text, "q", evil)
        refused = await browser.send("/admin/accounts", {"email": evil, "days": evil})
        assert refused.status_code == 404, evil


async def test_files_are_harmless(service: Service, browser: Browser) -> None:
    await fill(service.context, service.accounts["pro"], '=cmd|"/c calc"!A1')
    await browser.sign_in("pro")
    csv = await browser.get("/csv/live?q=hostile")
    assert "'=cmd|" in csv.text
    assert ",=cmd" not in csv.text
    assert 'attachment; filename="afterdrop-live-' in csv.headers["content-disposition"]
    kit = await browser.get("/domains/hostile.com/kit.zip")
    with zipfile.ZipFile(io.BytesIO(kit.content)) as entries:
        assert all(re.fullmatch(r"[a-z0-9-]+\.md", name) for name in entries.namelist())
        assert not any(set("/\\:") & set(name) for name in entries.namelist())
    for file in (csv, kit, await browser.get("/account/data.json")):
        assert file.headers["x-content-type-options"] == "nosniff"
        assert file.headers["content-disposition"].startswith("attachment")


async def test_forms_are_utf8_whatever_they_declare(service: Service, browser: Browser) -> None:
    await browser.sign_in("pro")
    await browser.get("/tools")
    part = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
    fields = {"csrf": browser.token, "tool": "whois", "domain": "nobody"}
    bodies = {
        "multipart/form-data; boundary=b": "".join(
            f"--b\r\n{part.format(name, text)}" for name, text in fields.items()
        )
        + "--b--\r\n",
        "application/x-www-form-urlencoded": "&".join(f"{name}={text}" for name, text in fields.items()),
    }

    async def sent(kind: str, body: bytes) -> tuple[int, str]:
        answer = await browser.http.post(f"{SITE}/tools", content=body, headers={"Content-Type": kind})
        return answer.status_code, words(answer)

    single = "is no domain name"
    for kind, body in bodies.items():
        for charset in ("", "; charset=UTF-8", '; Charset="utf8"'):
            status, said = await sent(f"{kind}{charset}", body.encode())
            assert (status, single in said) == (422, True), (kind, charset)
        for charset in ("undefined", "punycode", "idna", "utf-16", "rot13", "nonesuch", "", "\x00"):
            status, said = await sent(f"{kind}; charset={charset}", body.encode())
            assert (status, "must be encoded in UTF-8" in said) == (422, True), (kind, charset)
        status, said = await sent(kind, body.replace("nobody", "n\udcff").encode(errors="surrogateescape"))
        assert (status, "is not valid UTF-8" in said) == (422, True), kind
