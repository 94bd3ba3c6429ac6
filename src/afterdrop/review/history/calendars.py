"""Addresses of a calendar's days, weeks and months, which a site has without end.

Pure. Names are those of The Events Calendar, JEvents, WebCalendar, SMF, vBulletin and plain scripts in several
languages. An event's own page is none of them, nor is a post below the month in which it was written.
"""

from __future__ import annotations

import re

_STEM = re.compile(r"calend|kalend|naptar|takvim")
_DIARY = re.compile(
    r"(?:agenda|events?|eventi|eventos|termine?|evenements?|evenementen|veranstaltung(?:en)?|wydarzenia|akce|arrangementer"
    r"|evenemang|tapahtumat)(?:\.[a-z]{2,5})?"
)
_VIEW = (
    r"(?:month|week|day|today|list|photo|upcoming|past|monat|woche|tag|mois|semaine|jour|mes|semana|dia|mese|settimana"
    r"|giorno|maand|dag|miesiac|tydzien|dzien|week\.listevents|month\.calendar|day\.listevents)"
)
_YEAR, _NUMBER = r"(?:19|20)\d\d", r"(?:0?[1-9]|[12]\d|3[01])"
_NAME = (
    r"(?:jan(?:uary?|uari|vier)?|feb(?:ruary?|ruari|braio|rero)?|f[eé]vrier|mar(?:ch|s|zo)?|m[aä]rz|maart|apr(?:ile?|il)?"
    r"|avril|abril|ma[iy]|mei|mayo|maggio|june?|juni|juin|junio|giugno|july?|juli|juillet|julio|luglio|aug(?:ust|ustus)?"
    r"|ao[uû]t|agosto|sept?(?:ember|embre|iembre)?|settembre|o[ck]t(?:ober|obre|ubre)?|ottobre"
    r"|nov(?:ember|embre|iembre)?|d[eé][ckz](?:ember|embre)?|dic(?:embre|iembre)?|gen(?:naio)?|enero)"
)
_DAY = rf"(?:{_NUMBER}|{_NAME})"
_DATE = rf"(?:{_YEAR}[/.-]?{_DAY}(?:[/.-]?{_NUMBER})?|(?:{_NUMBER}[/.-])?{_DAY}[/.-]{_YEAR})"
_DATED = re.compile(
    rf"(?:(?:category|cat|kategorie|categorie)/[^/]++/)?"
    rf"(?:{_VIEW}(?:/[\d/.-]*+)?|(?:{_VIEW}/)?{_DATE})(?:/-)?(?:/page/\d+)?"
)
_WHEN = re.compile(
    r"(?:[\w-]*[_-])?(?:month|monat|mois|mes|mese|maand|miesiac|mon|year|yr|jahr|annee|ano|anno|date|datum|day|tag|jour|dia"
    r"|dag|week|woche)|[myd]|yyyy|mm|dd"
)
_MONTH = re.compile(rf"(?:month|monat|mois|mes|mese|maand|date)={_YEAR}-?(?:0[1-9]|1[0-2])(?:-?[0-3]\d)?")
_ONE_OF_MANY = re.compile(r"(?:\w*_)?id|[ep]|event|slug|title")


def is_calendar_page(path: str) -> bool:
    """Whether a path with its query is a calendar's page of some day, week or month.

    >>> is_calendar_page("/events/2014-05-03"), is_calendar_page("/events/summer-fair-2014")
    (True, False)
    """
    path, _, query = path.lower().partition("?")
    segments = list(filter(None, path.split("/")))
    parts = list(filter(None, re.split(r"[&;]", query)))
    names = {part.partition("=")[0] for part in parts}
    if any(map(_ONE_OF_MANY.fullmatch, names)):
        return False
    at = next((n for n, segment in enumerate(segments) if _is_calendar(segment)), None)
    if at is not None and _DATED.fullmatch("/".join(segments[at + 1 :])):
        return True
    named = at == len(segments) - 1 or any(_is_calendar(part.partition("=")[2]) for part in parts)
    return any(map(_MONTH.fullmatch, parts)) or (named and any(map(_WHEN.fullmatch, names)))


def _is_calendar(word: str) -> bool:
    return bool(_DIARY.fullmatch(word) or (_STEM.search(word) and not any(map(str.isdigit, word))))
