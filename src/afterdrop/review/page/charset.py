"""Stage 1, parsing: bytes of an old page to text, by byte order mark, declaration and a guess by letter frequencies.

Pure. Order: codings undone, BOM, valid UTF-8 (which no other charset produces by accident), then the declared
charset unless the letters speak clearly for another and it makes no words, then the best guess. Labels follow the
WHATWG Encoding Standard (iso-8859-1 means windows-1252 and so on). How well letters fit a charset is their mean
log-likelihood over the bytes outside ASCII, in a text of any share of capitals; the tables are `data/letters.toml`:
letters of each language by falling frequency.
"""

from __future__ import annotations

import codecs
import math
import re
import tomllib
from collections import Counter
from functools import lru_cache
from importlib import resources

from afterdrop.http.content_codings import MOST_CODINGS, decode_body, sniff_coding
from afterdrop.review.page.language import function_words
from afterdrop.review.page.values import Decoded

_HIGH_RUN = re.compile(r"[^\x00-\x7f]+")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_NEUTRAL = frozenset("\xa0«»“”„‘’‚–—•…©®°№§·€™´`、。・「」，：；！？（）　％～【】『』〜々")
_DOUBLE = frozenset({"euc_jp", "cp932", "gb18030", "big5hkscs", "cp949"})
# Read where they are declared, never guessed.
_DECLARED = frozenset(f"iso8859-{part}" for part in (3, 4, 10, 13, 14, 15, 16))
_LATIN = frozenset({"cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859-2", "mac-roman"}) | _DECLARED
# Log-likelihoods of what no language's list names; chosen by what each kind of mistake looks like.
_IMPOSSIBLE, _FOREIGN, _PUNCTUATION, _HALFWIDTH = -12.0, -8.0, -4.0, -12.0
_HAN, _HANGUL, _KANA = -9.0, -8.5, -6.0
# How common each was, in favour of the usual one where a handful of letters fit several.
_PRIOR = {
    "cp1252": 4.0,
    "cp1251": 3.0,
    "cp1250": 2.0,
    "iso8859-2": 1.5,
    "mac-roman": -4.0,
    "mac-cyrillic": -6.0,
}
_CAPITAL = math.log(0.12)
# Log-odds of a text that is not mostly in small letters.
_SHOUTED = -3.0

Likelihoods = dict[str, float]
_WORD = re.compile(r"[^\W\d_]+")
# Words that a declaration must make, to be believed against the letters.
_WORDS_MADE = 2


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, tuple[str, ...]], dict[str, Likelihoods]]:
    table = tomllib.loads(
        resources.files("afterdrop.review").joinpath("data/letters.toml").read_text("utf-8")
    )
    by_codec = {entry["name"]: tuple(entry["languages"]) for entry in table["codec"]}
    return by_codec, {language: _likelihoods(letters) for language, letters in table["letters"].items()}


def _likelihoods(letters: str) -> Likelihoods:
    weights = {letter: 1 / (rank + 2) for rank, letter in enumerate(dict.fromkeys(letters))}
    total = sum(weights.values())
    logs = {letter: math.log(weight / total) for letter, weight in weights.items()}
    capitals = {
        letter.upper(): log + _CAPITAL
        for letter, log in logs.items()
        if len(letter.upper()) == 1 and letter.upper() not in logs
    }
    return logs | capitals


def best_codec(sample: bytes) -> tuple[str, float]:
    """The charset whose letters fit best, and its score (0 is best, -12 impossible)."""
    scored = [(score_codec(sample, codec), codec) for codec in _tables()[0] if codec not in _DECLARED]
    score, codec = max(scored, key=lambda item: item[0])
    return codec, score


def score_codec(sample: bytes, codec: str) -> float:
    """How well bytes fit one charset, by its best language; _IMPOSSIBLE for a codec without a table."""
    languages = _tables()[0].get(codec)
    if languages is None:
        return _IMPOSSIBLE
    counts, runs = _counted(sample, codec)
    total = sum(counts.values())
    if not total:
        return _IMPOSSIBLE
    width = 2 if codec in _DOUBLE else 1
    best = max(_mean(counts, total, _tables()[1][language]) for language in languages)
    return best / width + _shape(codec, total / runs) + _PRIOR.get(codec, 0.0) / (total * width)


def _counted(sample: bytes, codec: str) -> tuple[Counter[str], int]:
    """How often each letter outside ASCII stands in the text, and in how many runs."""
    if codec in _DOUBLE:
        found = _HIGH_RUN.findall(sample.decode(codec, "replace"))
        return Counter("".join(found)), len(found)
    by_byte, runs = _high_bytes(sample)
    counts: Counter[str] = Counter()
    for letter, count in zip(bytes(by_byte).decode(codec, "replace"), by_byte.values(), strict=True):
        counts[letter] += count
    return counts, runs


@lru_cache(maxsize=1)
def _high_bytes(sample: bytes) -> tuple[Counter[int], int]:
    """The same in bytes, which every codec of one byte a letter reads as one letter outside ASCII each."""
    found = _HIGH_BYTES.findall(sample)
    return Counter(b"".join(found)), len(found)


def _mean(counts: Counter[str], total: int, logs: Likelihoods) -> float:
    """The mean log-likelihood of letters, as of a text mostly in small ones or with as many capitals as it has."""
    said = capitals = 0.0
    small = large = 0
    for letter, count in counts.items():
        own = logs.get(letter)
        said += count * (_unlisted(letter) if own is None else own)
        lower = letter.lower()
        if own is not None and lower != letter and lower in logs:
            large += count
            capitals += count * (logs[lower] - own)
        elif own is not None and lower == letter != letter.upper():
            small += count
    if not large:
        return said / total
    share = large / (large + small)
    other = small * math.log1p(-share) if small else 0.0
    return max(said, said + capitals + large * math.log(share) + other + _SHOUTED) / total


@lru_cache(maxsize=8192)
def _unlisted(letter: str) -> float:
    code = ord(letter)
    if letter in _NEUTRAL:
        return _PUNCTUATION
    if letter == "�" or 0x80 <= code < 0xA0 or 0xE000 <= code < 0xF900:
        return _IMPOSSIBLE
    if 0xFF61 <= code <= 0xFF9F:
        return _HALFWIDTH
    if 0x3041 <= code <= 0x30FF:
        return _KANA
    if 0x4E00 <= code <= 0x9FFF:
        return _HAN
    return _HANGUL if 0xAC00 <= code <= 0xD7A3 else _FOREIGN


def _shape(codec: str, run: float) -> float:
    """Accented Latin letters stand alone between plain ones; other scripts come in whole words."""
    if codec in _LATIN:
        return -3.0 if run > 2.2 else 0.0
    return -2.0 if run < 1.6 else 0.0


MAX_BYTES = 1_500_000
# Beneath this lead (mean log-likelihood a byte) a declaration is believed against the letters; beneath the smaller one
# where so many letters could be of the same language in both.
_LEAD, _CLOSE_LEAD, _MANY = 1.0, 0.3, 60
_SAMPLE = 20_000
# Fewer letters of a codec that takes two bytes for each are sometimes valid UTF-8. The share of letters that the two
# parts of a page have in common.
_UTF8_LEAST, _SHARED = 5, 0.4
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*+=\s*+[\"']?+\s*+([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:+-]+)", re.IGNORECASE)
_HIGH = re.compile(rb"[\x80-\xff]")
_C1 = re.compile(rb"[\x80-\x9f]")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]|\x1b\(J")
_UTF8_PIECE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")

_SAME = {
    "cp1252": "iso-8859-1 latin1 latin-1 l1 iso8859-1 iso88591 us-ascii ascii windows-1252 cp1252 x-cp1252 iso_8859-1"
    " ansi",
    "cp1250": "windows-1250 cp1250 cp-1250 win-1250 win1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 cp-1251 win-1251 win1251 x-cp1251 windows1251",
    "cp1253": "windows-1253 cp1253 x-cp1253",
    "cp1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 iso_8859-9",
    "cp1255": "windows-1255 cp1255 x-cp1255 iso-8859-8 iso-8859-8-i iso8859-8 logical visual",
    "cp1256": "windows-1256 cp1256 x-cp1256",
    "cp1257": "windows-1257 cp1257 x-cp1257",
    "cp1258": "windows-1258 cp1258 x-cp1258",
    "cp874": "windows-874 cp874 tis-620 tis620 iso-8859-11 iso8859-11 dos-874",
    "iso8859-2": "iso-8859-2 iso8859-2 latin2 latin-2 iso_8859-2 l2",
    "iso8859-3": "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 latin3 latin-3 l3 csisolatin3",
    "iso8859-4": "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 latin4 latin-4 l4 csisolatin4",
    "iso8859-10": "iso-8859-10 iso8859-10 iso885910 iso_8859-10 iso_8859-10:1992 iso-ir-157 latin6 latin-6 l6"
    " csisolatin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913 iso_8859-13 latin7 latin-7 l7",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914 iso_8859-14 iso_8859-14:1998 iso-ir-199 latin8 latin-8 l8"
    " iso-celtic",
    "iso8859-15": "iso-8859-15 iso8859-15 iso885915 iso_8859-15 iso_8859-15:1998 latin9 latin-9 latin0 l9 csisolatin9",
    "iso8859-16": "iso-8859-16 iso8859-16 iso885916 iso_8859-16 iso_8859-16:2001 iso-ir-226 latin10 latin-10 l10",
    "iso8859-5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 iso8859-6 arabic",
    "iso8859-7": "iso-8859-7 iso8859-7 greek",
    "koi8-r": "koi8-r koi8r koi8 koi",
    "koi8-u": "koi8-u koi8u koi8-ru",
    "cp866": "ibm866 cp866 866",
    "mac-cyrillic": "x-mac-cyrillic mac-cyrillic",
    "mac-roman": "macintosh x-mac-roman mac mac-roman",
    "euc_jp": "euc-jp x-euc-jp eucjp euc_jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j cp932 ms932 shiftjis",
    "iso2022_jp_2": "iso-2022-jp csiso2022jp",
    "gb18030": "gb2312 gbk gb18030 x-gbk gb_2312-80 chinese hz-gb-2312 cp936 gb-2312",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5 big-5",
    "cp949": "euc-kr ks_c_5601-1987 ksc5601 ks_c_5601 euckr windows-949 cp949 korean iso-2022-kr x-windows-949",
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 utf_8",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2",
}
_CODECS = {label: codec for codec, labels in _SAME.items() for label in labels.split()}


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """The text of an HTML body of any size and any bytes; never raises.

    Reads at most MAX_BYTES of the (decompressed) body and says so in a note.
    """
    raw, notes = inflate(body)
    cut = bool(notes) or len(raw) > MAX_BYTES
    if len(raw) > MAX_BYTES:
        notes.append(f"only the first {MAX_BYTES} of {len(raw)} bytes were read")
        raw = raw[:MAX_BYTES]
    for mark, codec in _BOMS:
        if raw.startswith(mark):
            return Decoded(raw[len(mark) :].decode(codec, "replace"), codec, tuple(notes), len(body), cut)
    codec, note = _codec_of(raw, content_type)
    text = raw.decode(codec, "replace")
    if "\ufffd" in text or (codec != "utf-8" and not codec.startswith(("utf-16", "iso2022"))):
        mixed = _of_two_codecs(raw, content_type)
        text, codec, note = mixed if mixed is not None else (text, codec, note)
    if note:
        notes.append(note)
    return Decoded(text.replace("\x00", ""), codec, tuple(notes), len(body), cut)


def _of_two_codecs(raw: bytes, content_type: str | None) -> tuple[str, str, str] | None:
    """The text of a page whose template is UTF-8 and whose text is not, or the other way round; None for all others.

    Pieces between tags are of one codec each; the last one may be cut. With the text come the codec of most of it and
    a note.
    """
    pieces = raw.split(b"<")
    marked = [piece for piece in pieces if not piece.isascii()]
    foreign = {piece for piece in marked if piece is not pieces[-1] and _hardly_utf8(piece)}
    if not foreign or len(foreign) == len(marked):
        return None
    sample = b"\n".join(foreign)
    unicode = {piece for piece in marked if _is_utf8(piece)}
    codec = (
        _of_letters(sample, b"".join(unicode).decode())
        or _by_letters(sample, declared_codecs(raw, content_type))[0]
    )
    if codec in _DOUBLE:  # short pieces of it are sometimes valid UTF-8
        unicode = {piece for piece in unicode if len(_UTF8_PIECE.findall(piece)) >= _UTF8_LEAST}
    if not unicode:
        return None
    text = "<".join(
        piece.decode("utf-8" if piece in unicode or piece.isascii() else codec, "replace") for piece in pieces
    )
    most = "utf-8" if sum(map(len, unicode)) > sum(map(len, foreign)) else codec
    return text, most, f"the page is written in utf-8 and {codec}"


def _of_letters(sample: bytes, known: str) -> str | None:
    """The codec that reads most of a sample as letters of the rest of the page, None where they are others."""
    letters = frozenset(known)
    shares: dict[str, float] = {}
    for codec in (*_tables()[0], *_DOUBLE):
        read = [letter for letter in sample.decode(codec, "replace") if not letter.isascii()]
        shares[codec] = sum(letter in letters for letter in read) / len(read) if read else 0.0
    best = max(shares, key=lambda codec: shares[codec])
    return best if shares[best] >= _SHARED else None


def _hardly_utf8(piece: bytes) -> bool:
    """Whether fewer than half of the letters outside ASCII are UTF-8: more is UTF-8 that was cut or damaged."""
    return 2 * sum(map(len, _UTF8_PIECE.findall(piece))) < len(_HIGH.findall(piece))


def inflate(body: bytes) -> tuple[bytes, list[str]]:
    """Undo codings that no header told: as much as can be read, at most one byte over MAX_BYTES.

    Bytes from before damage are kept, and the damage is a note. Nothing is left of a body that cannot be read at all.
    """
    for _ in range(MOST_CODINGS):
        coding = sniff_coding(body)
        if coding is None:
            break
        undone = decode_body(body, (coding,), MAX_BYTES + 1)
        if undone.fault:
            return b"" if undone.body == body else undone.body, [undone.fault]
        body = undone.body
    return body, []


def declared_codecs(raw: bytes, content_type: str | None) -> list[str]:
    """Codecs named by the HTTP header, a meta element and an XML declaration, in order of trust.

    A header that says Latin-1 comes last: it was a server's default more often than an author's word.
    """
    head = raw[:4096]
    labels = _HEADER.findall(content_type or "")
    labels += [match.decode("ascii", "replace") for match in (*_META.findall(head), *_XML.findall(head))]
    found = dict.fromkeys(_CODECS[label.lower()] for label in labels if label.lower() in _CODECS)
    return sorted(found, key=lambda codec: codec in ("cp1252", "iso8859-15"))


def _codec_of(raw: bytes, content_type: str | None) -> tuple[str, str | None]:
    if raw[:400].count(0) * 3 > len(raw[:400]):
        little = sum(byte == 0 for byte in raw[1:400:2]) >= sum(byte == 0 for byte in raw[0:400:2])
        return ("utf-16-le" if little else "utf-16-be"), None
    if b"\x1b" in raw and _ISO_2022_JP.search(raw):
        return "iso2022_jp_2", None
    if _is_utf8(raw):  # of most pages it is, and counting bytes takes a hundred times as long
        return "utf-8", None
    high = len(_HIGH.findall(raw))
    whole = sum(map(len, _UTF8_PIECE.findall(raw)))
    if whole >= high - 3 and whole:  # a cut at the end may leave three bytes over
        return "utf-8", None
    if whole >= high * 0.9:
        return "utf-8", f"{high - whole} bytes are not valid UTF-8"
    return _by_letters(raw, declared_codecs(raw, content_type))


def _is_utf8(raw: bytes) -> bool:
    """Whether all of it is valid UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _by_letters(raw: bytes, declared: list[str]) -> tuple[str, str | None]:
    sample = high_lines(raw)
    declared = [
        codec for codec in declared if codec != "utf-8" and not codec.startswith(("utf-16", "iso2022"))
    ]
    if _C1.search(raw):  # what ISO's parts have there is no letter: the author meant a code page
        declared = [codec for codec in declared if codec not in _DECLARED]
    guess, score = best_codec(sample)
    words, _ = _read_as(sample, guess)
    for codec in declared:
        if codec == guess:
            return codec, None
        made, odd = _read_as(sample, codec)
        if max(made, words) >= _WORDS_MADE and made != words:
            believed = made > words
        else:
            believed = not odd and score_codec(sample, codec) >= score - _needed_lead(sample, codec, guess)
        if believed:
            return codec, None
    if declared:
        return guess, f"the page declares {declared[0]} but its letters are {guess}"
    return guess, None


def _needed_lead(sample: bytes, codec: str, guess: str) -> float:
    languages = _tables()[0]
    shared = set(languages.get(codec, ())).intersection(languages[guess])
    return _CLOSE_LEAD if shared and len(_HIGH.findall(sample)) >= _MANY else _LEAD


def _read_as(sample: bytes, codec: str) -> tuple[int, bool]:
    """How many small words of one of the codec's languages, with letters outside ASCII, a text has in it; 0 where it is
    not valid. And whether its words look like `eXAMPLE`, as where two codecs have each other's capitals.
    """
    if codec in _DOUBLE:
        return 0, False
    text = sample.decode(codec, "replace")
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    odd = sum(word[1:] != word[1:].lower() and word != word.upper() for word in words)
    known, lowered = function_words().words, set(map(str.lower, words))
    made = [len(lowered.intersection(known.get(language, ()))) for language in _tables()[0].get(codec, ())]
    return 0 if "\ufffd" in text else max(made, default=0), odd * 4 > len(words)


def high_lines(raw: bytes) -> bytes:
    """The lines with bytes over 0x7f, at most 20,000 bytes: all that a guess needs to look at."""
    kept: list[bytes] = []
    size = 0
    for line in raw.splitlines():
        if _HIGH.search(line):
            first = line[: _SAMPLE - size]
            kept.append(first)
            size += len(first)
            if size >= _SAMPLE:
                break
    return b"\n".join(kept)


_BINARY = (
    (b"%PDF", "a PDF"), (b"\x89PNG", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"), (b"RIFF", "a media file"), (b"\x00\x00\x01\x00", "an icon"),
    (b"\x7fELF", "a program"), (b"MZ", "a program"), (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"CWS", "a Flash film"), (b"FWS", "a Flash film"), (b"Rar!", "a rar archive"), (b"ID3", "a sound file"),
)  # fmt: skip


_CONTROL = re.compile(r"[^ -\ufffc\ufffe-\U0010ffff\t\n\r\f\x1b]")


def no_page(body: bytes, decoded: Decoded) -> str | None:
    """Why a body holds no page at all, None where it holds one."""
    if binary := binary_kind(body, decoded.text):
        return f"the body is {binary}, not a page"
    return EMPTY if not decoded.text or decoded.text.isspace() else None


EMPTY = "the body is empty"


def binary_kind(body: bytes, text: str) -> str | None:
    """The kind of a body that is no text: a known file format, or bytes full of control characters."""
    for magic, name in _BINARY:
        if body.startswith(magic):
            return name
    head = text[:4000]
    return "binary" if len(_CONTROL.findall(head)) * 8 > len(head) else None
