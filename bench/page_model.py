"""Makes `review/data/page_model.npz`: a line over hashed words and figures of a page, and trees over the figures.

    python -m bench.page_model [--scheme last|groups|kinds]... [--check]

Trains on every labelled page there is (../shared/real/history, ../collected where there is one; groups weighed by the
root of their size) and on the composed pages of the tests. Words learn first; how much their sum and each figure
count is learnt from sums for pages of groups that the words had not seen. Trees learn from the figures alone. What line
and trees count beside each other, and the probability of both, is learnt on groups held out of all. A scheme makes, in
the scratch folder, the models that bench/review_genuine.py judges with instead: for each fifth of the groups one
trained without it, one without the two last collections, one without each kind of spam. The same pages give the same
file, byte for byte: `--check` makes it anew and compares. Beside the file stands a record (bench/page_model.json) of
its hash, of the pages it was made from, and of what the lists find in the composed ones, which a test holds against
today's lists, and the sources by hash. Needs scikit-learn (the dependency group `bench`).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from bench import genuine
from numpy.typing import NDArray
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from tests.unit.review.all_composed import composed_digest, composed_pages

from afterdrop.review.page import model
from afterdrop.review.page.charset import decode
from afterdrop.review.page.model import BLOCKS, BOUND, COLUMNS, PARTS, Trees, features
from afterdrop.review.page.reader import view_page
from afterdrop.review.page.signs import read_signs
from afterdrop.review.page.values import Features

FOLDS = 5
WORDS_COST, FIGURES_COST, POSITIVE = 5.0, 0.3, 8.0
# Figures and the sum of words as the second step sees them: how much a step of theirs may weigh.
FIGURES, SUM = 0.7, 1 / 3
TREES, DEPTH, LEAF, SEEN = 60, 12, 2, "sqrt"
CUT = 0.9995
SHIPPED = Path(model.__file__).parents[1] / "data/page_model.npz"
RECORD = Path(__file__).with_suffix(".json")
SOURCES = Path(__file__).with_name("page_sources.txt")
VERSION = "2026.11.6"
QUESTIONS = ("spam", "parked")
SCHEMES = ("groups", "last", "kinds")
# Kinds of spam as sources name them, put together where they sell the same.
KINDS = {
    "gambling-doorway": "gambling", "gambling-hacked": "gambling", "gambling-readme": "gambling", "hacked": "gambling",
    "casino": "gambling", "doorway-blog": "doorway", "spun-doorway": "doorway", "forum-spam": "doorway",
    "generator": "followers", "pill_story": "nutra", "pills": "pharma", "crypto_invest": "crypto",
    "essay_mill": "essay", "replica_shop": "replica", "cracked_streaming": "warez", "link_seller": "seo-links",
    "work_from_home": "crypto", "dating": "adult", "iptv": "warez",
}  # fmt: skip

Arrays = dict[str, NDArray[np.generic]]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Row:
    """One page to learn from."""

    group: str
    family: str
    label: str
    kind: str
    collection: str
    features: Features

    @property
    def composed(self) -> bool:
        """Whether it is of the tests."""
        return self.collection == "composed"


def fold_of(family: str) -> int:
    """The fifth of all families of sites that one is in."""
    return int(hashlib.sha256(f"fold {family}".encode()).hexdigest()[:8], 16) % FOLDS


def kind_of(kind: str) -> str:
    """The kind of spam that a source's word stands for."""
    return KINDS.get(kind, kind or "other")


def rows() -> Iterator[Row]:
    """Every labelled and composed page."""
    for page, view in genuine.views(genuine.pages()):
        if view is not None and page.label != "out":
            kind = kind_of(page.kind) if page.label == "spam" else ""
            seen = features(view, read_signs(view))
            yield Row(page.group, page.family, page.label, kind, page.collection, seen)
    for label, name, body in composed_pages():
        view = view_page(decode(body), "")
        seen = features(view, read_signs(view))
        # The menu, which all composed pages of a kind share, is left out.
        head, text, links, signs = seen.blocks
        menu = replace(links, text="", columns=links.columns[:0], values=links.values[:0])
        sort = name.removeprefix("fresh spam ").partition(" ")[0].partition("_")[0]
        seen = replace(seen, blocks=(head, text, menu, signs))
        kind = kind_of(sort) if label == "spam" else ""
        yield Row(f"composed {name}", f"composed {name}", label, kind, "composed", seen)


@dataclass(frozen=True)
class Folded:
    """Of each row by what was learnt without its fold: the sum of its words, its line, the odds by trees.

    `told` are the weights of line and odds and the offset, `made` the models of the folds.
    """

    sums: Floats
    lines: Floats
    odds: Floats
    told: Floats
    made: list[Arrays]


class Trainer:
    """All rows as numbers, and the models of any part of them."""

    def __init__(self, everything: Sequence[Row], question: str) -> None:
        self.rows = everything
        self.question = question
        self.yes = np.array([row.label == question for row in everything])
        self.folds = np.array([fold_of(row.family) for row in everything])
        self.genuine = np.array([not row.composed for row in everything])
        self._words = word_matrix(everything)
        self._figures = np.array([row.features.figures for row in everything], np.float64) * FIGURES
        sizes = Counter((row.group, row.label) for row in everything)
        self._roots = np.array([sizes[row.group, row.label] ** -0.5 for row in everything])
        self._weights = self._roots * np.where(self.yes, POSITIVE, 1.0)
        self._counted = np.array([row.features.figures for row in everything], np.float32)

    def words(self, part: Mask) -> tuple[Floats, float]:
        """Weights of words and their constant."""
        model = LogisticRegression(
            C=WORDS_COST, solver="liblinear", dual=True, max_iter=2000, tol=1e-3, random_state=0
        )
        model.fit(self._words[np.flatnonzero(part)], self.yes[part], self._weights[part])
        return model.coef_[0], float(model.intercept_[0])

    def sums(self, told: tuple[Floats, float], part: Mask) -> Floats:
        """The bounded sums of the words of some rows."""
        made: Floats = np.clip(self._words[np.flatnonzero(part)] @ told[0] + told[1], -BOUND, BOUND)
        return made

    def second(self, sums: Floats, part: Mask) -> tuple[Floats, float]:
        """How much the sum of words (first) and each figure count, and the constant."""
        model = LogisticRegression(C=FIGURES_COST, max_iter=500)
        model.fit(self._beside(sums, part), self.yes[part], self._weights[part])
        return model.coef_[0], float(model.intercept_[0])

    def totals(self, second: tuple[Floats, float], sums: Floats, part: Mask) -> Floats:
        """Whole sums of some rows."""
        made: Floats = self._beside(sums, part) @ second[0] + second[1]
        return made

    def trees(self, part: Mask) -> Arrays:
        """Trees over the figures of a part, as they ship."""
        forest = ExtraTreesClassifier(
            TREES, max_depth=DEPTH, min_samples_leaf=LEAF, max_features=SEEN, random_state=0, n_jobs=2
        )
        forest.fit(self._counted[part], self.yes[part], self._weights[part])
        return {f"{self.question}_{name}": array for name, array in flat(forest).items()}

    def odds(self, grown: Arrays, part: Mask) -> Floats:
        """What trees say of some rows."""
        trees = Trees(grown, self.question)
        return np.array([trees.odds(row) for row in self._counted[part]])

    def _beside(self, sums: Floats, part: Mask) -> Floats:
        return np.hstack([sums[part, None] * SUM, self._figures[part]])

    def calibrated(self, line: Floats, odds: Floats, part: Mask) -> Floats:
        """Weights of line and odds and the offset that make a probability of them.

        Of held-out genuine pages, each group weighing once.
        """
        kept = part & self.genuine
        model = LogisticRegression(C=1e4)
        model.fit(np.column_stack([line, odds])[kept], self.yes[kept], self._roots[kept] ** 2)
        return np.array([*model.coef_[0], model.intercept_[0]])

    def folded(self, part: Mask) -> Folded:
        """What is learnt without each fold, and what it says of the fold."""
        size = len(self.rows)
        sums, lines, odds = np.zeros(size), np.zeros(size), np.zeros(size)
        words, seconds, grown = [], [], []
        for fold in range(FOLDS):
            rest, out = part & (self.folds != fold), part & (self.folds == fold)
            words.append(self.words(rest))
            sums[out] = self.sums(words[-1], out)
            grown.append(self.trees(rest))
            odds[out] = self.odds(grown[-1], out)
        for fold in range(FOLDS):
            rest, out = part & (self.folds != fold), part & (self.folds == fold)
            seconds.append(self.second(sums, rest))
            lines[out] = self.totals(seconds[-1], sums, out)
        told = self.calibrated(lines, odds, part)
        made = [self.arrays(*three, told) for three in zip(words, seconds, grown, strict=True)]
        return Folded(sums, lines, odds, told, made)

    def whole(self, part: Mask, folded: Folded) -> Arrays:
        """The model of a part, whose held-out sums and calibration are known."""
        return self.arrays(self.words(part), self.second(folded.sums, part), self.trees(part), folded.told)

    def arrays(
        self, words: tuple[Floats, float], second: tuple[Floats, float], grown: Arrays, told: Floats
    ) -> Arrays:
        """A model as it ships: words in eight bits, a scale for each block, figures as they are, trees."""
        weights = words[0].reshape(len(BLOCKS), COLUMNS)
        # Few weights stand far above all others: cut off, they leave the rest finer steps.
        scales = np.array([np.quantile(np.abs(row[row != 0]), CUT) for row in weights]) / 127
        slope, odds, offset = told
        share = second[0][0] * SUM
        made: Arrays = {
            "words": np.rint(weights / scales[:, None]).clip(-127, 127).astype(np.int8).ravel(),
            "scales": scales.astype(np.float32),
            "figures": (second[0][1:] * FIGURES * slope).astype(np.float32),
            "calibration": np.array([words[1], share * slope, odds, offset + slope * second[1]], np.float32),
        }
        return {f"{self.question}_{name}": array for name, array in made.items()} | grown


def flat(forest: ExtraTreesClassifier) -> Arrays:
    """All nodes of all trees in a row: roots, and of each node its figure, its limit, its children and its share."""
    made: dict[str, list[NDArray[Any]]] = {name: [] for name in PARTS}
    start = 0
    for one in forest.estimators_:
        tree = one.tree_
        order = _children_together(tree)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        left = tree.children_left[order]
        inner = left >= 0
        made["roots"].append(np.array([start]))
        made["figure"].append(np.where(inner, tree.feature[order], 0))
        made["limit"].append(np.where(inner, tree.threshold[order], 0))
        made["below"].append(np.where(inner, start + place[left], 0))
        made["share"].append(np.rint(255 * tree.value[order, 0, 1] / tree.value[order, 0].sum(axis=1)))
        start += len(order)
    return {name: np.concatenate(made[name]).astype(kind) for name, kind in PARTS.items()}


def _children_together(tree: Any) -> NDArray[np.int64]:
    """The nodes of a tree level by level: the child for yes stands behind the child for no."""
    order = [0]
    for node in order:
        if tree.children_left[node] >= 0:
            order += [tree.children_left[node], tree.children_right[node]]
    return np.array(order)


def word_matrix(chosen: Sequence[Row]) -> sparse.csr_matrix:
    """One row a page: the columns of all blocks."""
    pointers, columns, values = [0], [], []
    for row in chosen:
        for number, block in enumerate(row.features.blocks):
            columns.append(block.columns + number * COLUMNS)
            values.append(block.values)
        pointers.append(pointers[-1] + sum(len(block.columns) for block in row.features.blocks))
    shape = (len(chosen), len(BLOCKS) * COLUMNS)
    return sparse.csr_matrix((np.concatenate(values), np.concatenate(columns), pointers), shape=shape)


def models(everything: Sequence[Row], schemes: Sequence[str], scratch: Path) -> Arrays:
    """The arrays of the model that ships; those of the schemes are left in the scratch folder."""
    shipped: Arrays = {"version": np.array(VERSION)}
    kept: dict[str, Arrays] = {}
    for question in QUESTIONS:
        trainer = Trainer(everything, question)
        parts: dict[str, Mask] = {"frozen": np.ones(len(everything), bool)}
        if "last" in schemes:
            parts["last"] = np.array([row.collection not in genuine.COLLECTED_LAST for row in everything])
        for scheme, part in parts.items():
            folded = trainer.folded(part)
            kept.setdefault(scheme, {}).update(trainer.whole(part, folded))
            if scheme != "frozen":
                continue
            for fold, arrays in enumerate(folded.made):
                kept.setdefault(f"groups-{fold}", {}).update(arrays)
            for kind in sorted({row.kind for row in everything} if "kinds" in schemes else ()):
                rest = np.array([row.kind != kind or row.label != question for row in everything])
                kept.setdefault(f"kinds-{kind}", {}).update(
                    trainer.whole(rest, folded)
                    if kind and question == "spam"
                    else {name: array for name, array in kept["frozen"].items() if name.startswith(question)}
                )
    for name, arrays in kept.items():
        if name.partition("-")[0] in {*schemes, "frozen"}:
            write(shipped | arrays, scratch / f"model-{name}.npz")
    return shipped | kept["frozen"]


def write(arrays: Arrays, path: Path) -> None:
    """An npz file without dates, so that equal arrays make equal files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, array in sorted(arrays.items()):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            packed.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), zipfile.ZIP_DEFLATED, 9)


def record(everything: Sequence[Row], path: Path) -> dict[str, object]:
    """What a file of weights is, and what it was made from."""
    labelled = sorted(f"{page.name} {page.label}" for page in genuine.pages() if page.label != "out")
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "labelled_pages": sum(not row.composed for row in everything),
        "labelled_sha256": hashlib.sha256("\n".join(labelled).encode()).hexdigest(),
        "composed_pages": sum(row.composed for row in everything),
        "composed_sha256": composed_digest(),
    }


def sources() -> str:
    """The repositories that the pages are from, each as the SHA-256 of its lower-case `owner/name`."""
    named = {page.repository.lower() for page in genuine.pages() if page.label != "out" and page.repository}
    return "".join(f"{one}\n" for one in sorted(hashlib.sha256(name.encode()).hexdigest() for name in named))


def main() -> None:
    """Train and write, or compare with what is shipped."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "--scheme", action="append", choices=SCHEMES, default=[], help="models to judge with"
    )
    options.add_argument("--check", action="store_true", help="compare with what is shipped, write nothing")
    given = options.parse_args()
    everything = list(rows())
    arrays = models(everything, given.scheme, genuine.SCRATCH)
    made = genuine.SCRATCH / "made.npz" if given.check else SHIPPED
    write(arrays, made)
    told = record(everything, made)
    if given.check:
        same = made.read_bytes() == SHIPPED.read_bytes() and told == json.loads(RECORD.read_text("utf-8"))
        print("the shipped file is what the pages give" if same else f"the shipped file differs: {told}")
        sys.exit(0 if same else 1)
    RECORD.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    SOURCES.write_text(sources(), "utf-8")
    print(f"{SHIPPED}: {SHIPPED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
