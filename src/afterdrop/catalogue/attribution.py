"""The sources of the data shown: the credits that licences ask for, each once, and the sources of a score's figures.

Pure: the shipped files, which name the sources, are read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from afterdrop.catalogue.shapes import AttributionJson, FactSource, ScoreInputJson
from afterdrop.feeds import preset_files
from afterdrop.sources.metrics import provider_files
from afterdrop.sources.metrics.model import FEED_PREFIX


def credits_owed(
    values: Iterable[Mapping[str, str | None] | AttributionJson],
    listings: Iterable[Mapping[str, str | None] | None],
) -> list[AttributionJson]:
    """The credits for the metric values and the listings shown, sorted by text; `url` is null where none is given."""
    owed = {
        (str(credit["text"]), str(credit["url"]) if credit.get("url") else None)
        for credit in (*values, *listings)
        if credit and credit.get("text")
    }
    return [
        {"text": text, "url": url} for text, url in sorted(owed, key=lambda pair: (pair[0], pair[1] or ""))
    ]


class FigureSource(NamedTuple):
    """The source of a figure: an identifier in JSON that names no vendor or marketplace, and the title people read."""

    source: str
    title: str | None


_ARCHIVE: Final = FigureSource("archive", "Web archive")
# Parts that are made from captures, whoever publishes the domain.
_FROM_CAPTURES: Final = frozenset({"history", "age"})


def named_sources(facts: Mapping[str, FactSource]) -> dict[str, FactSource]:
    """The sources of facts as JSON shows them: `source` is neutral, `source_title` is for people."""
    return {role: _named_fact(given) for role, given in facts.items()}


def _named_fact(given: FactSource) -> FactSource:
    source = figure_source(given["source"])
    named: FactSource = {**given, "source": source.source}
    if source.title is not None:
        named["source_title"] = source.title
    return named


@lru_cache(maxsize=1)
def _shipped() -> Mapping[str, FigureSource]:
    """The sources of the shipped files by the provider that metrics state."""
    files = [provider_files.load_file(name) for name in provider_files.preset_names()]
    feeds = [preset_files.open_preset(name) for name in preset_files.preset_names()]
    return {
        **{file.name: FigureSource(file.source or file.name, file.title) for file in files},
        **{spec.provider: FigureSource(spec.source, spec.title) for spec in feeds},
    }


def figure_source(provider: str) -> FigureSource:
    """The source of a figure with this provider; an operator's own is called as he called it."""
    known = _shipped().get(provider)
    title = "The marketplace’s list" if provider.startswith(FEED_PREFIX) else None
    return known or FigureSource(provider.removeprefix(FEED_PREFIX), title)


def named_inputs(inputs: Mapping[str, ScoreInputJson]) -> dict[str, ScoreInputJson]:
    """A score's inputs as JSON shows them: `source` is neutral, `source_title` is for people where there is one.

    Inputs that are named already stay as they are.
    """
    return {part: _named(part, given) for part, given in inputs.items()}


def _named(part: str, given: ScoreInputJson) -> ScoreInputJson:
    if "source_title" in given:
        return given
    if part in _FROM_CAPTURES:
        source = _ARCHIVE
    elif given.get("source"):
        source = figure_source(given["source"])
    else:
        return given
    named: ScoreInputJson = {**given, "source": source.source}
    if source.title is not None:
        named["source_title"] = source.title
    return named
