"""Makes `review/data/second_opinion.npz`: a linear model over hashed words and what the lists found, in eight bits.

    python -m bench.second_opinion [--folds | --check]

Trains on every labelled page there is (../shared/real/history, groups weighed by the root of their size) and on the
composed pages of the tests. `--folds` makes, in the scratch folder, the models that bench/review_genuine.py judges
with: one for each eighth of the groups, trained without it. The shipped model's probabilities are calibrated on those.
The same pages give the same file, byte for byte: `--check` makes it anew and compares. Beside the file stands a record
(bench/second_opinion.json) of its hash, of the pages it was made from, and of what the lists find in the composed ones,
which a test holds against today's lists. Needs scikit-learn (the dependency group `bench`).
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

import numpy as np
from bench import genuine
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from tests.unit.review.all_composed import composed_digest, composed_pages

from afterdrop.review.page.charset import decode
from afterdrop.review.page.page_words import page_words
from afterdrop.review.page.view import PageView, view_page
from afterdrop.review.spam import second_opinion
from afterdrop.review.spam.features import BLOCKS, COLUMNS
from afterdrop.review.spam.second_opinion import Features, features

FOLDS = 8
COST, POSITIVE, COMPOSED = 5.0, 8.0, 1.0
# Figures stand beside words of length 1 by block: how much a step of theirs may weigh.
FIGURES = 0.7
CUT = 0.9995
SHIPPED = Path(second_opinion.__file__).parents[1] / "data/second_opinion.npz"
RECORD = Path(__file__).with_suffix(".json")
VERSION = "2026.11.2"
QUESTIONS = ("spam", "parked")


@dataclass(frozen=True)
class Row:
    """One page to learn from."""

    group: str
    family: str
    label: str
    features: Features
    composed: bool


def fold_of(family: str) -> int:
    """The eighth of all families of sites that one is in."""
    return int(hashlib.sha256(f"fold {family}".encode()).hexdigest()[:8], 16) % FOLDS


def features_of(view: PageView) -> Features:
    """What the model sees of a page."""
    return features(view, page_words(view))


def composed_features(body: bytes) -> Features:
    """What it sees of a composed page: its menu, which all pages of a kind share, left out."""
    seen = features_of(view_page(decode(body), ""))
    head, text, links = seen.blocks
    menu = replace(links, text="", columns=links.columns[:0], values=links.values[:0])
    return replace(seen, blocks=(head, text, menu))


def rows() -> Iterator[Row]:
    """Every labelled and composed page."""
    for page, view in genuine.views(genuine.pages()):
        if view is not None and page.label != "out":
            yield Row(page.group, page.family, page.label, features_of(view), False)
    for label, name, body in composed_pages():
        yield Row(f"composed {name}", f"composed {name}", label, composed_features(body), True)


def matrix(chosen: Sequence[Row]) -> sparse.csr_matrix:
    """One row a page: the columns of all blocks, then the figures."""
    pointers, columns, values = [0], [], []
    for row in chosen:
        for number, block in enumerate(row.features.blocks):
            columns.append(block.columns + number * COLUMNS)
            values.append(block.values)
        pointers.append(pointers[-1] + sum(len(block.columns) for block in row.features.blocks))
    shape = (len(chosen), len(BLOCKS) * COLUMNS)
    words = sparse.csr_matrix((np.concatenate(values), np.concatenate(columns), pointers), shape=shape)
    figures = sparse.csr_matrix(np.array([row.features.figures * FIGURES for row in chosen]))
    return sparse.csr_matrix(sparse.hstack([words, figures]))


def fit(chosen: Sequence[Row], question: str) -> NDArray[np.float64]:
    """The weights that tell pages of one label from all others; the last one is the constant."""
    yes = np.array([row.label == question for row in chosen])
    sizes = Counter((row.group, row.label) for row in chosen)
    weights = np.array([COMPOSED if row.composed else sizes[row.group, row.label] ** -0.5 for row in chosen])
    model = LogisticRegression(C=COST, solver="liblinear", dual=True, max_iter=5000, tol=1e-4, random_state=0)
    model.fit(matrix(chosen), yes, weights * np.where(yes, POSITIVE, 1.0))
    return np.append(model.coef_[0], model.intercept_[0])


def quantised(weights: NDArray[np.float64]) -> dict[str, NDArray[np.generic]]:
    """The weights as they ship: words in eight bits, a scale for each block, figures as they are."""
    columns = len(BLOCKS) * COLUMNS
    words = weights[:columns].reshape(len(BLOCKS), COLUMNS)
    # Few weights stand far above all others: cut off, they leave the rest finer steps.
    scales = np.array([np.quantile(np.abs(row[row != 0]), CUT) for row in words]) / 127
    return {
        "words": np.rint(words / scales[:, None]).clip(-127, 127).astype(np.int8).ravel(),
        "scales": scales.astype(np.float32),
        "figures": (weights[columns:-1] * FIGURES).astype(np.float32),
    }


def calibrated(totals: NDArray[np.float64], chosen: Sequence[Row], question: str) -> NDArray[np.float32]:
    """Slope and offset that make sums of held-out genuine pages probabilities, each group weighing once."""
    kept = [at for at, row in enumerate(chosen) if not row.composed]
    sizes = Counter(chosen[at].group for at in kept)
    yes = np.array([chosen[at].label == question for at in kept])
    model = LogisticRegression(C=1e4)
    model.fit(totals[kept, None], yes, [1 / sizes[chosen[at].group] for at in kept])
    return np.array([model.coef_[0, 0], model.intercept_[0]], np.float32)


def models(everything: Sequence[Row], scratch: Path) -> dict[str, NDArray[np.generic]]:
    """Train all folds, keep them in the scratch folder, and give the arrays of the model that ships."""
    folds = np.array([fold_of(row.family) for row in everything])
    arrays: dict[str, NDArray[np.generic]] = {"version": np.array(VERSION)}
    kept: list[dict[str, NDArray[np.generic]]] = [{"version": np.array(VERSION)} for _ in range(FOLDS)]
    whole = matrix(everything)
    for question in QUESTIONS:
        totals = np.zeros(len(everything))
        for fold in range(FOLDS):
            weights = fit([row for row, at in zip(everything, folds, strict=True) if at != fold], question)
            kept[fold] |= {f"{question}_{name}": part for name, part in quantised(weights).items()}
            raw = np.append(weights[:-1], 0.0)[:-1]
            totals[folds == fold] = whole[np.flatnonzero(folds == fold)] @ raw + weights[-1]
            kept[fold][f"{question}_constant"] = np.array(weights[-1])
        line = calibrated(totals, everything, question)
        for own in kept:
            own[f"{question}_calibration"] = _shifted(line, float(own.pop(f"{question}_constant")))
        weights = fit(everything, question)
        arrays |= {f"{question}_{name}": part for name, part in quantised(weights).items()}
        arrays[f"{question}_calibration"] = _shifted(line, float(weights[-1]))
    for fold, own in enumerate(kept):
        write(own, scratch / f"opinion-{fold}.npz")
    return arrays


def _shifted(line: NDArray[np.float32], constant: float) -> NDArray[np.float32]:
    """A calibration that adds the model's constant, which the shipped weights leave out."""
    return np.array([line[0], line[1] + line[0] * constant], np.float32)


def write(arrays: dict[str, NDArray[np.generic]], path: Path) -> None:
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


def main() -> None:
    """Train and write, or compare with what is shipped."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--folds", action="store_true", help="leave the shipped model as it is")
    options.add_argument("--check", action="store_true", help="compare with what is shipped, write nothing")
    given = options.parse_args()
    everything = list(rows())
    arrays = models(everything, genuine.SCRATCH)
    if given.folds:
        return
    made = genuine.SCRATCH / "made.npz" if given.check else SHIPPED
    write(arrays, made)
    told = record(everything, made)
    if given.check:
        same = made.read_bytes() == SHIPPED.read_bytes() and told == json.loads(RECORD.read_text("utf-8"))
        print("the shipped file is what the pages give" if same else f"the shipped file differs: {told}")
        sys.exit(0 if same else 1)
    RECORD.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(f"{SHIPPED}: {SHIPPED.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
