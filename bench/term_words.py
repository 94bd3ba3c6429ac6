"""Ordinary words that hold a term of the spam lexicon inside them, by language: what the lists must not match in.

    python -m bench.term_words [LANGUAGE …]

Needs wordfreq (the dependency group `bench`), whose lists come from books, subtitles, news and the web. Prints each
term that decides (strong or medium) with the words of its language that the lexicon still finds it in, most frequent
first. Trade words among them are right; any other belongs under `[inside]` in `data/spam/inside.toml`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

from wordfreq import available_languages, top_n_list

from afterdrop.review.page.lexicon import lexicon

WORDS = 400_000
SHOWN = 14


def inside(language: str) -> dict[str, list[str]]:
    """Terms of `language` with the longer words they are found in."""
    found: dict[str, list[str]] = defaultdict(list)
    for word in top_n_list(language, WORDS, wordlist="best"):
        for hit in lexicon().hits(word, language):
            if hit.term.level >= 2 and hit.end - hit.start < len(word):
                found[f"{hit.term.category} {hit.term.level} {hit.term.phrase}"].append(word)
    return found


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("languages", nargs="*")
    for language in options.parse_args().languages or sorted(available_languages("best")):
        for term, words in sorted(inside(language).items()):
            print(language, term, len(words), " ".join(words[:SHOWN]))


if __name__ == "__main__":
    main()
