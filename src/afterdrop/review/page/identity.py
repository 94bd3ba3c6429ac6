"""Who a page belongs to, by what it says of itself: words of its name, e-mail domains, telephone numbers, accounts.

Pure. A redesign keeps these; a new owner does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from afterdrop.review.page.markup import Parts, domain_of_host
from afterdrop.review.page.third_parties import third_parties

# From the sign on: few texts have one. The domain's own end may not be the next address's name.
_EMAIL = re.compile(r"@(?<=[\w.+-]@)([\w-]{1,63}(?:\.[\w-]{1,63}){1,4})@?")
_LOCAL = re.compile(r"[\w.+-]{1,64}$")
# All that a number may stand in; searched first, for most of a text is far from one.
_NUMBERS = re.compile(r"[+(\d][\d ()/.+-]{7,}+")
# A full stop or an abbreviation's point beside a number is not of it; one between figures is a decimal's.
_PHONE = re.compile(r"(?<!\w)(?<!\d\.)(?:\+|00)?\(?\d[\d ()/.-]{6,18}\d(?!\w|\.\w)")
# Dates, and the first and last year of a copyright or an association.
_DATED = re.compile(
    r"(?:19|20)\d\d(?:[-./ ]+\d\d?[-./ ]+\d\d?| ?[-/] ?(?:19|20)\d\d)|\d\d?[-./ ]+\d\d?[-./ ]+(?:19|20)\d\d"
)
# Hours that a shop is open, and years in a row.
_HOURS = re.compile(r"(?:(?:[01]?\d|2[0-4])[.:]?[0-5]\d[ -]{0,3}){2,4}|(?:(?:19|20)\d\d[ /.-]{0,3}){2,4}")
# Before a number of a book or journal.
_OF_BOOKS = re.compile(
    r"\b(?:issn|isbn|ean|doi|oclc|lccn|upc|asin|pmid|ismn|urn)\W{0,4}(?:1[03]\W{1,3})?$", re.IGNORECASE
)
_TEL = re.compile(r"^(?:tel|callto):(?://)?([+\d][\d ().-]{5,20})", re.IGNORECASE)
_OWNER = re.compile(
    r"(?:©|\(c\)|&copy;|copyright)\W{0,3}(?:copyright\W{0,3})?(?:(?:19|20)\d\d(?:\s*[-–,]\s*(?:(?:19|20)\d\d|now|present))?)?"
    r"\W{0,3}(?:by\s+)?([^\W\d_][^.|©<>\n\r]{1,60})",
    re.IGNORECASE,
)
# Titles come with single blanks.
_SPLIT = re.compile(r" ?[|»«·•—–:] ?| - ")
_WORD = re.compile(r"[^\W\d_]{3,}")
_SHARED_WORDS = """
all rights reserved copyright the and for with from your our home homepage welcome page site website web online official
index untitled document new www com net org inc ltd llc gmbh rechte vorbehalten alle startseite willkommen tous droits
réservés
accueil bienvenue todos los derechos reservados inicio bienvenidos tutti diritti riservati benvenuti rechten
voorbehouden welkom direitos bem vindo strona główna wszelkie prawa zastrzeżone главная все права защищены design
powered
wordpress
"""
_COMMON = frozenset(_SHARED_WORDS.split())
_CONTACTS_MOST = 40
# Accounts at services of measurement and advertising, each with the mark of its service, without which no page is
# searched for it ("G-" alone has none); the property's number behind the account's may change. Each begins with its
# letters, so that a page is searched for them and not tried at every place.
_ACCOUNTS = tuple(
    (mark, re.compile(pattern))
    for mark, pattern in (
        ("google property", r"UA-(?<!\wUA-)\d{4,10}(?=-\d)"),
        (None, r"G-(?<!\wG-)[A-Z0-9]{9,12}\b"),
        ("google tag", r"GTM-(?<!\wGTM-)[A-Z0-9]{4,8}\b"),
        ("google publisher", r"ca-pub-(?<!\wca-pub-)\d{10,20}"),
        ("statcounter", r"sc_project(?<!\wsc_project)\s{0,3}=\s{0,3}\d{5,12}"),
        ("yandex", r"mc\.yandex\.ru/watch/\d{4,12}"),
    )
)
_NETWORKS = "facebook|twitter|instagram|youtube|linkedin|pinterest|vk|flickr|vimeo|tumblr|t"
_PROFILE_SITES = frozenset(f"{name}.{end}" for name in _NETWORKS.split("|") for end in ("com", "me"))
_PROFILE = re.compile(
    rf"^(?:https?:)?//(?:[\w-]{{1,20}}\.)?({_NETWORKS})"
    r"\.(?:com|me)/(?:#!/)?((?:user/|channel/|c/|company/|in/|groups/|pages/|photos/)?@?[\w.%-]{2,100})",
    re.IGNORECASE,
)
# Addresses at these hosts that are nobody's profile.
_NO_PROFILE = re.compile(
    r"(?:^|/)(?:share|sharer|share\.php|sharer\.php|sharearticle|intent|home|home\.php|plugins|dialog|log-?in|pin|hashtag"
    r"|search|watch|embed|widgets|policies|privacy|help|about|cws|tr|events|profile\.php|pages|explore|reels?|stories"
    r"|accounts|direct|shorts|playlist|results|feed|ads|business|legal|developers|settings|marketplace|story\.php"
    r"|photo\.php|l\.php|oauth|tags|messages|download|signup|terms)$",
    re.IGNORECASE,
)


def brand_tokens(parts: Parts) -> frozenset[str]:
    """Lower-case words that name the owner: site name, title's ends, logo's alt text, copyright line."""
    named = [
        parts.metas.get(name, "") for name in ("og:site_name", "application-name", "author", "twitter:site")
    ]
    pieces = _SPLIT.split(parts.title)
    named += [pieces[0], pieces[-1]] if pieces else []
    named += [match for match in _OWNER.findall(parts.text[-4000:])]
    words = {word.lower() for text in named for word in _WORD.findall(text)[:8]}
    return frozenset(words - _COMMON)


def contacts(parts: Parts) -> frozenset[str]:
    """Domains of e-mail addresses, and telephone numbers as digits, that a page gives as its owner's.

    At a mailer's domain, which is nobody's, the whole address. Not those of who made or hosts the site, of templates,
    nor numbers of books, hours and years.
    """
    known = third_parties()
    makers = known.makers(parts.text, ((anchor.text, anchor.domain) for anchor in parts.anchors))
    mails = [(parts.text, match) for match in _EMAIL.finditer(parts.text)]
    numbers = {_digits(number): makers.wrote(at) for number, at in _phones(parts.text)}
    theirs = {_mail_domain(match) for _, match in mails if makers.wrote(match.start())} | makers.domains
    for anchor in parts.anchors:
        if anchor.href[:1] not in {"m", "M", "t", "T", "c", "C"}:
            continue
        if anchor.href[:7].lower() == "mailto:":
            mails += [(anchor.href, match) for match in _EMAIL.finditer(anchor.href)]
        elif tel := _TEL.match(anchor.href):
            numbers.setdefault(_digits(tel[1]), False)
    found = {number for number, of_maker in numbers.items() if not of_maker}
    for text, match in mails:
        domain = _mail_domain(match)
        if domain and domain not in theirs and domain not in known.placeholders:
            found.add(_whole(text, match, domain) if domain in known.mailers else domain)
    return frozenset(sorted(found)[:_CONTACTS_MOST])


def is_mail(contact: str) -> bool:
    """Whether a contact is of mail, and no telephone number."""
    return not contact.isdigit()


def _mail_domain(match: re.Match[str]) -> str | None:
    return domain_of_host(match[1].lower())


def _whole(text: str, match: re.Match[str], domain: str) -> str:
    local = _LOCAL.search(text[max(0, match.start() - 64) : match.start()])
    return f"{local[0].lower() if local else ''}@{domain}"


def accounts(parts: Parts, marks: Mapping[str, int]) -> frozenset[str]:
    """Accounts that a page uses or names as its own: of measurement, advertising, and profiles elsewhere.

    `marks` are those of its source.
    """
    linked = (anchor.href for anchor in parts.anchors if anchor.domain in _PROFILE_SITES)
    profiles = [match for href in linked if (match := _PROFILE.match(href))]
    makers = third_parties().profiles
    named = {
        f"{match[1]}:{match[2]}".lower()
        for match in profiles
        if not _NO_PROFILE.search(match[2]) and match[2].lower().lstrip("@") not in makers
    }
    searched = (account for mark, account in _ACCOUNTS if mark is None or mark in marks)
    used = (match for account in searched for match in account.findall(parts.source))
    return frozenset(sorted(named.union(used))[:_CONTACTS_MOST])


def _phones(text: str) -> Iterator[tuple[str, int]]:
    """Telephone numbers as written, with their places."""
    for run in _NUMBERS.finditer(text):
        # One character more, by which a number that goes on as a word is told.
        for found in _PHONE.finditer(text, run.start(), run.end() + 1):
            number = found[0]
            if not 8 <= len(_digits(number)) <= 15 or _DATED.fullmatch(number) or _HOURS.fullmatch(number):
                continue
            if not _OF_BOOKS.search(text[max(0, found.start() - 20) : found.start()]):
                yield number, found.start()


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0")
