"""A batch of checks as a CSV file."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from afterdrop.catalogue.summary import instant
from afterdrop.checks.batch import CheckBatch
from afterdrop.checks.order import check_json
from afterdrop.web.list_csv import cell

_COLUMNS: Final = (
    *(
        "domain",
        "known",
        "status",
        "score",
        "verdict",
        "would_list",
        "reject_reasons",
        "finished_at",
        "report_url",
    ),
)
_VERDICTS: Final = {"rejected": "rejected", "unknown": "not enough data"}


def batch_csv(batch: CheckBatch, site_url: str) -> str:
    """The names of a batch, one a line, with what their checks found so far.

    A name that was rejected for spam, or of which too little is known, has no score.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for item in batch.items:
        values: dict[str, Any] = {"domain": item.domain, "known": item.known}
        if item.check is not None:
            values |= {**item.check, **check_json(item.check, site_url)}
            values["finished_at"] = instant(item.check["finished_at"])
            if item.check["status"] == "done" and item.check["standing"] != "scored":
                values |= {"score": None, "verdict": _VERDICTS[item.check["standing"]]}
        elif item.listed is not None:
            values |= item.listed
        writer.writerow([cell(values.get(name)) for name in _COLUMNS])
    return out.getvalue()
