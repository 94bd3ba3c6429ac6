"""Reduction to the registrable domain: speed against tldextract, agreement with publicsuffixlist.

Run: `python -m bench.registrable_domain [--names 1000000] [--rounds 5]`. Names are generated from every rule of the
list's ICANN section (plain, wildcard, exception), with deeper hosts, bare suffixes and unlisted extensions.
tldextract runs on its packaged list with private domains off, which is the same rule set; rounds are interleaved.
"""

from __future__ import annotations

import argparse
import random
import statistics
import string
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from afterdrop.core import domain_names

LETTERS = string.ascii_lowercase + string.digits


def label(rng: random.Random) -> str:
    """A label of 1-15 letters and digits."""
    return "".join(rng.choices(LETTERS, k=rng.randint(1, 15)))


def generated(count: int, seed: int = 1) -> Iterator[str]:
    """`count` host names over all rules of the list."""
    rng = random.Random(seed)
    rules = domain_names.suffixes()
    suffixes = sorted(
        rules.rules | rules.exceptions | {f"wild.{one}" for one in rules.wildcards} | rules.wildcards
    )
    popular = ["com", "com", "com", "net", "org", "de", "co.uk", "com.br", "co.jp", "xyz"]
    for number in range(count):
        kind = number % 10
        suffix = rng.choice(popular) if kind < 5 else rng.choice(suffixes)
        if kind == 9:
            suffix = f"unlisted{rng.choice(LETTERS)}"
        depth = rng.choice((0, 1, 1, 1, 2, 2, 3))
        yield ".".join([*(label(rng) for _ in range(depth)), suffix])


def spent(reduce: Callable[[str], Any], hosts: Sequence[str]) -> float:
    """CPU seconds to reduce every host."""
    started = time.process_time()
    for host in hosts:
        reduce(host)
    return time.process_time() - started


def differences(hosts: Sequence[str]) -> list[tuple[str, str | None, str | None]]:
    """Hosts on which we and publicsuffixlist (ICANN section) disagree."""
    import publicsuffixlist

    theirs = publicsuffixlist.PublicSuffixList(only_icann=True)
    ours = domain_names.suffixes()
    return [
        (host, mine, other)
        for host in hosts
        if (mine := ours.registrable(host)) != (other := theirs.privatesuffix(host))
    ]


def main() -> None:
    """Measure, compare, and fail when a promise is not kept."""
    import tldextract

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--names", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    hosts = list(generated(chosen.names))
    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=False)
    ours = domain_names.suffixes().registrable
    sample = hosts[: min(200_000, len(hosts))]
    extract(sample[0])
    rounds: dict[str, list[float]] = {"afterdrop": [], "tldextract": []}
    for _ in range(chosen.rounds):
        rounds["afterdrop"].append(spent(ours, sample))
        rounds["tldextract"].append(spent(lambda host: extract(host).top_domain_under_public_suffix, sample))
    medians = {peer: statistics.median(values) for peer, values in rounds.items()}
    for peer, median in medians.items():
        print(f"{peer:<12} {len(sample) / median / 1000:7.0f} k names a CPU second")
    times = medians["tldextract"] / medians["afterdrop"]
    wrong = differences(hosts)
    print(f"{times:.1f} times tldextract (promise: 3 at least)")
    print(f"{len(wrong)} differences from publicsuffixlist on {len(hosts):,} names (promise: 0) {wrong[:5]}")
    if times < 3 or wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
