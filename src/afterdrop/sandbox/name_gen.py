"""Makes invented names: brands, domains and referring sites.

Pure. Random generators are seeded for each domain, so that a world's names depend on its seed alone.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping

import idna

from afterdrop.sandbox.story import Brand
from afterdrop.sandbox.texts import Genre, Language, languages

# How many of a hundred sites use each language; every other shipped language counts one.
_SHARES = {
    "en": 46,
    "de": 12,
    "fr": 7,
    "es": 6,
    "ja": 4,
    "ru": 4,
    "it": 4,
    "nl": 3,
    "pt": 3,
    "sv": 3,
    "tr": 3,
    "pl": 3,
}
_BY_TLD = {"uk": "en", "de": "de", "se": "sv", "pl": "pl"}
# Extensions under which some names have accents.
_INTERNATIONAL = ("com", "net", "org", "de", "se")
_MARKS = ("ikea", "adidas", "samsung", "swarovski")
_GENERIC = ("link", "guide", "review", "notes", "archive", "journal", "portal", "weekly", "forum", "index")


def pick_language(rng: random.Random, tld: str) -> str:
    """A language for a site under `tld`."""
    fixed = _BY_TLD.get(tld.rpartition(".")[2])
    if fixed in languages():
        return str(fixed)
    codes = sorted(languages())
    return rng.choices(codes, weights=[_SHARES.get(code, 1) for code in codes])[0]


def make_brand(rng: random.Random, language: Language) -> Brand:
    """An invented owner whose site is in `language`."""
    digits = str(rng.randrange(100_000, 999_999))
    return Brand(
        name=rng.choice(language.stems) + rng.choice(language.tails),
        city=rng.choice(language.cities),
        person=rng.choice(language.people),
        phone=language.phone.format(digits=digits),
        founded=rng.randrange(1921, 1999),
    )


def make_domain(
    rng: random.Random, owner: Brand, genre: Genre, tld: str, marked: bool, taken: set[str]
) -> str:
    """A domain for `owner` that is not in `taken`; it is added there. With `marked` it contains a famous trade mark."""
    stem = ascii_label(owner.name, languages()[genre.language].latin)
    own = owner.name.lower()
    latin_script = not languages()[genre.language].latin
    if tld in _INTERNATIONAL and latin_script and not own.isascii() and rng.random() < 0.4:
        stem = own
    if marked:
        stem = f"{rng.choice(_MARKS)}-{_GENERIC[rng.randrange(3)]}"
        forms = [f"{stem}.{tld}", f"{stem}s.{tld}", f"my-{stem}.{tld}", f"{stem}-online.{tld}"]
    else:
        forms = [f"{stem}{genre.word}.{tld}", f"{stem}-{genre.word}.{tld}", f"{genre.word}-{stem}.{tld}"]
    rng.shuffle(forms)
    forms += [f"{stem}{number}.{tld}" for number in range(2, 1000)]
    for form in (idna.encode(form, uts46=True).decode("ascii") for form in forms):
        if form not in taken:
            taken.add(form)
            return form
    raise ValueError(f"no free name left for {owner.name} under .{tld}")


def make_referrers(rng: random.Random, count: int) -> tuple[str, ...]:
    """Names of linking sites, from a small pool so that they recur within a world."""
    english = languages()["en"]
    names: dict[str, None] = {}
    while len(names) < count:
        stem = (rng.choice(english.stems) + rng.choice(english.tails[:6])).lower()
        names[f"{stem}{rng.choice(_GENERIC)}.{rng.choice(('com', 'org', 'net', 'co.uk'))}"] = None
    return tuple(names)


def ascii_label(name: str, latin: Mapping[str, str] | None = None) -> str:
    """A name as a plain DNS label: `latin` spellings, no accents, nothing but letters and digits.

    >>> ascii_label("Mühl-Tal")
    'muhltal'
    """
    name = name.lower()
    for letters, spelling in (latin or {}).items():
        name = name.replace(letters, spelling)
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("ı", "i"))
    return "".join(letter for letter in plain if letter.isascii() and letter.isalnum()) or "site"
