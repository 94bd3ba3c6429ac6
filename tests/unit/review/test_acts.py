"""Acts: what a page does is told by words that stand together, and by none of them alone."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from afterdrop.review.page.acts import SHAPES, find_act
from afterdrop.review.page.reader import read_page
from afterdrop.review.page.values import Category, Finding, PageWords
from tests.unit.review.viewed import viewed

COMPUTED = {"AGAIN", "ABOVE ONE BRAND", "REPEATED NAME", *SHAPES}
OF_NAMES = {"supported brand", "repaired brand"}
CALLERS = (
    "Dial the printer helpline +1-800-555-0142, our technicians answer round the clock. Helpline for setup, helpline"
    " for drivers, helpline for every model."
)


def found(title: str, text: str, doubts: int = 0, site: str | None = None) -> Finding[Category] | None:
    words = PageWords((), {}, {}, frozenset(), reports=frozenset(map(str, range(doubts))))
    return find_act(viewed(f"<title>{title}</title><h1>{title}</h1><p>{text}</p>", site), words)


def strictly(one: Finding[Category] | None) -> str:
    return "clean" if one is None else "spam" if one.sure else "suspect"


def test_every_list_of_an_act_exists_and_every_list_serves_an_act() -> None:
    table = tomllib.loads(resources.files("afterdrop.review").joinpath("data/acts.toml").read_text("utf-8"))
    named = {name for row in table["act"] for name in (*row["head"], *row["page"])}
    assert (named | OF_NAMES) - COMPUTED == table["slots"].keys()
    assert named >= COMPUTED
    for row in table["act"]:
        assert 1 <= row["suspect"] <= row["spam"] <= len(row["page"])


@pytest.mark.parametrize(
    ("title", "text", "says"),
    [
        ("HP printer helpline number", CALLERS, "gives a telephone number as another firm's support line"),
        (
            "Wetter Bosch Hausgeräte Reparatur",  # one brand's repairs, and no more: honest
            "Wir reparieren in unserer Werkstatt am Markt.",
            None,
        ),
        (
            "Kadıköy Bosch servisi",
            "Moda Bosch servisi, Göztepe Arçelik servisi, Siemens servisi, Beko servisi. Çağrı merkezimiz 7/24 açık.",
            "passes itself off as a brand's repair line",
        ),
        (
            "Oxycodone 30 mg, add to cart",
            "Ships overnight without a script. Pay by bitcoin.",
            "sells controlled drugs",
        ),
        (
            "Compra permesso: patente di guida senza esami, acquistare",
            "Registrata in Motorizzazione, scrivici su Telegram, niente teoria. Pagamento in crypto.",
            "sells forged papers",
        ),
        (
            "Live withdrawals with an AI bot",
            "Deposit $250 and earn $900 a day without experience, 7 places left, your personal manager calls you.",
            "promises an income from a machine that trades",
        ),
    ],
)
def test_an_act_is_told_as_what_it_does(title: str, text: str, says: str | None) -> None:
    act = found(title, text)
    if says is None:
        assert act is None
        return
    assert act is not None and act.sure
    assert {item.rule for item in act.evidence} == {f"act: {says}"}
    assert {item.code for item in act.evidence} == {"spam_act"}
    assert all(item.severity == 3 and item.quote in f"{title}\n{text}" for item in act.evidence)
    assert len({item.quote for item in act.evidence}) == len(act.evidence) > 1


def test_a_head_alone_and_a_text_alone_tell_nothing() -> None:
    assert found("HP printer helpline number", "We sell paper.") is None
    assert found("Our garden", CALLERS) is None


def test_who_warns_of_an_act_names_much_of_it() -> None:
    told = [strictly(found("HP printer helpline number", CALLERS, doubts)) for doubts in range(6)]
    assert told[:2] == ["spam", "spam"]  # one word of a report stands on pages that sell, too
    assert told[-1] == "clean"
    assert told == sorted(told, key=["spam", "suspect", "clean"].index)


@pytest.mark.parametrize("name", ["Norton", "Corvex"])
def test_a_firm_may_answer_for_its_own_name(name: str) -> None:
    text = f"Call {name} now, day and night: +1-800-555-0142. Our technicians know {name} and every {name} product."
    title = f"{name} helpline number"
    assert strictly(found(title, text, site=f"{name.lower()}.com")) == "clean"
    assert strictly(found(title, text, site="any-help.com")) == "spam"


def test_a_name_in_a_script_without_blanks_is_seen_to_be_repeated() -> None:
    repairs = "博朗霍特售后维修中心，全国统一客服热线，24小时受理博朗霍特冰箱维修、博朗霍特洗衣机维修，服务区域：朝阳。"
    assert strictly(found("博朗霍特维修电话", repairs)) == "spam"
    assert strictly(found("我修了四十年手表维修", repairs)) != "spam"


def test_a_line_is_repeated_by_callers_and_a_brand_by_dealers() -> None:
    dealer = "HP servers, HP disks, HP memory, HP racks, HP cables. Phone +1 303 555 0142."
    assert found("HP dealer, call toll free", dealer) is None


def test_words_of_the_head_are_not_told_twice() -> None:
    assert found("Driving licence without exam? Buy a book of questions", "The office keeps copies.") is None


def test_the_gravest_act_is_told() -> None:
    both = found(
        "Get free iPhone: congratulations, claim your gift card. Buy oxycodone 30 mg",
        "Order now without prescription, no questions, bitcoin, in stock.",
    )
    assert both is not None and both.sure and both.kind == "pharma"


def test_an_act_makes_a_page_spam_and_spares_one_that_is_spam_already() -> None:
    page = f"<title>HP printer helpline number</title><p>{CALLERS}</p>".encode()
    reading = read_page(page, url="")
    assert (reading.verdict, reading.category) == ("spam", "doorway")
    casino = b"<title>Online casino no deposit bonus codes</title><p>No deposit bonus, free spins no deposit, wagering"
    assert (
        read_page(casino + b" requirements apply, casino bonus, slots online real money.", url="").category
        == "gambling"
    )
