"""Old pages' bytes become the text their authors wrote."""

from __future__ import annotations

import gzip
import hashlib
import time

import pytest

from afterdrop.review.page.charset import MAX_BYTES, declared_codecs, decode, high_lines, inflate
from afterdrop.review.page.reader import read_page
from tests.support.speed import slowness

RU = "Добро пожаловать на сайт нашей школы. Здесь вы найдете расписание уроков и новости."
JA = "私たちの学校へようこそ。ここでは時間割やお知らせを見ることができます。"
PL = "Zapraszamy na stronę szkoły. Źródła wiedzy, ćwiczenia i żółte kartki dla uczniów są już dostępne."
EL = "Καλώς ήρθατε στην ιστοσελίδα του σχολείου μας. Εδώ θα βρείτε το πρόγραμμα."
TH = "ยินดีต้อนรับสู่เว็บไซต์ของโรงเรียนของเรา ที่นี่คุณจะพบตารางเรียน"
TR = "Okulumuzun sayfasına hoş geldiniz. Öğrencilerimiz için ders programı ve şiirler burada, ayrıca çığlık."
KO = "우리 학교 홈페이지에 오신 것을 환영합니다. 여기에서 시간표를 볼 수 있습니다."
ZH = "欢迎来到我们学校的网站。在这里你可以看到我们的新闻和公司的产品。"
AR = "مرحبا بكم في موقع مدرستنا. هنا تجدون جدول الدروس والأخبار."


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (RU, "cp1251"), (RU, "koi8-r"), (RU, "cp866"), (JA, "euc_jp"), (JA, "cp932"), (JA, "iso2022_jp"),
        (PL, "cp1250"), (PL, "iso8859-2"), (EL, "cp1253"), (TH, "cp874"), (TR, "cp1254"), (KO, "cp949"),
        (ZH, "gb18030"), (AR, "cp1256"), (RU, "utf-8"), (JA, "utf-8"),
        ("Schöne Grüße aus der Küche", "cp1252"),
    ],
)  # fmt: skip
def test_pages_without_a_declaration(text: str, codec: str) -> None:
    assert decode(b"<p>" + text.encode(codec)).text == f"<p>{text}"


@pytest.mark.parametrize(
    ("codec", "language", "text"),
    [
        (
            "big5",
            "zh",
            "歡迎光臨我們的餐廳，本店提供各式海鮮料理與中式點心，營業時間為上午十一點至晚上九點。",
        ),
        (
            "gb18030",
            "zh",
            "欢迎光临我们的餐厅，本店提供各式海鲜料理与中式点心，营业时间为上午十一点至晚上九点。",
        ),
        ("shift_jis", "ja", "当店は昭和三十年創業の和菓子屋です。季節のお菓子をお楽しみください。"),
        ("euc_kr", "ko", "우리 학교 홈페이지에 오신 것을 환영합니다. 시간표와 소식을 확인하세요."),
        ("cp1255", "he", "ברוכים הבאים לאתר בית הספר שלנו. כאן תמצאו את לוח השיעורים ואת החדשות."),
        ("iso8859-6", "ar", AR),
        ("cp1256", "ar", AR),
        (
            "cp1257",
            "lt",
            "Sveiki atvykę į mūsų mokyklos svetainę. Čia rasite tvarkaraštį ir mūsų žmonių sąrašą.",
        ),
        (
            "iso8859-2",
            "hu",
            "Üdvözöljük az iskolánk honlapján. Itt megtalálja az órarendet és a legfrissebb híreket.",
        ),
        ("cp1251", "bg", "Добре дошли в сайта на нашето училище. Тук ще намерите програмата за учениците."),
        (
            "koi8-u",
            "uk",
            "Ласкаво просимо на сайт нашої школи. Тут ви знайдете розклад уроків і новини міста.",
        ),
        (
            "iso8859-9",
            "tr",
            "Okulumuzun sitesine hoş geldiniz. Burada ders programını ve haberleri bulabilirsiniz.",
        ),
        (
            "iso8859-7",
            "el",
            "Καλώς ήρθατε στην ιστοσελίδα του σχολείου μας. Εδώ θα βρείτε το πρόγραμμα και τα νέα.",
        ),
        (
            "mac_roman",
            "de",
            "Schöne Grüße aus der Küche: unsere Öffnungszeiten, natürlich auch für große Gruppen",
        ),
    ],
)
def test_whole_pages_without_a_declaration(codec: str, language: str, text: str) -> None:
    reading = read_page(f"<title>{text[:20]}</title><p>{text}".encode(codec), url="")
    assert (reading.language, reading.title) == (language, text[:20].strip())
    assert text.split()[0] in reading.text


def test_a_byte_order_mark_decides() -> None:
    assert decode(RU.encode("utf-16")).text == RU
    assert decode(b"\xef\xbb\xbf" + RU.encode()).charset == "utf-8"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_two_byte_text_without_a_mark(codec: str) -> None:
    assert decode("<html>plain text</html>".encode(codec)).text == "<html>plain text</html>"


def test_a_declaration_is_believed_where_letters_allow_it() -> None:
    page = b'<meta charset="iso-8859-2"><p>' + "łąka".encode("iso8859-2")
    assert decode(page).text.endswith("łąka")
    assert decode("łąka".encode("iso8859-2"), "text/html; charset=ISO-8859-2").text == "łąka"


def test_letters_overrule_a_wrong_declaration() -> None:
    wrong = decode(RU.encode("koi8-r"), "text/html; charset=windows-1251")
    assert wrong.text == RU
    assert wrong.notes == ("the page declares cp1251 but its letters are koi8-r",)


def test_a_server_default_of_latin_1_yields_to_the_page() -> None:
    head = b"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>"
    assert declared_codecs(head, "text/html; charset=iso-8859-1") == ["cp1251", "cp1252"]
    assert declared_codecs(b'<?xml version="1.0" encoding="EUC-JP"?>', None) == ["euc_jp"]
    assert declared_codecs(b"", "text/html; charset=klingon") == []


def test_few_broken_bytes_do_not_undo_utf_8() -> None:
    page = (RU * 20).encode()
    assert decode(page[:-1]).charset == "utf-8"
    broken = decode(page + b"\xff\xfe\xfa\xfb\xfc")
    assert broken.charset == "utf-8"
    assert broken.notes == ("5 bytes are not valid UTF-8",)


def test_gzip_is_undone_and_bounded() -> None:
    page = RU.encode() * 3
    assert decode(gzip.compress(page)).text == page.decode()
    cut = decode(gzip.compress(bytes(range(256)) * 50 + page)[:-40])
    assert "cut off" in cut.notes[0]
    assert decode(b"\x1f\x8bnot gzip at all").notes[0] == "nothing of the gzip body can be read"
    bomb, notes = inflate(gzip.compress(b"a" * (MAX_BYTES * 4)))
    assert len(bomb) == MAX_BYTES + 1
    assert notes == []
    assert "only the first" in decode(b"a" * (MAX_BYTES + 5)).notes[0]


def test_what_came_out_of_damaged_gzip_is_kept() -> None:
    lines = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(400)]
    page = "\n".join(lines).encode()
    whole = gzip.compress(page)
    for broken in (
        whole[: len(whole) // 2] + b"\xff" * 40 + whole[len(whole) // 2 + 40 :],
        whole[:-8] + bytes(4) + whole[-4:],
    ):
        raw, (note,) = inflate(broken)
        assert len(raw) > len(page) * 0.4
        assert page.startswith(raw[: len(page) // 3])
        assert note == "the gzip body is damaged or cut off: read as far as it goes"


def test_all_members_of_a_gzip_body_are_read() -> None:
    parts = [gzip.compress(part) for part in (b"first ", b"second ", b"third")]
    assert inflate(b"".join(parts)) == (b"first second third", [])
    assert inflate(b"".join(parts) + b"\0\0padding") == (b"first second third", [])
    raw, (note,) = inflate(b"".join(parts)[:-9])
    assert raw.startswith(b"first second ")
    assert "cut off" in note
    most, notes = inflate(gzip.compress(b"a" * MAX_BYTES) * 3)
    assert (len(most), notes) == (MAX_BYTES + 1, [])
    assert inflate(gzip.compress(b"") * 5_000) == (b"", [])


def test_the_sample_is_the_lines_with_letters_to_judge() -> None:
    assert high_lines(b"plain\n\xe4\xf6\nplain") == b"\xe4\xf6"
    assert len(high_lines(b"\xe4" * 50_000 + b"\n\xe4")) == 20_000


def test_declarations_of_blanks_take_no_time() -> None:
    start = time.process_time()
    assert declared_codecs(b"<meta " * 50 + b"charset=" + b" " * 3_700 + b"!", None) == []
    assert declared_codecs(b"text", "text/html; charset=" + " " * 40_000 + "!") == []
    assert time.process_time() - start < slowness()


CAPITALS = {
    "ru": "НАШ ГРЕБНОЙ КЛУБ СОБИРАЕТСЯ КАЖДУЮ СУББОТУ УТРОМ У ЛОДОЧНОЙ СТАНЦИИ. НОВЫЕ ЧЛЕНЫ ПРИВЕТСТВУЮТСЯ.",
    "uk": "НАШ ВЕСЛУВАЛЬНИЙ КЛУБ ЗБИРАЄТЬСЯ ЩОСУБОТИ ВРАНЦІ БІЛЯ ЧОВНОВОЇ СТАНЦІЇ. НОВІ ЧЛЕНИ ЗАПРОШУЮТЬСЯ.",
    "bg": "НАШИЯТ ГРЕБЕН КЛУБ СЕ СЪБИРА ВСЯКА СЪБОТА СУТРИН ПРИ ЛОДКИТЕ. НОВИТЕ ЧЛЕНОВЕ СА ДОБРЕ ДОШЛИ.",
    "el": "Ο ΟΜΙΛΟΣ ΚΩΠΗΛΑΣΙΑΣ ΣΥΝΑΝΤΑΤΑΙ ΚΑΘΕ ΣΑΒΒΑΤΟ ΠΡΩΙ ΣΤΟ ΛΕΜΒΑΡΧΕΙΟ. ΤΑ ΝΕΑ ΜΕΛΗ ΕΙΝΑΙ ΕΥΠΡΟΣΔΕΚΤΑ.",
    "cs": "NÁŠ VESLAŘSKÝ KLUB SE SCHÁZÍ KAŽDOU SOBOTU RÁNO U LODĚNICE. NOVÍ ČLENOVÉ JSOU VÍTÁNI PO ŠKOLENÍ.",
}
WRITTEN = [
    ("ru", "windows-1251"), ("ru", "koi8-r"), ("ru", "iso-8859-5"), ("ru", "ibm866"), ("uk", "windows-1251"),
    ("uk", "koi8-u"), ("bg", "windows-1251"), ("bg", "iso-8859-5"), ("el", "windows-1253"), ("el", "iso-8859-7"),
    ("cs", "windows-1250"), ("cs", "iso-8859-2"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "label"), WRITTEN)
@pytest.mark.parametrize("small", [0.0, 0.3, 0.7, 1.0])
def test_a_text_of_any_share_of_capitals_is_read(code: str, label: str, small: float) -> None:
    whole = CAPITALS[code]
    cut = int(len(whole) * small)
    text = (whole[:cut].lower() + whole[cut:]).replace("ς", "σ")
    body = f"<p>{text}".encode(label)
    assert decode(body, f"text/html; charset={label}").text == f"<p>{text}"
    assert decode(body).text == f"<p>{text}"


def test_a_declaration_that_makes_words_is_believed_and_one_that_turns_capitals_round_is_not() -> None:
    usual = CAPITALS["ru"].capitalize().encode("koi8-r")
    assert decode(usual, "text/html; charset=windows-1251").text == CAPITALS["ru"].capitalize()
    small = CAPITALS["ru"].lower().encode("koi8-r")
    assert decode(small, "text/html; charset=windows-1251").text == CAPITALS["ru"].lower()
    few = "ЛОДКА".encode("cp1251")  # too few letters to overrule anybody
    assert decode(few, "text/html; charset=windows-1251").text == "ЛОДКА"


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("iso_8859-15", "Au cœur du Périgord, l'œuvre de nos sœurs coûte 5 €"),
        ("l9", "Šárka Žižková, une œuvre déjà vue à Genève: 10 €"),
        ("ISO-8859-3", "Il-għaqda tal-qdif tiltaqa' kull nhar ta' Sibt fiċ-ċentru"),
        ("iso-8859-4", "Rīgas airēšanas klubs, mūsu vēsture, pirmā sacīkste"),
        ("iso-8859-10", "Þetta félag hittist á laugardögum, ēdu ģimeni"),
        ("iso-8859-13", "Irklavimo klubas renkasi kiekvieną šeštadienį, žiemą"),
        ("iso-8859-14", "Croeso i'r tŷ cwch, dŵr a thân, ŵyn"),
        ("iso-8859-16", "Clubul de canotaj se întâlnește în fiecare sâmbătă și duminică, ținut"),
    ],
)
def test_each_part_of_iso_8859_is_an_encoding_of_its_own(label: str, text: str) -> None:
    assert decode(text.encode(label), f"text/html; charset={label}").text == text


def test_more_codings_than_anybody_needs_are_left() -> None:
    body = b"<p>" + b"a" * 200
    for _ in range(5):
        body = gzip.compress(body)
    left, notes = inflate(body)
    assert (gzip.decompress(left), notes) == (b"<p>" + b"a" * 200, [])


def test_a_code_page_under_the_name_of_an_iso_part_is_read_as_what_it_is() -> None:
    text = "“Schöne Grüße” – für Gäste"
    assert decode(text.encode("cp1252"), "text/html; charset=iso-8859-15").text == text
