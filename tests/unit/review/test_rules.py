"""Each rule on its own: spam points, addresses, anchors, parking data, error pages, topics."""

from __future__ import annotations

import pytest

from afterdrop.review.history.spam_paths import spam_paths
from afterdrop.review.page.lexicon import lexicon
from afterdrop.review.page.markup import parse
from afterdrop.review.page.notices import find_error
from afterdrop.review.page.parked import Provider, find_parked
from afterdrop.review.page.planted import find_injected, spam_anchor
from afterdrop.review.page.topics import find_topic, score_topic, topic_of_text
from afterdrop.review.page.trades import Limits, find_spam, is_spam, is_suspect, page_words, score, weigh
from afterdrop.review.page.values import Category, Finding, Spoken, Tally, Weighed
from tests.unit.review.viewed import viewed


def weighed(**figures: float) -> Weighed:
    """Figures of a page; what is not named is nothing."""
    whole = {"points": 0.0, "density": 0.0, "strong": 0, "medium": 0, "guards": 0, "headed": 0} | figures
    return Weighed(explicit=bool(whole.pop("explicit", 0)), **whole)  # type: ignore[arg-type]


def sold(source: str, words: int) -> Finding[Category] | None:
    """The trade of an English page of so many words."""
    page = viewed(source, words=words, spoken=Spoken("en"))
    return find_spam(page, page_words(page))


def test_renting_in_dutch_is_no_trade() -> None:
    for title in ("Springkasteel huren in Lebbeke", "Auto huren Amsterdam"):
        assert not [hit for hit in lexicon().hits(title, "nl") if hit.term.level > 1]
    assert [hit for hit in lexicon().hits("Huren in Berlin", "de") if hit.term.level == 2]


@pytest.mark.parametrize(
    "page",
    [
        weighed(strong=2, headed=1, points=9.5, density=0.5),
        weighed(strong=2, headed=1, points=9.5, density=2, guards=4),
        weighed(strong=2, medium=3, points=9.5, density=0.5),
        weighed(strong=2, points=9.5, density=6),
        weighed(strong=5, points=20, density=8, guards=3, reported=1.4),
        weighed(strong=5, points=20, density=8, guards=2, reported=2.5),
        weighed(strong=1, medium=5, points=12, density=2),
        weighed(strong=1, medium=3, headed=1, points=12, density=1.5),
        weighed(medium=5, points=9.5, density=2, explicit=1),
        weighed(strong=4, medium=17, headed=1, points=18.8, density=0.3, guards=4),
        weighed(strong=4, headed=1, points=20, density=8, publisher_phrases=3),
    ],
)
def test_strict_rules(page: Weighed) -> None:
    assert is_spam(page)
    assert not is_spam(page, Limits(spam=99, dense=99))


@pytest.mark.parametrize(
    "page",
    [
        weighed(strong=2, headed=1, points=9.4, density=1),
        weighed(strong=2, headed=1, points=20, density=1.9, guards=4),
        weighed(strong=3, headed=1, points=20, density=8, publisher_phrases=3),
        weighed(strong=3, medium=1, points=20, density=5.9),
        weighed(strong=1, medium=9, points=20, density=4, guards=1),
        weighed(medium=9, points=20, density=4),
        weighed(strong=5, points=20, density=8, guards=3, reported=1.5),
    ],
)
def test_what_is_not_spam(page: Weighed) -> None:
    assert not is_spam(page)


def test_suspects() -> None:
    assert is_suspect(weighed(strong=1, points=6))
    assert is_suspect(weighed(medium=3, points=6, density=1, guards=1))
    assert is_suspect(weighed(medium=3, points=6, density=1, guards=2, reported=0.7))
    assert not is_suspect(weighed(medium=3, points=6, density=1, guards=2, reported=0.8))
    assert not is_suspect(weighed(medium=2, points=6, density=1))
    assert is_suspect(weighed(strong=3, points=20, guards=4, reported=3.9))
    assert not is_suspect(weighed(strong=3, points=20, guards=4, reported=4.0))
    assert not is_suspect(weighed(strong=1, points=5.9))
    assert is_suspect(weighed(strong=1, points=6, density=0.3, words=999))
    assert not is_suspect(weighed(strong=1, points=6, density=0.3, words=1000))
    assert is_suspect(weighed(strong=3, points=9, publisher_phrases=3))
    assert is_suspect(weighed(medium=1, titled=1, words=59))
    assert not is_suspect(weighed(medium=1, titled=1, words=60))
    assert not is_suspect(weighed(strong=3, points=9, publisher_phrases=4))


def test_points_grow_with_place_and_shrink_with_guards() -> None:
    body, title = Tally(), Tally()
    hit = next(h for h in lexicon().hits("no deposit bonus codes", "en") if h.term.level == 3)
    body.add("body", "body", hit, "")
    title.add("title", "title", hit, "")
    assert score(title, 0) == score(body, 0)
    title.add("body", "body", hit, "")
    assert score(title, 0) > score(body, 0)
    body.found["body", -1].add("police")
    assert score(body, 0) == pytest.approx(3.0 - 1.2)
    assert weigh(body, 10, explicit=False).guards == 1


def test_the_strongest_category_is_named() -> None:
    text = "buy viagra online, cheap cialis, no prescription needed. best online casinos."
    found = sold(f"<title>{text}</title><p>{text}", 12)
    assert found is not None
    assert (found.kind, found.sure) == ("pharma", True)
    assert len(found.evidence) <= 8
    assert sold("<p>nothing of the kind", 4) is None


def test_addresses_that_speak_of_spam() -> None:
    paths = [
        "/about", "/blog/2015/summer-party", "/news/casino-opens-in-town", "http://x.org/buy-viagra-online.html",
        "/online-casino/online-slots/",
        "/%E6%BF%80%E5%AE%89%20%E9%80%9A%E8%B2%A9%20%E9%80%81%E6%96%99%E7%84%A1%E6%96%99/",
        "https://web.archive.org/web/2015/http://x.org/wp/payday-loans-online/", "/slot-gacor/?p=1",
    ]  # fmt: skip
    found = spam_paths(paths)
    assert [hit.evidence.severity for hit in found] == sorted(
        (h.evidence.severity for h in found), reverse=True
    )
    assert {hit.path for hit in found} == set(paths[3:])
    assert all(hit.evidence.quote == hit.path[:160] for hit in found)


ANCHORS = {
    "buy viagra": "pharma", "Viagra": "pharma", "online casino": "gambling", "best payday loans": "payday",
    "cheap nfl jerseys": "replica", "write my essay": "essay", "porn": "adult", "slot gacor hari ini": "gambling",
    "無修正": "adult", "click here": None, "example.org": None, "": None,
    "how the new law changes online casino licensing in Ontario": None, "St Mary's bingo night": None,
    "museum of modern art": None, "download the annual report": None,
}  # fmt: skip


@pytest.mark.parametrize("text", ANCHORS)
def test_anchors(text: str) -> None:
    assert spam_anchor(text) == ANCHORS[text]


def test_a_provider_knows_its_own_site() -> None:
    provider = Provider("Dan", "for_sale", ("cdn0.dan.com/x",))
    assert provider.owns("dan.com")
    assert not provider.owns("an.com")
    assert not provider.owns(None)


def parked(page: str, words: int, site: str | None = None) -> str | None:
    found = find_parked(viewed(page, site, words=words))
    return found.kind if found else None


def test_parked_by_markup() -> None:
    mark = "<script src='//img.sedoparking.com/js.js'></script>"
    assert parked(mark, 20) == "pay_per_click"
    assert parked(mark, 451) is None
    assert parked(mark, 20, "sedoparking.com") is None
    assert parked(mark + "<p>This domain is for sale</p>", 20) == "for_sale"
    assert parked(mark + "<p>This site is under construction</p>", 20) == "coming_soon"
    assert (
        parked("<a href='https://www.hugedomains.com/domain_profile.cfm'>x</a><p>coming soon</p>", 20)
        == "for_sale"
    )


def test_a_providers_markup_names_the_provider_and_is_not_quoted() -> None:
    """Nobody saw a page's source; of several marks of one provider one is enough."""
    marks = (
        "<link href='//cdn.dan.com/assets/application-f6e1.css'><script src='//dan.com/assets/a.js'></script>"
    )
    found = find_parked(viewed(marks + "<p>This domain is for sale</p>", words=20))
    assert found is not None and found.provider == "Dan.com"
    told = [(item.zone, item.quote, item.rule) for item in found.evidence]
    assert told[0] == ("markup", "", "parking.markup: Dan.com")
    assert [zone for zone, _, _ in told] == ["markup", "body"]
    assert not any("<" in quote or "dan.com" in quote for _, quote, _ in told)


def test_parked_or_expired_is_paid_links_only_with_a_word_of_ads_or_a_list_of_links() -> None:
    said = "<p>This domain has expired.</p>"
    assert parked(said, 20) == "hosting_placeholder"
    assert parked(said + "<p>Sponsored listings</p>", 20) == "pay_per_click"
    assert parked(said + "<a href=/s?q=x>x</a>" * 6, 20) == "pay_per_click"
    assert parked(said + "<a href=/login>x</a>" * 5, 20) == "hosting_placeholder"
    assert parked(said + "<p>The domain is for sale</p>", 20) == "for_sale"
    assert parked("<p>Domain expired. This name is parked.</p>", 20) == "hosting_placeholder"
    hosted = "<img src='//parkplatz.strato.de/x.png'><p>Diese Domain ist geparkt.</p>"
    assert parked(hosted, 20) == "hosting_placeholder"
    assert parked(hosted + "<p>Sponsored results for hats</p>", 20) == "pay_per_click"
    assert parked("<img src='//img.sedoparking.com/x.png'>" + said, 20) == "pay_per_click"
    found = find_parked(viewed(said, words=20))
    assert found is not None
    assert {(e.category, e.severity) for e in found.evidence} == {("hosting_placeholder", 2)}


def test_parked_by_words() -> None:
    assert parked("<title>This domain is for sale</title>", 299) == "for_sale"
    assert parked("<title>This domain is for sale</title>", 699) == "for_sale"
    assert parked("<title>This domain is for sale</title>", 700) is None
    assert parked("<title>This domain is parked</title>", 699) == "hosting_placeholder"
    assert parked("<title>This domain is parked</title>", 700) is None
    assert parked("<title>Premium domain, available for purchase</title>", 650) == "for_sale"
    assert parked("<h1>Domain ist hier geparkt</h1>", 100) == "hosting_placeholder"
    assert parked("<title>Domaine viticole à vendre</title>", 50) is None
    assert parked("<p>This domain is for sale.</p>", 179) == "for_sale"
    late = "<p>" + "word " * 60 + "this domain is for sale</p>"
    assert parked(late, 109) == "for_sale"
    assert parked(late, 111) is None
    assert parked("<p>related searches, sponsored listings</p>", 89) == "pay_per_click"
    assert parked("<p>related searches</p>", 20) is None
    assert parked("<title>lostname.com</title><p>related searches: hats</p>", 89) == "pay_per_click"
    assert parked("<title>Hats</title><h1>www.lostname.co.uk</h1><p>related links</p>", 89) == "pay_per_click"
    assert parked("<title>lostname.com</title><p>related searches: hats</p>", 90) is None
    assert parked("<title>lostname.com: hats</title><p>related searches</p>", 89) is None
    assert parked("<title>lostname.com</title><p>this site is hosted by my uncle</p>", 20) is None
    assert parked("<p>related searches <a href='//sedo.voodoo.com'>x</a></p>", 20) == "pay_per_click"
    assert parked("<p>coming soon</p>", 24) == "coming_soon"
    assert parked("<p>coming soon</p>", 25) is None
    assert parked("<h1>Coming soon!</h1>", 59) == "coming_soon"
    assert parked("<h1>Coming soon!</h1><p>Ask row@club-example.com</p>", 59) is None
    assert parked("<h1>Coming soon!</h1>", 60) is None
    assert parked("<p>coming soon</p>" + "<a href=/x>x</a>" * 13, 59) is None
    assert parked("<title>greenhill.org - available for purchase</title>", 299) == "for_sale"
    assert parked("<title>Old chairs for sale</title>", 20) is None


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("For sale: greenhill.org", "for_sale"),
        ("Welcome. Zu verkaufen: gruenerberg.de", "for_sale"),
        ("Premium domains for sale | greenhill.org", None),
        ("Domena krótka, na sprzedaż: zielone.pl", "for_sale"),
        ("Old chairs for sale | greenhill.org", None),
        ("greenhill.org | old chairs for sale", None),
        ('"greenhill.org" is now for sale', "for_sale"),
        ("Alte Traktoren zu verkaufen - gruenerberg.de", None),
        ("Barche in vendita | colleverde.it", None),
        ("Kolla valpar till salu – grönkulle.se", None),
        ("Продается сено | ферма.example.ru", None),
    ],
)
def test_what_is_for_sale_is_the_name_not_the_goods(title: str, kind: str | None) -> None:
    assert parked(f"<title>{title}</title><p>Ring us after six.</p>", 60) == kind


def fault(page: str, words: int) -> str | None:
    found = find_error(viewed(page, words=words))
    return found.kind if found else None


@pytest.mark.parametrize(
    ("page", "words", "kind"),
    [
        ("<title>404 Not Found</title>", 500, "not_found"),
        ("<title>Seite nicht gefunden - Firma</title>", 300, "not_found"),
        ("<h1>Page not found</h1>", 399, "not_found"),
        ("<p>Страница не найдена</p>", 10, "not_found"),
        ("<title>Index of /files</title>", 90, "directory_index"),
        ("<p>Error establishing a database connection</p>", 5, "server_error"),
        ("<title>Forbidden</title>", 10, "blocked"),
        ("<title>Index of</title>", 5, "directory_index"),
        ("<title>The art of the error page</title><h1>Error 404 is the most seen page of the web</h1>", 350, None),
        ("<title>404 Not Found</title>", 601, None),
        ("<title>The Forbidden City</title>", 20, None),
        ("<title>Index of economic freedom by country and year</title>", 60, None),
        ("<title>Access Denied: a thriller from the north</title>", 100, None),
        ("<title></title>", 5, None),
    ],
)  # fmt: skip
def test_error_pages(page: str, words: int, kind: str | None) -> None:
    assert fault(page, words) == kind


def injected(page: str, site: str | None) -> tuple[str, bool] | None:
    found = find_injected(viewed(page, site, spoken=Spoken("en")))
    return (found.kind, found.sure) if found else None


def test_injected_links_and_hidden_texts() -> None:
    link = "<p>text of the page</p><a href=//x.org>no deposit bonus codes</a>"
    assert injected(link, "own.de") == ("injected", False)
    assert injected(link, "x.org") is None
    assert injected(link, None) is None
    covered = "<p>text of the page that is seen</p><div hidden><a href=//x.org>{}</a></div>"
    assert injected(covered.format("no deposit bonus codes"), None) == ("injected", True)
    assert injected(covered.format("online casino"), None) is None
    assert (
        injected(covered.format("a long sentence in which the words online casino are but two of many"), None)
        is None
    )
    two = covered.format("online casino") + "<div hidden><a href=//y.org>sports betting</a></div>"
    assert injected(two, None) == ("injected", True)
    text = "cheap viagra, buy cialis, order levitra, buy tramadol, xanax for sale"
    hidden = f"<p>{'what everybody sees of it ' * 10}</p><div hidden>{text}</div>"
    assert injected(hidden, "own.de") == ("pharma", False)
    assert injected("<a href=//x.org><img src=a.png></a><p>t</p>", "own.de") is None


def test_topics() -> None:
    football = (
        "The team won the championship match after the goalkeeper saved a goal in the football stadium."
    )
    assert topic_of_text(football, "en") == "Sports"
    assert topic_of_text(football, None) == "Sports"
    assert topic_of_text("Nothing of note.", "en") is None
    assert score_topic("", "en") is None
    page = parse(f"<title>Football league results</title><p>{football * 6}</p>")
    assert find_topic(page, "en") == "Sports"
    assert find_topic(parse("<p>hello</p>"), "en") is None
    mixed = score_topic("football and software", "en")
    assert mixed is not None
    assert not mixed.clear
    japanese = score_topic("サッカーの試合でチームが優勝し、選手がゴールを決めた。", "ja")
    assert japanese is not None
    assert (japanese.topic, japanese.short) == ("Sports", True)


def test_a_page_of_next_to_nothing_is_what_its_title_offers() -> None:
    def found(title: str, words: int, heading: str = "") -> bool:
        told = sold(f"<title>{title}</title><h1>{heading}</h1>", words)
        return told is not None and told.sure

    assert found("Free spins no deposit", 8)
    assert not found("Free spins no deposit", 20)
    assert not found("Free spins no deposit", 8, "Registered charity no. 1")
    assert not found(
        "Why the league no longer takes money from those who write free spins no deposit on shirts", 16
    )
