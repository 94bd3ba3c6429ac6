"""Yields a day, as schemes promise them in any language: "5% daily", "3 % par jour", "в день 4%".

Pure. A product word of the investment trade: honest pages speak of percents a day, too, so it never decides alone.
"""

from __future__ import annotations

import re

from afterdrop.review.spam.lexicon import Hit, Term

_DAY = (
    r"(?:daily|per day|a day|each day|every day|hourly|per hour|weekly|per week|täglich|pro tag|am tag"
    r"|par jour|chaque jour|quotidien|diario|diaria|al día|por día|cada día|ao dia|por dia|al giorno"
    r"|giornalier[oai]|per dag|elke dag|dagelijks|om dagen|hver dag|per dygn|varje dag|päivässä|joka päivä"
    r"|dziennie|codziennie|denně|každý den|naponta|minden nap|pe zi|zilnic|на ден|дневно|dnevno|на день"
    r"|в день|ежедневно|щодня|την ημέρα|ημερησίως|günlük|her gün|يوميا|في اليوم|كل يوم|روزانه|در روز|ליום"
    r"|ביום|毎日|日利|一日|每日|每天|日收益|하루|매일|mỗi ngày|một ngày|per hari|setiap hari|sehari|ต่อวัน|ทุกวัน|रोज"
    r"|प्रतिदिन)"
)
# Up to three words may stand between the figure and the day. "5% Daily Value" is a label on food.
_RATE = r"(?<![\d.,])[1-9]\d{0,2}(?:[.,]\d{1,2})?[ \u00a0]?%"
_GAP = r"(?:[^\w\n]{1,3}\w{1,15}){0,3}?[^\w\n]{0,3}"
_YIELD = re.compile(rf"{_RATE}{_GAP}\b{_DAY}\b(?! values?)|\b{_DAY}{_GAP}{_RATE}", re.IGNORECASE)
_REACH, _MOST = 70, 200
_TERM = Term("crypto", 2, "any", "a yield a day", single=False, latin=True)


def yields(text: str) -> list[Hit]:
    """Where a text promises a yield a day; only the neighbourhood of its first percent signs is read."""
    found: list[Hit] = []
    place = -1
    for _ in range(_MOST):
        place = text.find("%", place + 1)
        if place < 0:
            break
        start = max(place - _REACH, found[-1].end if found else 0)
        match = _YIELD.search(text[start : place + _REACH])
        if match and start + match.start() <= place <= start + match.end():
            found.append(Hit(_TERM, start + match.start(), start + match.end()))
    return found
