"""Pages whose template is written in one encoding and whose text in another."""

from __future__ import annotations

import pytest

from afterdrop.review.page.reader import read_page

TEXTS = [
    ("cp1251", "Гребной клуб «Заря»", "Клуб встречается каждую субботу утром у лодочного сарая."),
    ("cp1252", "Ruderclub Müritz – Über uns", "Die Boote liegen für alle bereit, Gäste sind schön früh da."),
    ("iso8859-2", "Klub Wioślarski Świteź", "Nasz klub wioślarski spotyka się w każdą sobotę, zapraszamy"
     " wszystkich: weźcie wiosła."),
    ("cp1253", "Ναυτικός Όμιλος", "Ο όμιλος συναντιέται κάθε Σάββατο πρωί στο λεμβαρχείο του, ναυτικός και νέος."),
    ("shift_jis", "漕艇部の歴史", "毎週土曜日の朝に艇庫に集まります。漕艇部の歴史です。"),
    ("gbk", "划船俱乐部历史", "我们的俱乐部每个星期六早上在船库聚会。"),
    ("euc-kr", "조정 클럽의 역사", "우리 조정 클럽은 매주 토요일 아침에 모입니다. 클럽의 역사입니다."),
]  # fmt: skip


@pytest.mark.parametrize(("codec", "title", "text"), TEXTS, ids=[one[0] for one in TEXTS])
@pytest.mark.parametrize("first", [True, False], ids=["title in it", "text in it"])
def test_title_and_text_of_two_encodings(codec: str, title: str, text: str, first: bool) -> None:
    head, body = (codec, "utf-8") if first else ("utf-8", codec)
    page = f"<title>{title}</title><p>".encode(head) + (f"{text} " * 20).encode(body) + b"</p></body>"
    found = read_page(page, url="")
    assert (found.title, found.text[: len(text)]) == (title, text)


def test_a_letter_that_was_cut_makes_no_second_encoding() -> None:
    page = "<title>Гребной клуб".encode()[:-1] + b"</title><p>" + (TEXTS[0][2] * 9).encode() + b"</p>"
    found = read_page(page, url="")
    assert (found.charset, found.title) == ("utf-8", "Гребной клу\ufffd")
