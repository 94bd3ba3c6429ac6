"""What stands at a name after its end: told by the page that is read there and by one of the site before."""

from __future__ import annotations

import pytest

from afterdrop.review.history.after_life import (
    AfterLife,
    FormerPage,
    VisitedPage,
    _distinct,
    after_life,
    was_site,
)
from afterdrop.sandbox.texts import landers

NAME = "pennridge-mill.org"
HOME = f"http://www.{NAME}/"
OLD = """<html><head><title>Pennridge Mill Museum</title></head><body><h1>Pennridge Mill Museum</h1>
<p>The water mill at Pennridge has ground flour since 1740. Volunteers of the Whitcombe Trust open the millhouse on
Saturdays, bake bread in the old oven and show children how grain becomes flour.</p>
<p>Write to millers@whitcombe-trust.org or ring 01632 960123. School parties are welcome by appointment.</p>
<footer>© 2014 Whitcombe Trust</footer></body></html>"""
ANEW = """<html><head><title>Whitcombe Trust: the mill</title></head><body><nav><a href=/visit>Visit</a></nav>
<p>Our bakery opens again this spring, with new stones from Derbyshire and a café beside the leat. The trust thanks all
donors who paid for the wheel. Ask millers@whitcombe-trust.org about volunteering.</p></body></html>"""
OTHER = """<html><head><title>Cloudline Software</title></head><body><h1>Cloudline Software</h1>
<p>We write planning tools for logistics companies. Our engineers in Rotterdam and Lyon help warehouses to forecast
deliveries, and our consultants train dispatchers on site. Ask for a demonstration: sales@cloudline.example.nl or
+31 10 555 0199.</p><footer>© 2026 Cloudline Software B.V.</footer></body></html>"""
SALE = f"""<html><head><title>{NAME} is for sale</title></head><body><h1>The domain name {NAME} is for sale</h1>
<p>Buy now for {{}} or make an offer.</p></body></html>"""
CASINO = """<html><head><title>Best online casino bonus 2026 - slots, roulette, free spins</title></head><body>
<h1>Online casino bonus</h1><p>Play online slots and live roulette. The best online casino bonus codes, free spins no
deposit, blackjack and poker bonus for new players. Casino en ligne, online gambling, sports betting odds.</p>
<a href="http://casino-a.example/">best casino</a> <a href="http://casino-b.example/">free spins</a></body></html>"""


def visit(html: str, *, status: int = 200, url: str = HOME, known: bool = True, **more: str) -> AfterLife:
    page = VisitedPage(url, status, html.encode(), "text/html; charset=utf-8", **more)
    return after_life(NAME, page, FormerPage(HOME, OLD.encode(), "text/html") if known else None)


def test_the_site_that_was_there_and_another() -> None:
    assert visit(OLD).kind == "same"
    assert visit(ANEW) == AfterLife("same", "Whitcombe Trust: the mill")
    assert visit(OTHER) == AfterLife("other", "Cloudline Software")
    assert visit(OTHER, known=False).kind == "other"
    assert visit("<html><body><p>Welcome</p></body></html>").kind in ("unclear", "nothing", "parked")


@pytest.mark.parametrize(
    ("links", "kind"),
    [
        (("online casino", "sports betting", "online slots"), "spam"),
        (("essay help", "payday loans", "bitcoin casino"), "spam"),
        (("kredit ohne schufa", "casino", "casino bonus"), "spam"),
        (("Grand Casino Basel",), "same"),
        (("Mills of Kent", "Flour society", "Heritage day"), "same"),
    ],
)
def test_the_old_page_with_links_that_are_sold_is_not_the_site(links: tuple[str, ...], kind: str) -> None:
    anchors = " ".join(f"<a href='http://w{n}.example-{n}.net/'>{text}</a>" for n, text in enumerate(links))
    for clone in (
        OLD.replace("</footer>", f" {anchors}</footer>"),
        OLD.replace("<p>Write", f"<p>{anchors}</p><p>Write"),
    ):
        found = visit(clone)
        assert found.kind == kind
        assert found.quotes == () if kind == "same" else set(found.quotes) <= set(links)
    assert visit(OLD.replace("2014", "2015")).kind == "same"


def test_a_site_of_which_nothing_was_said_is_not_compared() -> None:
    page = VisitedPage(HOME, 200, OTHER.encode(), "text/html")
    former = FormerPage(HOME, b"<html><body><img src=a.gif></body></html>")
    assert after_life(NAME, page, former).kind == "unclear"


@pytest.mark.parametrize(
    ("words", "price"),
    [
        ("$2,499", "$2,499"),
        ("1.250 €", "1.250 €"),
        ("USD 4888.00", "USD 4888.00"),
        ("£ 950", "£ 950"),
        ("$1" + ",000" * 40, None),
        ("$99/month or buy it now for $2,499 2026", "$2,499"),
        ("since 2019 $950", "$950"),
        ("A$1,200", "A$1,200"),
        ("for C$ 950,", "C$ 950"),
        ("US$1,200.00 ", "US$1,200.00"),
        ("R$ 5.000", "R$ 5.000"),
        ("5.000 BRL", "5.000 BRL"),
        ("Price:$12k.", "$12k"),
        ("$1.5M", "$1.5M"),
        ("$2.5 million", "$2.5 million"),
        ("1 200 000 €", "1 200 000 €"),
        ("$2,499 in one payment", "$2,499"),
        ("$99/mo", None),
        ("$1,299.00 per month", None),
        ("US$12k / year", None),
        ("$45 a month", None),
        ("$45 monthly", None),
        ("99 € pro Monat", None),
        ("99,00 EUR/Jahr", None),
        ("R$ 150 por mês", None),
        ("49 € par mois", None),
        ("over $100,000,000 in sales", None),
        ("$100M+ in domain sales", None),
        ("$5,000,000,000", None),
        ("a fair price", None),
        ("12 easy steps", None),
    ],
)
def test_what_an_offer_asks(words: str, price: str | None) -> None:
    found = visit(SALE.format(words))
    assert (found.kind, found.price) == ("for_sale", price)


def test_spam_is_told_with_its_trade_and_its_words() -> None:
    found = visit(CASINO)
    assert (found.kind, found.category) == ("spam", "gambling")
    assert any("casino" in quote.lower() for quote in found.quotes)
    assert visit(CASINO, url="http://casino-a.example.net/").to == "example.net"


@pytest.mark.parametrize(
    ("html", "url", "to"),
    [
        (OTHER, "https://www.cloudline.nl/start", "cloudline.nl"),
        (
            '<html><head><meta http-equiv=refresh content="0; url=https://cloudline.nl/"></head></html>',
            HOME,
            "cloudline.nl",
        ),
    ],
)
def test_visitors_who_are_sent_elsewhere(html: str, url: str, to: str) -> None:
    found = visit(html, url=url)
    assert (found.kind, found.to) == ("redirected", to)


def test_another_host_of_the_name_is_no_redirect() -> None:
    assert visit(OLD, url=f"https://shop.{NAME}/").kind == "same"


@pytest.mark.parametrize(
    ("html", "status", "kind"),
    [
        ("", 200, "nothing"),
        (
            "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
            404,
            "nothing",
        ),
        (
            "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
            200,
            "nothing",
        ),
        (
            "<html><head><title>Account Suspended</title></head><body><h1>Account Suspended</h1></body></html>",
            200,
            "nothing",
        ),
        (
            "<html><head><title>Index of /</title></head><body><h1>Index of /</h1><pre>Name</pre></body></html>",
            200,
            "nothing",
        ),
        (
            "<html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>",
            403,
            "unclear",
        ),
        (OTHER, 500, "unclear"),
        (
            "<title>React App</title><noscript>You need to enable JavaScript.</noscript><div id=root></div><script"
            " src=/a.js></script>",
            200,
            "unclear",
        ),
        (
            "<title>Log in</title><form>Name <input> Word <input type=password></form>",
            200,
            "unclear",
        ),
        ("GIF89a\x00\x01", 200, "unclear"),
        (
            "<html><head><title>Hacked by Ghost</title></head><body><h1>Hacked by Ghost</h1></body></html>",
            200,
            "spam",
        ),
    ],
)
def test_faults(html: str, status: int, kind: str) -> None:
    assert visit(html, status=status).kind == kind


@pytest.mark.parametrize(
    "body",
    [
        b"\x00\xff" * 500,
        b"<div>" * 5000,
        b"<a href='" * 3000,
        b"<meta http-equiv=refresh content='0;url=http://[/'>",
    ],
)
@pytest.mark.parametrize("url", [HOME, "http://[bad/", "data:text/html,x"])
def test_any_bytes_are_told(body: bytes, url: str) -> None:
    assert after_life(NAME, VisitedPage(url, 200, body), None).kind


def test_a_lander_is_no_site_and_a_parked_name_is_parked() -> None:
    lander = landers()["bodis"].html.format(domain=NAME, token="0" * 12, stem="Pennridge Mill")
    assert visit(lander).kind == "parked"
    assert not was_site(NAME, FormerPage(HOME, lander.encode(), "text/html"))
    assert was_site(NAME, FormerPage(HOME, OLD.encode(), "text/html"))


def test_what_the_title_or_a_longer_quote_says_is_not_quoted_again() -> None:
    assert _distinct(["Buy pills", "Buy pills now", "cheap", "", "Buy pil…"], "Cheap, cheap") == (
        "Buy pills now",
    )
    assert _distinct([f"quote {number}" for number in range(5)], "") == ("quote 0", "quote 1", "quote 2")
