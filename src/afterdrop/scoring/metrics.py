"""The link metrics as scoring reads them. Pure.

Feeds, review and the provider clients lie below scoring and speak of the same values, so the definitions stand
beside `afterdrop.names`, in `afterdrop.link_metrics`; import them from there outside this package.
"""

from __future__ import annotations

from afterdrop.link_metrics import (
    ANCHORS,
    AUTHORITY_SCORE,
    BACKLINKS,
    CITATION_FLOW,
    DOMAIN_AUTHORITY,
    DOMAIN_RATING,
    INDEXED_PAGES,
    LINK_FIGURES,
    LINK_RANK,
    NOTHING_KNOWN,
    PAGERANK,
    REFERRING_DOMAINS,
    ROLES,
    TOP_REFERRING_DOMAINS,
    TOPIC,
    TOPICAL_TRUST_FLOW,
    TRUST_FLOW,
    Metric,
    Metrics,
    Role,
    Value,
    contract_key,
)

__all__ = [
    "ANCHORS",
    "AUTHORITY_SCORE",
    "BACKLINKS",
    "CITATION_FLOW",
    "DOMAIN_AUTHORITY",
    "DOMAIN_RATING",
    "INDEXED_PAGES",
    "LINK_FIGURES",
    "LINK_RANK",
    "NOTHING_KNOWN",
    "PAGERANK",
    "REFERRING_DOMAINS",
    "ROLES",
    "TOPIC",
    "TOPICAL_TRUST_FLOW",
    "TOP_REFERRING_DOMAINS",
    "TRUST_FLOW",
    "Metric",
    "Metrics",
    "Role",
    "Value",
    "contract_key",
]
