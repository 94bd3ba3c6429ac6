"""Which extensions are generic: they follow ICANN's expiry policies, so that a drop day can be estimated. Pure.

Country codes set their own rules, and so do the sponsored extensions that are never sold.
"""

from __future__ import annotations

from afterdrop.core import domain_names

# Country codes in other scripts: the public suffix list's entries above its "newGTLDs" mark (2026-10).
_IDN_COUNTRY_CODES = frozenset(
    [
        "xn--2scrj9c",
        "xn--3e0b707e",
        "xn--3hcrj9c",
        "xn--45br5cyl",
        "xn--45brj9c",
        "xn--4dbrk0ce",
        "xn--54b7fta0cc",
        "xn--80ao21a",
        "xn--90a3ac",
        "xn--90ae",
        "xn--90ais",
        "xn--clchc0ea0b2g2a9gcd",
        "xn--d1alf",
        "xn--e1a4c",
        "xn--fiqs8s",
        "xn--fiqz9s",
        "xn--fpcrj9c3d",
        "xn--fzc2c9e2c",
        "xn--gecrj9c",
        "xn--h2breg3eve",
        "xn--h2brj9c",
        "xn--h2brj9c8c",
        "xn--j1amh",
        "xn--j6w193g",
        "xn--kprw13d",
        "xn--kpry57d",
        "xn--l1acc",
        "xn--lgbbat1ad8j",
        "xn--mgb2ddes",
        "xn--mgb9awbf",
        "xn--mgba3a4f16a",
        "xn--mgba3a4fra",
        "xn--mgbaam7a8h",
        "xn--mgbah1a3hjkrd",
        "xn--mgbai9a5eva00b",
        "xn--mgbai9azgqp6j",
        "xn--mgbayh7gpa",
        "xn--mgbbh1a",
        "xn--mgbbh1a71e",
        "xn--mgbc0a9azcg",
        "xn--mgbcpq6gpa1a",
        "xn--mgberp4a5d4a87g",
        "xn--mgberp4a5d4ar",
        "xn--mgbgu82a",
        "xn--mgbpl2fh",
        "xn--mgbqly7c0a67fbc",
        "xn--mgbqly7cvafr",
        "xn--mgbtf8fl",
        "xn--mgbtx2b",
        "xn--mgbx4cd0ab",
        "xn--mix082f",
        "xn--mix891f",
        "xn--nnx388a",
        "xn--node",
        "xn--o3cw4h",
        "xn--ogbpf8fl",
        "xn--p1ai",
        "xn--pgbs0dh",
        "xn--q7ce6a",
        "xn--qxa6a",
        "xn--qxam",
        "xn--rvc1e0am3e",
        "xn--s9brj9c",
        "xn--wgbh1c",
        "xn--wgbl6a",
        "xn--xkc2al3hye2a",
        "xn--xkc2dl3a5ee0h",
        "xn--y9a3aq",
        "xn--yfro4i67o",
        "xn--ygbi2ammx",
    ]
)
_NOT_SOLD = frozenset({"arpa", "edu", "gov", "int", "mil"}) | domain_names.SPECIAL_USE


def is_generic(domain: str) -> bool:
    """Whether `domain` (lowercase A-labels) stands under a generic extension's own registry.

    Names under a third-level sale zone (`example.uk.com`) do not: the zone's operator makes the rules there.
    """
    top = domain.rpartition(".")[2]
    if len(top) < 3 or top == domain or top in _NOT_SOLD or top in _IDN_COUNTRY_CODES:
        return False
    return domain_names.suffixes().registrable(domain) == domain
