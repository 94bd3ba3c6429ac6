"""The recorded examples, put into the OpenAPI document where tools look for them."""

from __future__ import annotations

from typing import Any

from afterdrop.web.schemas.examples import RecordedAnswer, examples


def show_recorded(operation: dict[str, Any]) -> None:
    """Show what was sent to an operation, and what came back."""
    recorded = examples()["operations"][operation["operationId"]]
    sent = {"path": recorded["path"], "query": recorded["query"]}
    for parameter in operation.get("parameters", []):
        value = sent.get(parameter["in"], {}).get(parameter["name"])
        if value is not None:
            parameter["examples"] = {"example": {"value": value}}
    if "requestBody" in operation:
        operation["requestBody"]["content"]["application/json"]["example"] = recorded["body"]
    by_status: dict[int, list[RecordedAnswer]] = {}
    for answer in recorded["answers"]:
        by_status.setdefault(answer["status"], []).append(answer)
    for status, answers in by_status.items():
        shown = {answer["name"]: {"value": answer["body"]} for answer in answers}
        operation["responses"][str(status)]["content"]["application/json"]["examples"] = shown


def show_event(operation: dict[str, Any], kind: str) -> None:
    """Show an event that was sent."""
    content = operation["requestBody"]["content"]["application/json"]
    content["examples"] = {"example": {"value": examples()["events"][kind]}}
