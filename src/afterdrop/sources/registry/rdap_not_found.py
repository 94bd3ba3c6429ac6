"""The meaning of the words of an RDAP "not found": nothing more, a premium price, or something else. Pure.

A registry answers 404 for a free name (RFC 7480 section 5.3), and also for names that nobody can register. It tells
them apart in words only: title and description of the error (RFC 9083 section 6), notices and remarks (section 4.3).
So the rule is the other way round: only an answer whose every word is known to mean "not found" is one. Registries
answer in their own language; the words are compared without case, accents and punctuation. The name asked for is taken
out before: whoever asks chooses its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

import idna

from afterdrop.core.json_values import Json
from afterdrop.sources.registry.rdap_fields import plain_text

# What registries write for "not found", by language.
_NOT_FOUND: Mapping[str, str] = {
    "en": "not found; notfound; not find; can not found; can not find; ca not found; ca not find; could not found;"
    " could not find; could not locate; can not locate; unable to find; unable to locate; nothing found;"
    " no found; none found;"
    " not exist; not exists; nonexistent; non existent; no such; no match; no matches; no matching; nothing"
    " matched; not match; not matched; not registered; unregistered; no data found; no data available; no"
    " data; no entries found; no entries; no entry found; no entry; no records found; no records; no record"
    " found; no record; no results found; no results; no result; no information available; no information"
    " found; no information; not have information; information not found; not found anything matching; not"
    " find anything matching; record not found; entry not found; data not found; no registration found; check"
    " spelling; available for registration; available to register; available; free",
    "de": "nicht gefunden; konnte nicht gefunden; kann nicht gefunden; konnte nicht finden;"
    " nichts gefunden; nicht finden; nicht registriert; unregistriert; existiert nicht; nicht"
    " existent; nicht vorhanden; nicht vergeben; kein eintrag; keine eintrage; kein eintrag gefunden; keine"
    " eintrage gefunden; keine daten; keine daten gefunden; keine informationen; keine ergebnisse; kein"
    " treffer; keine treffer; nicht auffindbar; verfugbar; frei",
    "fr": "non trouve; impossible trouver; pas pu etre trouve; pas pu trouver;"
    " non trouvee; pas trouve; pas trouvee; introuvable; existe pas; inexistant; inexistante;"
    " aucun resultat; aucun resultat trouve; aucune donnee; aucune donnee trouvee; aucune correspondance;"
    " aucune information; aucun enregistrement; aucun trouve; non enregistre; non enregistree; pas enregistre;"
    " base donnees; disponible; libre",
    "es": "no encontrado; no pudo encontrado; no pudo encontrar; no puede encontrado;"
    " no encontrada; no encontro; no encontraron; no encontrar; no encuentra; no existe;"
    " inexistente; no registrado; no registrada; base datos; sin resultados; ningun resultado; no hay"
    " resultados; no encontraron resultados; no encontraron datos; no hay datos; sin datos; disponible; libre",
    "pt": "nao encontrado; nao pode encontrado; nao pode encontrada;"
    " nao encontrada; nao encontrar; nao encontramos; nao localizado; nao existe; inexistente;"
    " nao registrado; nao registado; sem resultados; nenhum resultado; nenhum resultado encontrado; nenhum"
    " registro encontrado; nenhum encontrado; nao possivel encontrar; base dados; disponivel; livre",
    "it": "non trovato; non possibile trovare;"
    " non trovata; impossibile trovare; non esiste; inesistente; non registrato; nessun"
    " risultato; nessun risultato trovato; nessun dato; nessun dato trovato; nessuna corrispondenza; banca"
    " dati; base dati; disponibile; libero",
    "nl": "niet gevonden; kon niet gevonden; kan niet gevonden; kon niet vinden;"
    " niet vinden; bestaat niet; niet bestaat; niet geregistreerd; geen resultaten; geen"
    " resultaten gevonden; geen gegevens; geen gegevens gevonden; geen informatie; geen gevonden; beschikbaar;"
    " vrij",
    "pl": "nie znaleziono; nie znaleziona; nie znaleziony; nie znalezione; nie zostala znaleziona; nie zostal"
    " znaleziony; nie zostalo znalezione; nie istnieje; nie zarejestrowana; niezarejestrowana;"
    " niezarejestrowany; nie jest zarejestrowana; brak danych; bazie danych; brak wynikow; brak informacji;"
    " brak rekordow; dostepna; dostepny; wolna",
    "cs": "nenalezen; nenalezena; nenalezeno; nebyl nalezen; nebyla nalezena; nebylo nalezeno; neexistuje;"
    " neregistrovana; neregistrovan; neni registrovana; neni registrovano; zadny zaznam; zadne zaznamy; zadna"
    " data; zaznam nenalezen; dostupna; volna",
    "sk": "nenajdena; nenajdeny; nenajdene; nebol najdeny; nebola najdena; nebolo najdene; nie je registrovana;"
    " ziadne data",
    "sv": "hittades inte; kunde inte hittas; hittades ej; inte hittas; hittas inte; finns inte; finns ej;"
    " ej registrerad; inte registrerad; inga traffar; inga resultat; ledig; ledigt",
    "da": "ikke fundet; kunne ikke findes; findes ikke; eksisterer ikke; ikke registreret; ingen resultater",
    "no": "ikke funnet; finnes ikke; eksisterer ikke; ikke registrert; ingen treff",
    "fi": "ei loytynyt; ei loydy; ei olemassa; ei rekisteroity; vapaa",
    "et": "ei leitud; ei leidu; ei eksisteeri",
    "hu": "nem talalhato; nem letezik; nincs talalat; szabad",
    "ro": "nu gasit; nu exista; negasit; inexistent",
    "sl": "ni najden; ni najdena; ni najdeno; ne obstaja; ni registrirana",
    "hr": "nije pronaden; nije pronadena; nije pronadeno; ne postoji; nije registrirana",
    "tr": "bulunamadi; kayitli degil",
    "ru": "не найден; не найдена; не найдено; не существует; не зарегистрирован; не зарегистрировано; нет данных;"
    " ничего не найдено; свободен; свободно",
    "uk": "не знаидено; не існує; не зареєстровано",
    "el": "δεν βρεθηκε; δεν υπαρχει",
}  # fmt: skip
# Languages that write without blanks: these are found inside a run of letters.
_UNSPACED: Mapping[str, str] = {
    "zh": "没有找到; 未找到; 找不到; 不存在; 未注册; 未註冊; 可注册",
    "ja": "見つかりませんでした; 見つかりません; 存在しません; 登録されていません",
    "ko": "찾을 수 없습니다; 존재하지 않습니다; 등록되어 있지 않습니다",
}  # fmt: skip
# Words that say nothing of the name's fate. No negation may stand here, nothing that forbids, and no "can" or "could":
# a name that could not be registered is another thing than one that is not.
_PADDING: Mapping[str, str] = {
    "any": "404 http https error code status notice remark rdap whois dns domain domains ldh idn",
    "en": "there the a an this that these you your we our it in on of to for at by with from s t be been was"
    " were is are has have had does do did any currently yet requested request query queried given specified"
    " supplied provided searched name names object objects resource entity item page url uri path server"
    " service system database registry directory response message title description reason sorry about"
    " satisfies criteria and origin please",
    "de": "der die das ein eine einen einem es in im auf zu den dem von fur bei ist war wurde werden noch"
    " derzeit angefragte angefragten gesuchte angeforderte angeforderten angegebene name domain domainname"
    " domainnamen objekt ressource datenbank registrierungsstelle fehler anfrage unter folgende ihre ihrer",
    "fr": "le la les un une de du des d l a ete dans en sur pour est n domaine nom objet ressource demande demandee"
    " recherche erreur ce cette cet votre requete",
    "es": "el la los las un una de del en para se ha han sido fue ser esta que dominio nombre objeto recurso"
    " solicitado solicitada consulta error este su",
    "pt": "o a os as um uma de do da em na para foi ser esta que dominio nome objeto recurso solicitado"
    " solicitada consulta erro este sua",
    "it": "il lo la i gli le un una di del della in nel nella per e stato stata e dominio nome oggetto risorsa"
    " richiesto richiesta ricerca errore questo database",
    "nl": "de het een van in op voor is werd worden domein domeinnaam naam object gevraagde opgevraagde"
    " fout deze database",
    "pl": "w dla na do ta to podana podany podanej zadanej domena domeny nazwa nazwy obiekt obiektu zasob blad"
    " zapytania",
    "cs": "v pro na se tato ta domena domenu domenove jmeno objekt pozadovany pozadovana databazi chyba dotaz"
    " registru",
    "sk": "domena meno objekt pozadovany pozadovana chyba v pre",
    "sv": "den det en ett i for domanen doman domannamnet namn objektet begarda ar fel",
    "da": "den det et i for blev domaenet domaenenavnet domaene navn objektet er fejl",
    "no": "den det et i for ble domenet domenenavnet domene navn objektet er feil",
    "fi": "verkkotunnus verkkotunnusta kohdetta objektia on ole virhe",
    "et": "domeen domeeni objekti",
    "hu": "a az domain nev objektum hiba",
    "ro": "a fost domeniul numele obiectul",
    "sl": "domena ime predmet objekt",
    "hr": "domena ime objekt",
    "tr": "alan adi nesne istenen",
    "ru": "домен домена доменное имя объект запрошенныи запрашиваемыи в базе ресурс ошибка",
    "uk": "домен імя обєкт",
    "el": "το ονομα",
    "zh": "域名 該域名 该域名 对象 对象 请求的 请求的对象 请求的资源 您查询的域名",
    "ja": "ドメイン ドメイン名 ドメインは ドメイン名は ドメインが ドメイン名が オブジェクトが オブジェクトは",
    "ko": "도메인 도메인을 개체를",
}  # fmt: skip
# Letters that Unicode does not take apart into a letter and a mark.
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "ð": "d", "'": " ", "’": " "})
_NEGATED = re.compile(r"n['’]t\b|(?<=\bcan)not\b")


def _plain(text: str) -> str:
    """In lower case, without accents; contractions in full."""
    folded = _NEGATED.sub(" not", text.casefold()).translate(_PLAIN)
    apart = unicodedata.normalize("NFKD", folded)
    return unicodedata.normalize("NFC", "".join(mark for mark in apart if not unicodedata.combining(mark)))


_PADDED = frozenset(word for words in _PADDING.values() for word in _plain(words).split())


def _either(table: Mapping[str, str]) -> str:
    """All phrases of a table, without padding, as one pattern; the longest come first."""
    phrases = {phrase for each in table.values() for phrase in _plain(each).split(";")}
    bare = {" ".join(word for word in phrase.split() if word not in _PADDED) for phrase in phrases}
    return "|".join(sorted(bare, key=len, reverse=True))


_SPACED = re.compile(rf"\b(?:{_either(_NOT_FOUND)})\b")
# What ICANN's RDAP Response Profile (2.1, 2024) puts into every answer, with or without its titles.
_PROFILE = (
    r"\b(?:for more information (?:on|about) (?:domain |whois )?)?status codes"
    r"(?:,? please (?:visit|see) https?://(?:www\.)?icann\.org/epp\b/?)?"
    r"|\b(?:url of the icann )?(?:rdds|whois) (?:data )?inaccuracy complaint form"
    r"(?::? https?://(?:www\.)?icann\.org/wicf\b/?)?"
    r"|\bthis response conforms to the rdap (?:operational|response) profile"
    r"(?: for (?:cc|g) ?tld registries and registrars)?,? version \d[\d.]*"
    r"|(?:^|(?<=[.;:] ))(?:service subject to (?:the )?)?terms of (?:service|use)(?:/use)?(?:: https?:\S++)?\.?(?= |$)"
)
_INSIDE = re.compile(
    rf"{_either(_UNSPACED)}|\bnot (?:present )?in (?:the |our |this )?(?:registry|database|directory|system)\b"
    rf"|{_PROFILE}"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
# What is said of a name in every answer of a registry. ICANN's RDAP Response Profile rules the titles of the first two.
_ROUTINE = re.compile(
    r"status codes?\b|\brdds\b|inaccura|\bterms\b|conditions (?:of|d|generales)\b|copyright|©|\(c\)|disclaimer|privacy"
    r"|legal (?:notice|information)|data (?:protection|policy)|(?:usage|search) policy|acceptable use|rate limit"
    r"|navigation links|\bgdpr\b|^source$|^filtered$|icann\.org/(?:epp|wicf)|nutzungsbe|haftungs|datenschutz|rechtlich"
    r"|mentions legales|confidentialit|terminos|aviso legal|privacidad|termos|termini|condizioni|informativa"
    r"|voorwaarden|auteursrecht|warunki|regulamin|podminky|vilkar|villkor|условия использования"
)
_ROUTINE_LINKS = re.compile(
    r"terms-of-service|copyright|license|privacy-policy|inaccuracy-report|icann\.org/(?:epp|wicf)\b"
)
_FATE = re.compile(
    r"block|dpml|reserv(?!e the right|es the right)|\brestrict|protect|prohibit|forbid|premium|withheld|subscrib"
    r"|trademark|auction|quarantine|not available|unavailable|cannot be registered|globalblock"
)
# The words of google/nomulus; other registries write them in the title or description of the error.
_BLOCKED = re.compile(
    r"globalblock|blocked domain|\bdpml\b|\b(?:name|domain|label|string)\b[^.]{0,40}\bblocked\b",
    re.IGNORECASE,
)
_RESERVED = re.compile(
    r"\b(?:name|domain|label|string)\b[^.]{0,30}\b(?<!rights )reserved\b|\breserved\b[^.]{0,20}\b(?:name|domain)\b"
    r"|registry reserved|not available for registration|cannot be registered|unavailable for registration",
    re.IGNORECASE,
)
# Prose that every answer carries speaks of names in general; this one is meant.
_THIS = re.compile(
    rf"\bthis (?:domain name|domain|name|string|label|object)\b[^.]{{0,60}}(?:{_FATE.pattern})", re.IGNORECASE
)
_PREMIUM = re.compile(r"\bpr[eé]mi(?:um|ov)|expiry access period|\bpric(?:e|es|ed|ing)\b", re.IGNORECASE)
_REFUSED = re.compile(
    r"block|dpml|reserv|restrict|protect|prohibit|forbid|withheld|subscrib|trademark|unavailable|quarantine|auction"
    r"|\b(?:not|no|never|nicht|kein|keine|non|pas|nao|niet|geen|nie|ikke|inte)\b"
)

# The members of an error, a notice or a remark that hold words; some registries write some of their own.
_SAID = ("title", "description", "message", "error", "detail", "reason", "text", "status", "comment")
_NESTED = ("notices", "remarks", "notice", "remark")
# No sentence for "not found" is as long.
_LONGEST = 1000
# No answer has as many lines or characters, terms of use included.
_MOST, _SIZE = 500, 100_000

NotFoundReason = Literal["not_found", "premium", "blocked", "reserved", "says_more"]


@dataclass(frozen=True, slots=True)
class NotFoundAnswer:
    """A 404's meaning for the name: `not_found` alone means free, `premium` free at a price; `text` are its words."""

    fate: NotFoundReason
    text: str = ""


def what_it_says(
    doc: Mapping[str, Json], asked: str | None, of_any: Set[str] = frozenset()
) -> NotFoundAnswer:
    """The fate of the name `asked` (A-labels) by the words of a "not found" (RFC 9083 sections 4.3 and 6).

    `of_any` is what the server says of any name (see `word_for_word`): it is not read.
    """
    beyond: list[str] = []
    premium: list[str] = []
    read = size = 0
    for part, of_answer in _parts(doc):
        texts = list(islice(_texts([part.get(name) for name in _SAID]), _MOST + 1))
        read += len(texts) or 1
        size += sum(map(len, texts))
        if read > _MOST or size > _SIZE:
            return NotFoundAnswer("says_more", f"more than {_MOST} texts, or {_SIZE} characters")
        if not of_answer and _routine(part, texts, asked):
            texts = [text for text in texts if _of_this_name(text, asked)]
        texts = [text for text in texts if says_more(text, asked) and _folded(text, asked) not in of_any]
        priced = any(_PREMIUM.search(_bare(text, asked)) for text in texts) and not _refuses(texts, asked)
        (premium if priced else beyond).extend(texts)
    if beyond:
        return NotFoundAnswer(_fate(beyond, asked), _shown(beyond))
    return NotFoundAnswer("premium", _shown(premium)) if premium else NotFoundAnswer("not_found")


def word_for_word(doc: Mapping[str, Json], asked: str | None) -> frozenset[str]:
    """All that an answer says, without the name asked for."""
    texts = (text for part, _ in _parts(doc) for text in _texts([part.get(name) for name in _SAID]))
    return frozenset(_folded(text, asked) for text in islice(texts, _MOST))


def _folded(text: str, asked: str | None) -> str:
    return " ".join(_bare(text, asked).split())


def _shown(texts: list[str]) -> str:
    return plain_text(" ".join(texts)[:_LONGEST])


def _of_this_name(text: str, asked: str | None) -> bool:
    """Whether a text in prose that every answer carries is about the name asked for."""
    if asked and any(found["whole"] for found in _named(asked).finditer(text[:_LONGEST])):
        return True
    return any(pattern.search(text) for pattern in (_BLOCKED, _RESERVED, _THIS))


def says_more(text: str, asked: str | None) -> bool:
    """Whether a text says anything beyond "not found", in the words that registries use, of the name asked for."""
    return bool(_others(text, asked))


def _fate(texts: list[str], asked: str | None) -> NotFoundReason:
    said = [_bare(text, asked) for text in texts]
    if any(_BLOCKED.search(text) for text in said):
        return "blocked"
    return "reserved" if any(_RESERVED.search(text) for text in said) else "says_more"


def _refuses(texts: list[str], asked: str | None) -> bool:
    """Whether words about a premium name say that it cannot be had."""
    return _fate(texts, asked) != "says_more" or any(_REFUSED.search(_others(text, asked)) for text in texts)


def _others(text: str, asked: str | None) -> str:
    """The words of a text, plain and in order, without those that are known and without the name asked for."""
    if len(text) > _LONGEST:
        return _plain(text[:_LONGEST])
    plain = _INSIDE.sub(" ", _plain(_HUMP.sub(" ", _folded(text, asked))))
    words = [word for word in _WORD.findall(plain) if word not in _PADDED]
    return " ".join(_SPACED.sub(" ", " ".join(words)).split())


def _bare(text: str, asked: str | None) -> str:
    """A text without the name asked for; a longer one than any "not found" as it is."""
    return _named(asked).sub(" ", text) if asked and len(text) <= _LONGEST else text


@lru_cache(maxsize=64)
def _named(asked: str) -> re.Pattern[str]:
    """The name asked for in any spelling, with the address it was asked at, or its extension alone with its dot."""
    try:
        shown = idna.decode(asked)
    except (idna.IDNAError, UnicodeError):
        shown = asked
    names = "|".join(map(re.escape, (asked, shown)))
    extensions = "|".join(re.escape(f".{name.rpartition('.')[2]}") for name in (asked, shown))
    named = rf"(?P<whole>{names})|{extensions}"
    pattern = rf"(?<![\w.-])(?:[\w.:/-]{{0,200}}/domain/)?(?:{named})\.?(?![\w-]|\.\w)"
    return re.compile(pattern, re.IGNORECASE)


def _routine(part: Mapping[str, Json], texts: list[str], asked: str | None) -> bool:
    """Whether a notice is one of those that a registry puts on every answer: by its title, else by its link."""
    title = _plain(_bare(plain_text(part.get("title")), asked)).strip()
    if title and _ROUTINE.search(title) and not _FATE.search(title):
        return True
    links = part.get("links")
    linked = any(
        _ROUTINE_LINKS.search(f"{link.get('rel')} {link.get('href')}".lower())
        for link in (links if isinstance(links, list) else [])
        if isinstance(link, dict)
    )
    said = [title] if title else [_plain(_bare(text[:_LONGEST], asked)) for text in texts]
    known = linked or (not title and any(_ROUTINE.search(text) for text in said))
    return known and not any(_FATE.search(text) for text in said)


def _parts(doc: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], bool]]:
    """The answer itself (True) and every notice and remark, also those inside others (RFC 9083 section 4.3)."""
    waiting: deque[tuple[Json, bool]] = deque([(dict(doc), True)])
    while waiting:
        part, of_answer = waiting.popleft()
        if isinstance(part, str):
            yield {"description": part}, of_answer
        elif isinstance(part, list):
            waiting.extend((inner, of_answer) for inner in part)
        elif isinstance(part, dict):
            yield part, of_answer
            waiting.extend((part[name], False) for name in _NESTED if name in part)
            inside = (inner for name in _SAID for inner in _each(part.get(name)))
            waiting.extend((inner, of_answer) for inner in inside if isinstance(inner, dict | list))


def _each(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _texts(values: list[Json]) -> Iterator[str]:
    """The texts of members and of lists in them, on one line each."""
    for value in values:
        for item in _each(value):
            if isinstance(item, str) and (text := " ".join(item[: _SIZE + 1].split())):
                yield text
