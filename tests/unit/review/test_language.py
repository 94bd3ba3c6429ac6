"""The language of texts, short and long, and what decides without any model."""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterdrop.review.page import language
from afterdrop.review.page.byte_ngrams import ByteNgrams
from afterdrop.review.page.language import NOTHING, detect_language, ngram_scores, small_words
from afterdrop.review.page.markup import parse
from afterdrop.review.page.reader import page_language
from afterdrop.review.page.text import main_script, script_counts, script_language, script_of
from afterdrop.review.page.values import Spoken

SENTENCES = {
    "en": "The library is open on weekdays and closed in August.",
    "de": "Die Bibliothek ist werktags geöffnet und im August geschlossen.",
    "fr": "La bibliothèque est ouverte en semaine et fermée au mois d'août.",
    "es": "La biblioteca está abierta entre semana y cerrada en agosto.",
    "it": "La biblioteca è aperta nei giorni feriali e chiusa in agosto.",
    "nl": "De bibliotheek is op werkdagen geopend en in augustus gesloten.",
    "pt": "A biblioteca está aberta durante a semana e fechada em agosto.",
    "tr": "Kütüphane hafta içi açık, ağustos ayında kapalıdır.",
    "ru": "Библиотека открыта по будням и закрыта в августе.",
    "sv": "Biblioteket är öppet på vardagar och stängt i augusti.",
    "ja": "図書館は平日に開いていて、八月は休みです。",
    "zh": "图书馆平日开放，八月关闭。",
    "ko": "도서관은 평일에 열고 팔월에는 닫습니다.",
    "el": "Η βιβλιοθήκη είναι ανοιχτή τις καθημερινές.",
    "uk": "Бібліотека відкрита у будні та зачинена в серпні.",
    "pl": "Biblioteka jest otwarta w dni powszednie i zamknięta w sierpniu.",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence(code: str) -> None:
    assert detect_language(SENTENCES[code]).language == code


@pytest.mark.parametrize("text", ["", "   ", "12345 678", "https://example.com/a", "a@b.com", "ok"])
def test_nothing_to_tell_by(text: str) -> None:
    assert detect_language(text) == NOTHING


def test_shouting_is_read_like_speech() -> None:
    assert detect_language(SENTENCES["de"].upper()).language == "de"


def test_long_texts_are_sampled_at_three_places() -> None:
    long = detect_language(" ".join([SENTENCES["sv"]] * 60))
    assert long == Spoken("sv", 3, long.letters)
    assert long.sure


def test_sure_needs_agreement_and_length() -> None:
    assert not Spoken("de", 3, 100).sure
    assert not Spoken("de", 1, 500).sure
    assert not Spoken(None, 3, 500).sure
    assert detect_language(SENTENCES["ja"] * 10).sure


def test_null_where_all_three_disagree_on_names() -> None:
    assert detect_language("Apartamenty Syrena - Apartamenty").language is None


def test_rarer_languages_need_agreement() -> None:
    icelandic = (
        "Bókasafnið er opið á virkum dögum og lokað í ágúst. Þar má finna bækur, tímarit og gömul blöð."
    )
    assert detect_language(icelandic).language == "is"


def test_nothing_touches_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a lookup was tried")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    language._models.cache_clear()
    assert detect_language(SENTENCES["it"]).language == "it"


def test_letters_outside_an_alphabet_exclude_its_language(monkeypatch: pytest.MonkeyPatch) -> None:
    assert language._foreign_letters("объект") >= {"uk", "sr", "mk"}
    assert language._foreign_letters("plain") == frozenset()
    nobody: dict[str, float] = {}
    for name in ("_ngrams", "_fasttext", "_langid"):
        monkeypatch.setattr(language, name, lambda _parts: nobody)
    assert detect_language("plain words here") == NOTHING


def test_a_rarer_language_is_believed_by_three_or_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    assert language._rarer(["is", "is", "is"], 10) == "is"
    assert language._rarer(["is", "is", "no"], 10) is None
    assert language._rarer(["is", "is", "no"], 300) == "is"
    assert language._rarer(["no", None, "no"], 300) is None


def test_small_words_letters_and_clues() -> None:
    scores = small_words("und der Straße")
    assert max(scores, key=lambda code: scores[code]) == "de"
    assert small_words("enhed og øjne")["da"] > small_words("enhet og øyne").get("da", 0.0)
    assert small_words("und " * 200)["de"] == 4.0


def test_merging_adds_probabilities_and_takes_the_best_score() -> None:
    assert language._merge([("nb", 0.2), ("nn", 0.3)], add=True) == {"no": 0.5}
    assert language._merge([("nb", 0.2), ("nn", 0.3)], add=False) == {"no": 0.3}


def test_ngrams() -> None:
    scores = ngram_scores(SENTENCES["de"])
    assert max(scores, key=lambda code: scores[code]) == "de"
    assert ngram_scores("…") == {}
    assert ngram_scores("a" * 2000) == ngram_scores("a" * 3000)


def test_scripts() -> None:
    assert script_of("я") == "Cyrillic"
    assert script_of("1") is None
    assert script_counts("aя1あ漢") == {"Latin": 1, "Cyrillic": 1, "Kana": 1, "Han": 1}
    assert main_script("日本 abc") == "Han"
    assert main_script("123") is None
    assert script_language("漢字ばかりではない") == "ja"
    assert script_language("图书馆") == "zh"
    assert script_language("abc я") is None
    assert script_counts("ⴰ") == {}


@pytest.mark.parametrize(("kind", "want"), [("flores_fragment_20_60", 0.97), ("flores_500", 0.995)])
def test_labelled_texts(real: Path, kind: str, want: float) -> None:
    rows = [
        json.loads(line)
        for name in ("titles_lang", "pages_lang")
        for line in (real / f"history/{name}.jsonl").read_text().splitlines()
    ]
    own = [row for row in rows if row["kind"] == kind]
    right = sum(detect_language(row["text"]).language == row["lang"] for row in own)
    assert right / len(own) >= want


ENGLISH = (
    "The committee met on Thursday evening and agreed to repair the roof of the village hall before winter. "
)
GERMAN = "Der Ausschuss tagte am Donnerstag und beschloss, das Dach des Gemeindehauses vor dem Winter zu reparieren. "
POLISH = "Komitet spotkał się w czwartek wieczorem i postanowił naprawić dach świetlicy jeszcze przed zimą. "


@pytest.mark.parametrize(
    ("declared", "main", "beside", "spoken"),
    [
        ("en", GERMAN * 6, ENGLISH * 20, "en"),
        ("en", GERMAN * 6, GERMAN * 20, "de"),
        ("de", GERMAN * 6, ENGLISH * 20, "de"),
        ("en", ENGLISH * 3, POLISH * 20, "pl"),
        ("", GERMAN * 6, ENGLISH * 2, "de"),
    ],
)
def test_a_page_is_heard_whole_where_its_paragraphs_are_at_odds(
    declared: str, main: str, beside: str, spoken: str
) -> None:
    parts = parse(f'<html lang="{declared}"><p>{main}</p><div>{beside}</div>')
    assert page_language(parts).language == spoken


def test_short_pages_are_heard_with_their_title() -> None:
    assert page_language(parse("<title>Willkommen im Gemeindehaus</title>Öffnungszeiten")).language == "de"
    assert page_language(parse(f"<div>{GERMAN * 5}")).language == "de"


def test_byte_ngrams_score_as_their_package_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = language._models()[1]
    texts = ["", "a", "ab", "\x00", "\ud800", "LOUD", *SENTENCES.values(), " ".join(SENTENCES.values()) * 3]
    scored = [ours.rank(text) for text in texts]
    monkeypatch.delattr(ByteNgrams, "_raw_score")
    assert scored == [ours.rank(text) for text in texts]


@given(st.text("ab@./:htpw1_ \n", max_size=200))
def test_addresses_are_left_out_word_by_word_as_from_the_whole_text(text: str) -> None:
    assert language._cleaned(text) == " ".join(language._NOISE.sub(" ", text).split())


@given(st.text())
def test_letters_and_scripts_are_counted_as_one_by_one(text: str) -> None:
    letters = [sign for sign in text if re.match(r"[^\W\d_]", sign)]
    names = Counter(filter(None, map(script_of, letters)))
    assert script_counts(text) == names
    signs = language._SIGNS(text)
    assert [bool(sign & language._LETTER) for sign in signs] == list(map(str.isalpha, text))
    assert [bool(sign & language._CAPITAL) for sign in signs] == list(map(str.isupper, text))


OTHERS = {
    "ckb": "یانەی ئێمە هەموو بەیانییەکی شەممە لە ماڵی بەلەمەکان کۆدەبێتەوە. بەخێرهاتنی ئەندامانی نوێ دەکەین.",
    "ps": "زموږ کلب هره شنبه سهار د کښتیو په کور کې راټولیږي. نوي غړي د خوندیتوب له لارښوونې وروسته ښه راغلاست دي.",
    "yi": "אונדזער קלוב קומט זיך צוזאַמען יעדן שבת אינדערפרי. נײַע מיטגלידער זענען באַגריסט און דער קלוב איז אָפֿן.",
    "br": "Hor c'hlub roeñvat en em vod bep sadorn vintin e ti ar bagoù. Degemer mat a vez graet d'an izili nevez.",
    "eo": "Nia remklubo renkontiĝas ĉiun sabatan matenon ĉe la boatejo. Novaj membroj estas bonvenaj.",
    "uz": "Bizning eshkak eshish klubimiz har shanba kuni ertalab qayiqxonada yig'iladi. Yangi a'zolar qabul qilinadi.",
    "tg": "Клуби мо ҳар субҳи шанбе дар хонаи қаиқҳо ҷамъ мешавад. Аъзоёни нав пас аз дастури бехатарӣ хуш омадед.",
    "la": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.",
    "as": "আমাৰ ক্লাবে প্ৰতি শনিবাৰে পুৱা নাও ঘৰত লগ হয়।",
    "ti": "ክለብና ኩሉ ቀዳም ንግሆ ኣብ ገዛ ጀልባ ይእከብ። ኣባላት ኣብዚ ኣለዉ።",
    "ht": "Klib kannòt nou an reyini chak samdi maten nan kay bato a. Nouvo manm yo byenvini apre enstriksyon.",
}


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_outside_the_set_is_none(code: str) -> None:
    assert detect_language(OTHERS[code]).language is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("cy", "Mae ein clwb rhwyfo yn cwrdd bob bore Sadwrn wrth y tŷ cwch. Mae croeso i aelodau newydd."),
        ("cy", "Croeso i wefan y clwb rhwyfo"),
        (
            "zu",
            "Iqembu lethu lokugwedla lihlangana njalo ngoMgqibelo ekuseni ngoba lapho amanzi ezolile, futhi abantu",
        ),
        (
            "xh",
            "Iqela lethu lokubheqa lidibana rhoqo ngoMgqibelo kusasa kwaye amalungu amatsha amkelekile apho.",
        ),
        ("ga", "Buaileann ár gclub rámhaíochta le chéile gach maidin Shathairn ag teach na mbád."),
        ("he", "מועדון החתירה שלנו נפגש בכל שבת בבוקר בבית הסירות. חברים חדשים מוזמנים."),
        ("fa", "باشگاه ما هر شنبه صبح در خانه قایق جمع می شود. اعضای جدید پس از توضیحات ایمنی خوش آمدید."),
        ("bn", "আমাদের ক্লাব প্রতি শনিবার সকালে নৌকা ঘরে মিলিত হয়।"),
    ],
)
def test_neighbours_of_those_keep_their_name(code: str, text: str) -> None:
    assert detect_language(text).language == code
