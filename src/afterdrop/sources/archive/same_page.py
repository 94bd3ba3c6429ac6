"""Which addresses are one page's: home pages by any name, print views, sorted and endless lists, sessions.

Pure. Rules of addresses alone; a page that only its query tells apart (`?page_id=12`, `?id=7`) stays one of its own.
Words are those of WordPress, Joomla, phpBB, SMF, osCommerce, Apache's listings (mod_autoindex) and calendars.
"""

from __future__ import annotations

import re

# Session numbers in an address of an index, which is in lower case.
SESSION = re.compile(rb"(?:;|(?<=[?&]))(?:phpsessid|jsessionid|s?sid)=[0-9a-z!.-]{16,}")
_SESSION_PATH = re.compile(r";(?:phpsessid|jsessionid|sid)=[^/?]*|/\(s\([a-z0-9]{24}\)\)(?=/)")
_HOME_FILE = re.compile(r"(?<=/)(?:index|default)\.(?:[spx]?html?|php\d?|aspx?|jsp|cfm|cgi|pl)$")
# In early years the home page behind an entrance: in a folder it may be the page on a home.
_EARLY_HOME = re.compile(r"^([^/]*/)home\.(?:[spx]?html?|php\d?|aspx?|jsp|cfm|cgi|pl)$")
_PRINTS = (
    "print|printview|print-view|printable|printer-friendly|drucken|druckversion|druckansicht|imprimer|imprimir|stampa"
    "|afdrukken|drukuj"
)
_PRINT_END = re.compile(rf"(?<=[^/])/(?:{_PRINTS})/?$")
_PRINT_START = re.compile(rf"^([^/]*)/(?:{_PRINTS})(?=/[^/])")
_PRINT = re.compile(rf"(?:{_PRINTS})(?:er|page|_?version)?")
# A month or a day of a calendar or an archive; a year alone may be a page of that year.
_DATE_END = re.compile(r"/(?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-][0-3]?\d)?(?:/page/\d+)?/?$")
_CALENDAR = re.compile(
    r"cal(?:endar|endrier|endario)?\b|calend|kalend|\bagenda|\bevents?\b|termine|veranstaltung"
)
# Never tells a page apart.
_IDLE = re.compile(
    r"replytocom|(?:outlook-)?ical|print(?:able|er|page|view|version)?|printer-?friendly|sort(?:_?(?:by|order|dir|col|field|key))?|order_?by"
    r"|order_?dir|phpsessid|jsessionid|oscsid|xtcsid|zenid|sess(?:ion)?_?id|cfid|cftoken|aspsessionid\w*"
    r"|utm_\w+|fbclid|gclid|amp"
)
_MONTH = re.compile(r"month|monat|mois|mes|mese|mês|maand|miesiac|mon")
_DATE = re.compile(r"year|yr|jahr|annee|ano|anno|day|tag|jour|dia|week|date|time|view")
_SESSION_NUMBER = re.compile(r"(?=.*\d)[0-9a-z!.,-]{16,}")
_WAY = re.compile(r"(?:a|de)sc(?:ending)?|[ad]")
# Apache's listing of a folder, by name, date, size or description, up or down.
_LISTING = re.compile(r"[cnmsd]=[nmsda]|o=[ad]")


def page_key(path: str) -> str:
    """The common key of the addresses of one page, for a path with its query.

    >>> page_key("/index.html?PHPSESSID=7") == page_key("/"), page_key("/?p=2") == page_key("/")
    (True, False)
    """
    path, _, query = path.lower().partition("?")
    path = _SESSION_PATH.sub("", path)
    path = _EARLY_HOME.sub(r"\1", _HOME_FILE.sub("", path))
    path = _DATE_END.sub("/<date>", _PRINT_START.sub(r"\1", _PRINT_END.sub("", path)))
    parts = list(filter(None, re.split(r"[&;]", query)))
    if path.endswith("/") and all(map(_LISTING.fullmatch, parts)):
        parts = []
    names = {part.partition("=")[0] for part in parts}
    dated = bool(_CALENDAR.search(path)) or any(map(_MONTH.fullmatch, names))
    kept = sorted(part for part in parts if not _idle(part, dated))
    return path.rstrip("/") + ("?" + "&".join(kept) if kept else "")


def _idle(part: str, dated: bool) -> bool:
    """Whether a part of a query tells no page apart; `dated` is that of a calendar."""
    name, _, value = part.partition("=")
    if _IDLE.fullmatch(name) or _MONTH.fullmatch(name) or (dated and _DATE.fullmatch(name)):
        return True
    if name in ("s", "sid"):  # of PHP-Nuke's articles, too: `sid=12`
        return _SESSION_NUMBER.fullmatch(value) is not None
    if name in ("order", "dir", "direction"):  # a number may be an order's
        return bool(_WAY.fullmatch(value)) or (name == "order" and not value.isdigit())
    if name in ("action", "do", "format", "mode", "tmpl", "view"):
        return bool(_PRINT.fullmatch(value)) or (name, value) == ("tmpl", "component")
    return name == "m" and len(value) == 6 and value.isdigit()
