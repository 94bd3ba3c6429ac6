"""All stages of one archived page: bytes in, a PageReading out. Never raises, whatever the bytes.

Pure. A page is parsed once, here; every rule is asked once (`signs.py`), then the page model, and one list says who
overrules whom (`judge.py`). Of what scripts build, frames show or a log-in hides nothing can be said.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby, islice

from selectolax.lexbor import LexborHTMLParser

from afterdrop.review.page.charset import EMPTY, decode, no_page
from afterdrop.review.page.identity import (
    accounts,
    brand_tokens,
    contacts,
    out_links,
    outlink_domains,
    site_of,
)
from afterdrop.review.page.judge import judge
from afterdrop.review.page.language import detect_language
from afterdrop.review.page.markup import domain_of, parse, scripts_of
from afterdrop.review.page.model import PageModel, features, page_model
from afterdrop.review.page.signs import read_signs
from afterdrop.review.page.source import (
    marks_of,
    original_url,
    parse_refresh,
    script_refresh,
    tame,
    without_archive,
    without_noscript,
)
from afterdrop.review.page.text import NOTICE_WORDS, OTHER_WORDS, beside_notice, count_words, unspaced_letters
from afterdrop.review.page.topics import find_topic
from afterdrop.review.page.values import FEW_WORDS, Decoded, PageReading, PageView, Parts, Refresh, Spoken

# Elements that React, Vue, Angular, Svelte, Gatsby, Next, Nuxt, Quasar, GWT, Flutter and site builders fill.
_FILLED = (
    "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#app-root,#react-root,#main-app,#application,#q-app,#SITE_CONTAINER,"
    "app-root,my-app,app-main,flt-glass-pane,flutter-view,[ng-app],[ng-version],[data-reactroot],#__gwt_historyFrame,"
    "script[type=module][src],script[src*='main.dart.js'],script[src*='flutter_bootstrap'],script[src*='/app.js'],"
    "script[src*='nocache.js']"
)
# "Loading, please wait" stands in them until then.
_WAITING_WORDS = 5
# With a notice for those who have none.
_FILLED_WORDS = 60
# A log-in has hardly any other word.
_LOG_IN_WORDS = 60


def _is_shell(parts: Parts, words: int, marks: Mapping[str, int]) -> bool:
    """Whether scripts fill a page, which has few words of its own."""
    if words >= _FILLED_WORDS or not (marks["script"] or parts.frames):
        return False
    source = parts.source
    seen = without_noscript(source)
    tree = LexborHTMLParser(seen)
    filled = any(
        node.tag == "script" or count_words(node.text() or "") < _WAITING_WORDS for node in tree.css(_FILLED)
    )
    tree.strip_tags(["script", "style", "template", "title"])
    if count_words(tree.text()) >= FEW_WORDS:
        return False
    said = source.lower().count("javascript") - seen.lower().count("javascript")
    return filled or said > 0


def _why_unseen(
    parts: Parts, words: int, marks: Mapping[str, int], refresh: Refresh | None, *, shell: bool
) -> str:
    """Why a page does not show what its visitors see; "" where it does. `shell`: scripts fill it."""
    few = words < FEW_WORDS
    if marks["password field"] and words < _LOG_IN_WORDS:
        return "the page asks for a password"
    if few and refresh:
        return "the page sends its visitors on"
    if shell:
        return "a script builds the page"
    return "the page is made of frames" if few and parts.frames else ""


MAIN_LETTERS = 200
DETECTORS, FEW_LETTERS = 3, 400
# Paragraphs of so many letters say in which language a list of names stands.
NAMED_LETTERS = 40
_JOINING = 2


def view_page(decoded: Decoded, url: str, site: str | None = None, refresh: str | None = None) -> PageView:
    """The view of a decoded page. `url` is its address ("" when unknown), `site` its registrable domain.

    `refresh` is the answer's `Refresh` header, which counts before the page's own.
    """
    marks = marks_of(decoded.text)
    served = decoded.text
    if "archive" in marks:
        served = without_archive(served)
        marks = marks_of(served)
    source, nested = tame(served)
    parts = parse(source)
    own = site_of(parts, url, site)
    # The same for a text with single blanks, which is not taken apart for it.
    text = parts.text
    words = text.rstrip().count(" ") + bool(text) + unspaced_letters(text) // 2
    links = out_links(parts, own)
    onward = (
        parse_refresh(refresh)
        or parts.refresh
        or (_by_script(source) or _masked(parts, own) if words < FEW_WORDS else None)
    )
    shell = _is_shell(parts, words, marks)
    address = original_url(url)
    # A lander's links would name the provider as its site: only an address told may say that it is the provider.
    told = site or domain_of(address)
    return PageView(
        url=address,
        decoded=decoded,
        parts=parts,
        words=words,
        spoken=_beside_notice(parts, words) or page_language(parts),
        site=own,
        told=told,
        elsewhere=tuple(
            one
            for one in (parts.canonical, parts.amphtml)
            if one and told and domain_of(one) not in (None, told)
        ),
        links=links,
        outlink_domains=outlink_domains(links),
        notes=decoded.notes + nested,
        contacts=contacts(parts),
        accounts=accounts(parts, marks),
        brand_tokens=brand_tokens(parts),
        marks=marks,
        refresh=onward,
        shell=shell,
        unseen=_why_unseen(parts, words, marks, onward, shell=shell),
    )


def _masked(parts: Parts, site: str | None) -> Refresh | None:
    """A frame that shows another site as the page's own, which sends visitors on without telling them."""
    other = domain_of(parts.mask) if parts.mask else None
    return Refresh(0, parts.mask) if parts.mask and other not in (None, site) else None


def _by_script(source: str) -> Refresh | None:
    return script_refresh(scripts_of(source)) if "location" in source else None


def _beside_notice(parts: Parts, words: int) -> Spoken | None:
    """The language of what a page says beside a notice that has most of its words."""
    other = beside_notice(parts.text) if words < NOTICE_WORDS else None
    own = count_words(other or "")
    return detect_language(other) if other and OTHER_WORDS <= own < words / 2 else None


def page_language(parts: Parts) -> Spoken:
    """The language of main text where there is enough, else of all text, else with title and description.

    Quotations, examples and lists of places can fill the paragraphs of a page in another language: where the page
    declares another one, or the detectors are at odds, all of its text is asked, too.
    """
    if not _has_letters(parts.main):
        if _has_letters(parts.text):
            return _beside_names(parts, detect_language(parts.text))
        return detect_language(f"{parts.title}. {parts.metas.get('description', '')} {parts.text}")
    main = detect_language(parts.main)
    if main.agreed == DETECTORS and parts.html_lang in {None, main.language} and main.letters >= FEW_LETTERS:
        return main
    whole = detect_language(parts.text)
    declared = whole.language == parts.html_lang and whole.agreed >= DETECTORS - 1
    outweighs = main.agreed < DETECTORS or whole.letters * 2 > main.letters * 3
    few = main.letters < FEW_LETTERS and whole.agreed == DETECTORS and whole.letters > 3 * main.letters
    if (declared and outweighs) or few:
        return whole
    return whole if main.agreed < DETECTORS - 1 and whole.agreed == DETECTORS else main


def _beside_names(parts: Parts, whole: Spoken) -> Spoken:
    """The language of few paragraphs, where the rest is names: a list of Dutch towns makes no Dutch page."""
    if sum(map(str.isalpha, parts.main[:MAIN_LETTERS])) < NAMED_LETTERS:
        return whole
    main = detect_language(parts.main)
    if main.agreed < DETECTORS or main.language == whole.language:
        return whole
    # A text without capitalised words and the one or two small ones that join them, as in "Capelle aan den
    # IJssel".
    runs = [list(run) for small, run in groupby(parts.text.split(), lambda word: word[:1].islower()) if small]
    plain = detect_language(" ".join(word for run in runs if len(run) > _JOINING for word in run))
    return plain if plain.language == main.language else whole


def _has_letters(text: str) -> bool:
    """Whether a text has MAIN_LETTERS letters; most of a long one is not looked at."""
    return sum(1 for _ in islice(filter(str.isalpha, text), MAIN_LETTERS)) == MAIN_LETTERS


STORED_CHARS = 100_000


def read_page(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    site: str | None = None,
    refresh: str | None = None,
) -> PageReading:
    """Read one page. `url` is its address (replay addresses too, "" when unknown), `site` its registrable domain.

    `content_type` and `refresh` are the answer's headers of these names. Reads at most 1.5 MB. Oddities (binary, cut
    gzip, frames only, a redirect page) become notes.
    """
    decoded = decode(body, content_type)
    if (why := no_page(body, decoded)) is not None:
        return PageReading(
            verdict="error",
            error_kind="empty" if why == EMPTY and (decoded.text or not decoded.size) else "not_html",
            notes=(*decoded.notes, why),
            size=decoded.size,
            charset=decoded.charset,
        )
    return read_view(view_page(decoded, url, site, refresh))


def read_view(view: PageView, model: PageModel | None = None) -> PageReading:
    """Read a page from its view; `model` None: the one that ships."""
    parts = view.parts
    signs = read_signs(view)
    answer = (model or page_model()).asked(features(view, signs))
    judged = judge(view, signs, answer)
    return PageReading(
        verdict=judged.verdict,
        category=judged.category,
        parked_kind=judged.parked_kind,
        provider=judged.provider,
        error_kind=judged.error_kind,
        language=view.spoken.language,
        language_sure=view.spoken.sure,
        title=parts.title or None,
        description=parts.metas.get("description") or parts.metas.get("og:description"),
        text=parts.text[:STORED_CHARS],
        words=view.words,
        topic=find_topic(parts, view.spoken.language) if judged.verdict in {"clean", "suspect"} else None,
        links=view.links,
        outlink_domains=view.outlink_domains,
        brand_tokens=view.brand_tokens,
        contacts=view.contacts,
        accounts=view.accounts,
        evidence=judged.evidence,
        notes=view.notes + _odd(view),
        size=view.decoded.size,
        charset=view.decoded.charset,
        html_lang=parts.html_lang,
        hreflangs=parts.hreflangs,
        refresh_url=view.refresh.url if view.refresh else None,
        refresh_after=view.refresh.seconds if view.refresh else 0,
        frame_urls=() if view.refresh and view.refresh.url == parts.mask else parts.frames,
        spam_chance=answer.spam,
        publisher_phrases=len(signs.words.publisher_phrases),
        unseen=view.unseen,
    )


def _odd(view: PageView) -> tuple[str, ...]:
    notes = []
    if view.parts.frames and view.words < FEW_WORDS:
        notes.append(f"the page is frames only: {', '.join(view.parts.frames[:3])}"[:300])
    if view.refresh and view.words < FEW_WORDS:
        after = f" after {view.refresh.seconds} s" if view.refresh.seconds else ""
        notes.append(f"the page sends visitors on{after} to {view.refresh.url}"[:300])
    return tuple(notes)
