"""What tools give back, as JSON schemas made from the API's models. Pure.

No member is required, because an answer that is too long is cut; and what strangers wrote stands under
`untrusted_text`, as `untrusted` puts it there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from afterdrop.web.mcp import untrusted
from afterdrop.web.schemas import account, checks, domains, lookups, report, rules

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
def _whole(model: type[BaseModel]) -> Schema:
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


def model(made: type[BaseModel], **changed: Schema) -> Schema:
    """A model's members, some of them in another shape."""
    return members(**{**_whole(made)["properties"], **changed})


def separated(made: type[BaseModel], own: Collection[str], **changed: Schema) -> Schema:
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
REGISTRATION: Final = separated(lookups.WhoisRecord, untrusted.REGISTRATION, statuses=_STATUSES)
REPORT_REGISTRATION: Final = separated(report.ReportRegistration, untrusted.REGISTRATION, statuses=_STATUSES)
SUMMARY: Final = separated(domains.Summary, untrusted.SUMMARY)
SEARCHED: Final = members(**SUMMARY["properties"], outcome=members(became=TEXT, days=nullable(WHOLE)))
RISKS: Final = listed(members(flag=TEXT, label=TEXT, result=TEXT, severity=TEXT))
REPORT: Final = separated(
    report.FullReport,
    untrusted.REPORT,
    detail={"type": "string", "enum": ["full", "basic"]},
    risk_checks=RISKS,
    spam=TEXT,
    anchors=members(spam_share=nullable({"type": "number"})),
    registration=nullable(REPORT_REGISTRATION),
)
PAGE: Final = separated(report.Page, untrusted.PAGE, number=WHOLE)
RULE: Final = model(rules.Rule)
MATCH: Final = model(rules.Match, domain=SUMMARY)
_SHORT_CHECK: Final = separated(checks.OrderedCheck, untrusted.CHECK)
CHECK: Final = separated(
    checks.CheckDetail, untrusted.CHECK, report=nullable(REPORT), registration=nullable(REGISTRATION)
)
LISTED_CHECK: Final = _SHORT_CHECK
OFFER: Final = members(
    ordered=YES, cost=WHOLE, credits_available=WHOLE, check=nullable(_SHORT_CHECK), domain=TEXT, next=TEXT
)
BATCH_ITEM: Final = model(checks.BatchItem, check=nullable(_SHORT_CHECK))
PREVIEW: Final = model(checks.CheckBatchPreview)
BATCH: Final = model(checks.CheckBatch, credits_available=WHOLE)
RATING: Final = model(lookups.RatingRow)
DNS: Final = separated(lookups.DnsResult, untrusted.DNS)
ME: Final = model(account.Me)
STATS: Final = model(account.Stats)
BECAME: Final = members(became=TEXT, days=nullable(WHOLE))
