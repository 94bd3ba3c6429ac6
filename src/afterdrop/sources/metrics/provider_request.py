"""Building one HTTP request from a provider's template and some names. Pure. Keys are redacted from what is shown."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import quote, quote_plus, urlencode

from afterdrop.core.json_values import Json
from afterdrop.sources.metrics.provider_spec import PLACEHOLDER, VARIABLE, ProviderSpec, Scalar

HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """The request to send. `url`, `headers` and `json` hold keys: never show them, and `redact` error messages."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    json: Json = field(default=None, repr=False)


def build_request(spec: ProviderSpec, domains: Sequence[str], today: date) -> ProviderRequest:
    """The request that asks `spec` about `domains` (at most its batch size)."""
    request, auth = spec.file.request, spec.file.auth
    scalars = {"domain": domains[0], "n": str(len(domains)), "today": today.isoformat()}
    query = [
        *_query(request.query, domains, scalars),
        *((key, _with_keys(text, spec)) for key, text in auth.query.items()),
    ]
    headers = {
        **{key: _filled(text, scalars) for key, text in request.headers.items()},
        **{key: _with_keys(text, spec) for key, text in auth.headers.items()},
    }
    if auth.basic:
        pair = ":".join(_with_keys(text, spec) for text in auth.basic)
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    url = _filled(spec.url, {key: quote(text, safe="") for key, text in scalars.items()})
    if query:
        url += ("&" if "?" in url else "?") + urlencode(query)
    body = None if request.body is None else _body(request.body, domains, scalars)
    return ProviderRequest(request.method, url, headers, body)


def redact(text: str, spec: ProviderSpec) -> str:
    """`text` without the provider's keys, in any spelling that a URL or header gives them."""
    for key in sorted(_spellings(spec), key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    return text


def _spellings(spec: ProviderSpec) -> set[str]:
    found: set[str] = set()
    for key in spec.keys.values():
        found |= {key, quote(key, safe=""), quote(key), quote_plus(key)}
    if spec.file.auth.basic:
        pair = ":".join(_with_keys(text, spec) for text in spec.file.auth.basic)
        found.add(base64.b64encode(pair.encode()).decode())
    return found - {""}


def _with_keys(text: str, spec: ProviderSpec) -> str:
    return VARIABLE.sub(lambda match: spec.keys.get(match[1], ""), text)


def _filled(text: str, scalars: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: scalars.get(match[1], match[0]), text)


def _query(
    template: Mapping[str, Scalar], domains: Sequence[str], scalars: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for key, value in template.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "{{i}}" in key:
            for number, domain in enumerate(domains):
                yield key.replace("{{i}}", str(number)), _filled(text, {**scalars, "domain": domain})
        elif text == "{{domains}}":
            yield from ((key, domain) for domain in domains)
        else:
            yield key, _filled(text, {**scalars, "domains": ",".join(domains)})


def _body(template: Json, domains: Sequence[str], scalars: Mapping[str, str]) -> Json:
    if isinstance(template, dict):
        if set(template) == {"{{each}}"}:
            return [
                _body(template["{{each}}"], [domain], {**scalars, "domain": domain}) for domain in domains
            ]
        return {key: _body(value, domains, scalars) for key, value in template.items()}
    if isinstance(template, list):
        return [_body(value, domains, scalars) for value in template]
    if template == "{{domains}}":
        return list(domains)
    if template == "{{n}}":
        return len(domains)
    return _filled(template, scalars) if isinstance(template, str) else template
