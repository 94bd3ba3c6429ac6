"""Stubs and what honest pages say in their words: moved sites and moved shops, empty shops, launches, articles."""

from __future__ import annotations

import pytest

from afterdrop.review.page.parked import find_parked
from afterdrop.review.page.reader import read_page
from tests.unit.review.viewed import viewed


def kind_of(title: str, body: str) -> str | None:
    found = find_parked(viewed(f"<title>{title}</title>{body}"))
    return found.kind if found else None


LINK = "<a href='http://tarn.example/'>tarn.example</a>"
STUBS = [
    ("Hello", f"<p>This website has moved to {LINK}</p>", "hosting_placeholder"),
    ("", "<p>wanda has moved to wanda.net</p>", "hosting_placeholder"),
    ("Neue Adresse", f"<p>Unsere Homepage finden Sie jetzt unter {LINK}</p>", "hosting_placeholder"),
    ("Переезд", f"<p>Мы переехали на новый домен: {LINK}</p>", "hosting_placeholder"),
    ("Ny adress", f"<p>Vi har bytt domän. Du hittar oss på {LINK}</p>", "hosting_placeholder"),
    ("移転", f"<p>このホームページは移転しました。10秒後にジャンプします。{LINK}</p>", "hosting_placeholder"),
    ("Moved", f"<p>We've moved! You will be there in 5 seconds: {LINK}</p>", "hosting_placeholder"),
    ("Your Store", "<h1>Neu</h1><p>Derzeit sind keine Artikel verfügbar.</p>", "hosting_placeholder"),
    ("Tienda", "<h1>Mi tienda</h1><p>No hay productos.</p>", "hosting_placeholder"),
    ("Tarn", "<h1>Launching spring 2015</h1>", "coming_soon"),
    ("Запуск в 2015 году", "<p>Подпишитесь.</p>", "coming_soon"),
    ("Hello", "<p>12 days 3 hours 4 minutes until we launch</p>", "coming_soon"),
    ("Alderhost Default Page", f"<p>{'Fast disks, daily copies. ' * 40}</p>", "hosting_placeholder"),
    ("Expirado", "<p>El dominio no fue renovado por su titular.</p>", "hosting_placeholder"),
    ("Tarn", "<p>Dies ist eine geparkte Domain.</p>", "hosting_placeholder"),
    ("“This domain is for sale”", f"<p>{'Write to us. ' * 10}</p>", "for_sale"),
]  # fmt: skip
LINKS = "".join(f"<a href='/{number}'>Part {number}</a>" for number in range(4))
NONE = [
    # Who moved to another street, or tells how to reach him.
    ("Wool", "<h1>We've moved</h1><p>New address: Market Street 12. See our website.</p><a href=/m>Map</a>"),
    ("Wool", "<h1>We have moved</h1><p>The studio is above the library now.</p><a href=/m>Book</a>"),
    ("Praxis", f"<h1>Wir sind umgezogen</h1><p>Neue Adresse: Ringstraße 4. Webseite: {LINK}</p>"),
    ("Мастерская", "<h1>Мы переехали</h1><p>Теперь мы на улице Мира, 5.</p>"),
    ("Wool", "<p>Our website has moved. Write to anna@tarn-wool.co.uk</p>"),
    ("Wool", f"<p>Our website has moved.</p>{LINKS}"),
    # What sends its visitors on is read there.
    ("Moved", "<meta http-equiv=refresh content='5;url=http://tarn.example/'><p>This site has moved.</p>"),
    ("Moved", "<script>location.href='http://tarn.example/'</script><p>This site has moved.</p>"),
    ("Shop", "<h1>Wool</h1><p>There are no products in this category.</p>"),
    ("My Shop", "<h1>My Shop</h1><p>Candles from beeswax, dipped in Devon.</p>"),
    ("Regatta", "<h1>Launch party</h1><p>Book launch, 4 May 2017, Town Hall. Wine, readings and a walk after.</p>"),
    ("Tarn", "<h1>Launching 2015</h1><p>Write to anna@tarn-wool.co.uk</p>"),
    ("Rain", "<p>Last 7 days: 12 hours of rain. Our website has more.</p>"),
    ("Wedding", "<p>45 days 3 hours 12 minutes. St Mary's, two o'clock, then the barn.</p>"),
    ("Tarn", f"<p>12 days 3 hours 4 minutes until we launch</p>{LINKS * 4}"),
    ("Setting default page", "<p>Open the menu.</p>"),
    ("Alderhost default page", "<article><p>A page in our handbook.</p></article>"),
    # Who writes of such names.
    ("Was ist eine geparkte Domain?", f"<p>Eine geparkte Domain ist registriert. {'Wir erklären es. ' * 6}</p>"),
    ("Wat betekent 'geparkeerd domein'?", f"<p>Een geparkeerd domein is geregistreerd. {'Uitleg volgt. ' * 8}</p>"),
    ("Что значит «домен припаркован»?", f"<p>Домен припаркован, если сайта нет. {'Об этом мы и пишем. ' * 5}</p>"),
    ("ドメインパーキングとは", f"<p>ドメインパーキングとは広告を表示する仕組みです。{'記事で説明します。' * 4}</p>"),
    ("Names at auction", f"<p>{'The seller waited. ' * 8}His page said “this domain is for sale” for years.</p>"),
    ("Nos noms", f"<p>{'Une enquête sur les noms. ' * 5}La mention « ce domaine est à vendre » y figure.</p>"),
    ("Help", f"<h1>My domain has expired</h1><p>{'Log in and renew it. ' * 6}If your domain has expired, pay.</p>"),
    ("Policy", "<p>Domain names. A name that is parked still belongs to the department.</p>"),
    ("Airport", "<p>Your car is parked free for ten minutes.</p>"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "body", "kind"), STUBS)
def test_stubs_are_placeholders(title: str, body: str, kind: str) -> None:
    assert kind_of(title, body) == kind


@pytest.mark.parametrize(("title", "body"), NONE)
def test_honest_pages_in_the_words_of_stubs_are_none(title: str, body: str) -> None:
    assert kind_of(title, body) is None


def test_a_page_that_asks_about_this_domain_is_no_article() -> None:
    asked = "<p>This domain has expired. Renew it now or lose it. Log in, or call the registrar on any working day.</p>"
    assert kind_of("Why has this domain expired?", asked) == "hosting_placeholder"


def test_an_article_on_a_providers_own_lander_is_the_providers() -> None:
    body = f"<script src='//sedoparking.com/x.js'></script><p>{'Names and how they are sold. ' * 6}</p>"
    assert kind_of("What is a domain?", body) == "pay_per_click"


@pytest.mark.parametrize(
    ("title", "text", "verdict"),
    [
        ("工事中", "公開までしばらくお待ちください。", "parked"),
        ("Page moved", "This page has moved. <a href='/new'>Go on</a>", "parked"),
        ("Just a moment...", "Checking your browser. Please wait.", "error"),
        ("メンテナンス中", "完了までしばらくお待ちください", "error"),
        ("호스팅", "호스팅 사용 기간이 만료되었습니다.", "error"),
    ],
)
def test_a_placeholder_may_ask_to_wait_and_errors_stay_errors(title: str, text: str, verdict: str) -> None:
    body = f"<meta charset=utf-8><title>{title}</title><p>{text}</p>".encode()
    assert read_page(body, url="").verdict == verdict


def test_phrases_that_two_languages_share_count_once() -> None:
    assert kind_of("Tarn", "<p>Dominio registrado. Domínio registrado.</p>") is None
