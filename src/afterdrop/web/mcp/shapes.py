"""What tools give back, as JSON schemas made from the API's models. Pure.

No member is required, because an answer that is too long is cut; and what strangers wrote stands under
`untrusted_text`, as `untrusted` puts it there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter

from afterdrop.catalogue import kit_shapes, purchase, rejections, shapes, stats
from afterdrop.checks import batch, order
from afterdrop.sources.dns.answers import DnsResult
from afterdrop.sources.lookups.domain_rating import RatingRowJson
from afterdrop.sources.lookups.registry import WhoisRecord
from afterdrop.watching import rules as watching_rules
from afterdrop.watching import watchlist
from afterdrop.web.mcp import untrusted
from afterdrop.web.schemas import account, rules

Schema = dict[str, Any]
OBJECT: Final[Schema] = {"type": "object"}
TEXT: Final[Schema] = {"type": "string"}
WHOLE: Final[Schema] = {"type": "integer"}
YES: Final[Schema] = {"type": "boolean"}
# What a schema says beyond its type: an assistant pays for it and cannot use it.
_LEFT_OUT: Final = frozenset(
    {"title", "description", "required", "pattern", "format", "examples", "default", "discriminator"}
    | {"minimum", "maximum", "minLength", "maxLength", "additionalProperties"}
)


def nullable(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listed(schema: Schema) -> Schema:
    """An array of what the schema says."""
    return {"type": "array", "items": schema}


def members(**properties: Schema) -> Schema:
    """An object with these members."""
    return {"type": "object", "properties": properties}


@cache
def _whole(model: type) -> Schema:
    schema = TypeAdapter(model).json_schema(mode="serialization", ref_template="{model}")
    shown: Schema = _inlined(schema, schema.get("$defs", {}))
    return shown


def _inlined(value: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inlined(item, named) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _inlined(named[value["$ref"]], named)
    made = {}
    for key, item in value.items():
        if key == "properties":
            made[key] = {name: _inlined(member, named) for name, member in item.items()}
        elif key not in _LEFT_OUT and key != "$defs":
            made[key] = _inlined(item, named)
    return made


def model(made: type, **changed: Schema) -> Schema:
    """A model's members, some of them in another shape."""
    return members(**{**_whole(made)["properties"], **changed})


def _without_url(made: type) -> Schema:
    return members(**{name: schema for name, schema in _whole(made)["properties"].items() if name != "url"})


def separated(made: type, own: Collection[str], **changed: Schema) -> Schema:
    """A model whose members beside `own` are untrusted text; `changed` ones are in another shape."""
    kept = {name: schema for name, schema in _whole(made)["properties"].items() if name in own}
    return members(**{**kept, **changed, untrusted.UNTRUSTED: OBJECT})


def answer(data: Schema, meta: Schema | None = None) -> Schema:
    """The schema of a tool's whole answer."""
    shown = members(data=data, next_cursor=nullable(TEXT), note=TEXT)
    if meta is not None:
        shown["properties"]["meta"] = meta
    return shown


TOTAL: Final = members(total=WHOLE)
_STATUSES: Final = nullable(listed(TEXT))
REGISTRATION: Final = separated(WhoisRecord, untrusted.REGISTRATION, statuses=_STATUSES)
REPORT_REGISTRATION: Final = separated(shapes.ReportRegistration, untrusted.REGISTRATION, statuses=_STATUSES)
# Addresses of feeds are strangers' text.
_OFFER: Final[dict[str, Schema]] = {
    "listing": _without_url(shapes.ListingJson),
    "purchase": listed(_without_url(purchase.Way)),
    "flag_levels": OBJECT,
}
SUMMARY: Final = separated(shapes.Summary, untrusted.SUMMARY, **_OFFER)
SEARCHED: Final = members(**SUMMARY["properties"], outcome=members(became=TEXT, days=nullable(WHOLE)))
RISKS: Final = listed(members(flag=TEXT, label=TEXT, result=TEXT, severity=TEXT))
REPORT: Final = separated(
    shapes.FullReport,
    untrusted.REPORT,
    **_OFFER,
    detail={"type": "string", "enum": ["full", "basic"]},
    risk_checks=RISKS,
    spam=TEXT,
    anchors=members(spam_share=nullable({"type": "number"}), known=nullable(WHOLE)),
    registration=nullable(REPORT_REGISTRATION),
)
REJECTED: Final = separated(rejections.RejectedSummary, untrusted.REJECTED)
PAGE: Final = separated(kit_shapes.PageJson, untrusted.PAGE, number=WHOLE)
RULE: Final = model(rules.Rule)
MATCH: Final = model(watching_rules.MatchJson, domain=SUMMARY)
_SHORT_CHECK: Final = separated(order.OrderedCheck, untrusted.CHECK)
CHECK: Final = separated(
    order.CheckDetail, untrusted.CHECK, report=nullable(REPORT), registration=nullable(REGISTRATION)
)
LISTED_CHECK: Final = _SHORT_CHECK
OFFER: Final = members(
    ordered=YES, cost=WHOLE, credits_available=WHOLE, check=nullable(_SHORT_CHECK), domain=TEXT, next=TEXT
)
BATCH_ITEM: Final = model(batch.BatchItemJson, check=nullable(_SHORT_CHECK))
PREVIEW: Final = model(batch.CheckBatchPreview)
BATCH: Final = model(batch.CheckBatchJson, credits_available=WHOLE)
RATING: Final = model(RatingRowJson)
DNS: Final = separated(DnsResult, untrusted.DNS)
FOLLOWED: Final = model(watchlist.FollowedNames)
ME: Final = model(account.Me)
STATS: Final = model(stats.Stats)
BECAME: Final = members(became=TEXT, days=nullable(WHOLE))
