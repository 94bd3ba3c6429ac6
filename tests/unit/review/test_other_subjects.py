"""Pages that use a trade's words for something else, and pages that cite them: neither is of the trade."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.text import cited_spans


def verdict(title: str, *paragraphs: str) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    page = f"<meta charset=utf-8><title>{title}</title><h1>{title}</h1>{body}"
    return read_page(page.encode(), url="http://tarn.example/").verdict


OTHER_SUBJECTS = [
    (
        "Wide load escorts | Miller Heavy Haul",
        "Our escorts guide oversize loads through eleven states. Escort booking by phone, escort rates per mile.",
    ),
    (
        "Abnormal load escort services",
        "We offer escort services for hauliers. Book an escort vehicle today. Escorts in London and Leeds.",
    ),
    (
        "Escort-Service für Schwertransporte",
        "Unser Escort Service begleitet Schwertransporte mit BF3-Fahrzeugen. Escort Berlin auf Anfrage.",
    ),
    (
        "Escorte de convois exceptionnels",
        "Notre escorte accompagne les convois exceptionnels. Escort Paris et Lyon, véhicules pilotes, guidage.",
    ),
    (
        "Destroyer escorts of the Atlantic",
        "The destroyer escorts of the US Navy guarded convoys. Our escorts lost contact in fog, frigates followed.",
    ),
    (
        "Passenger escorts for school transport",
        "Passenger escorts for children with special needs on school transport. Hire an escort for your pupil.",
    ),
    (
        "Ford Escort Mk1 parts",
        "Escort parts, cheap escorts for sale, Escort RS2000. Our escorts are restored.",
    ),
    (
        "AC Cobra replica cars",
        "Buy a replica: the best replicas of the AC Cobra, high quality replica body shells, V8 and chassis.",
    ),
    (
        "Cobra Replika Fahrzeuge",
        "Wir bauen Replika Fahrzeuge: Cobra Replica, Porsche Replica. Karosserie, Fahrgestell, TÜV. Replica kaufen.",
    ),
    (
        "Replica of the Mayflower",
        "The replica ship sails again. Replica cannons, replica rigging. High quality replicas of 1620.",
    ),
]
ASKING = [
    (
        "What is this in my guest book?",
        "Since Monday someone writes “Buy cheap Viagra online without prescription, generic Cialis lowest price” into"
        " my guest book. How do I stop that?",
    ),
    (
        "Strange title of my site",
        'I found this: "best online casino bonus, free spins no deposit, real money slots" in the title of my page.'
        " Does anybody know what that is? I run a small rowing site.",
    ),
    (
        "Spam dans mon livre d'or",
        "On a écrit « casino en ligne bonus sans dépôt, machines à sous gratuites » dans mon livre d'or. Que faire ?",
    ),
    (
        "Spam im Gästebuch",
        "Seit gestern steht dort „Viagra rezeptfrei kaufen, Cialis online bestellen ohne Rezept“. Was kann ich tun?",
    ),
    ("留言板被人乱发广告", "昨天有人在我的留言板写「澳门赌场真人百家乐老虎机注册送彩金」，请问怎么删除？"),
]
OF_THE_TRADE = [
    (
        "Escorts in London - VIP escort agency",
        "Book an escort tonight: our escorts are independent, escort rates from 150. Incall and outcall.",
    ),
    (
        "Replica watches",
        "Buy replica Rolex watches, AAA replica handbags, cheap Louis Vuitton replica. Swiss movement, free shipping.",
    ),
    (
        "Buy Viagra online",
        "Buy Viagra online without prescription. “Best place for cheap generic Viagra, fast shipping” says Tom. Order"
        " Cialis now, no prescription needed, overnight shipping.",
    ),
    (
        "Best online casino bonus",
        "“Best online casino bonus, free spins no deposit, real money slots online, no deposit bonus codes”",
    ),
]


@pytest.mark.parametrize("page", OTHER_SUBJECTS + ASKING)
def test_no_trade(page: tuple[str, str]) -> None:
    assert verdict(*page) == "clean"


@pytest.mark.parametrize("page", OF_THE_TRADE)
def test_a_trade(page: tuple[str, str]) -> None:
    assert verdict(*page) == "spam"


def test_what_is_cited() -> None:
    for text in (
        "he said “buy cheap pills online today” and left",
        'he said "buy cheap pills online today" and left',
    ):
        ((start, end),) = cited_spans(text)
        assert text[start + 1 : end - 1] == "buy cheap pills online today"
    assert cited_spans('a 15" screen and a 17" screen, "one" and "two"') == ()
    assert cited_spans("“" + "a" * 500 + "”") == ()
