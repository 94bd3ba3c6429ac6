"""A head in another script than the page behind it: what break-ins leave, and honest pages of two scripts."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page
from afterdrop.review.page.values import PageReading

CLUB = (
    "<h1>Lower Tarn Rowing Club</h1><p>The club meets on Saturday morning at the boat house. New members are welcome"
    " for a trial row after the safety briefing.</p><p>Boat house, Mill Lane 1. Telephone 01632 960110.</p>"
)
ОБЩЕСТВО = (
    "<h1>Гребной клуб</h1><p>Клуб собирается по субботам утром у лодочного сарая. Новички могут пройти пробную"
    " тренировку после инструктажа. Правление благодарит всех добровольцев за помощь в ремонте крыши.</p>"
)
MUSEUM = (
    "<h1>Card and dice museum</h1><p>The collection shows playing cards, dice and tokens from five centuries. The"
    " museum opens daily at ten; guided tours for school classes are free on weekdays.</p>"
)


def read(title: str, description: str, body: str) -> PageReading:
    page = f"<title>{title}</title><meta name=description content='{description}'>{body}"
    return read_page(page.encode(), url="http://lowertarn.example/")


BROKEN_INTO = [
    ("开云体育官方网站-登录入口", "开云体育官网提供真人娱乐，app下载", CLUB),
    ("永利皇宫登录入口", "永利皇宫娱乐城，百家乐、轮盘、老虎机在线投注", CLUB),
    (
        "オンラインカジノ 入金不要ボーナス",
        "オンラインカジノの入金不要ボーナスで今すぐプレイ、フリースピン",
        CLUB,
    ),
    ("Казино Вулкан - рабочее зеркало", "Бездепозитный бонус и фриспины за регистрацию", CLUB),
    ("온라인카지노 추천 - 바카라사이트", "카지노사이트 먹튀검증 토토사이트", CLUB),
    ("เว็บพนันออนไลน์ สล็อตเว็บตรง", "บาคาร่าออนไลน์ สล็อต ฝากถอนไม่มีขั้นต่ำ", CLUB),
    ("开云体育官方网站-登录入口", "开云体育官网提供真人娱乐，app下载", ОБЩЕСТВО),
]
HONEST = [
    ("市体育局官方网站", "全民健身活动安排，足球、篮球比赛报名入口，公共体育场馆APP下载", CLUB),
    ("澳门旅游局", "澳门赌场与历史城区导览", CLUB),
    ("博物馆：扑克与骰子的历史", "扑克、骰子与老虎机的历史展览", MUSEUM),
    ("Музей игральных карт", "История казино и рулетки, выставка", MUSEUM),
    ("楽しいボート部", "地域のボートクラブです。新入部員を募集しています", CLUB),
    ("Lower Tarn Rowing Club", "Rowing for everybody", ОБЩЕСТВО),
    ("Клуб гребли", "Клуб гребли на озере", CLUB),
    ("نادي التجديف", "نادي التجديف في البحيرة", CLUB),
    ("", "", CLUB),
]


@pytest.mark.parametrize(("title", "description", "body"), BROKEN_INTO)
def test_a_traders_head_over_an_honest_page_is_suspect_at_least(
    title: str, description: str, body: str
) -> None:
    reading = read(title, description, body)
    assert reading.verdict in {"suspect", "spam"}
    assert {item.zone for item in reading.evidence} <= {"title", "meta"}


@pytest.mark.parametrize(("title", "description", "body"), HONEST)
def test_honest_heads_in_another_script(title: str, description: str, body: str) -> None:
    assert read(title, description, body).verdict == "clean"


def test_a_head_without_a_page_behind_it_is_judged_as_any_page() -> None:
    assert read("百家乐", "娱乐城", "<p>Soon</p>").spam_chance < 1
