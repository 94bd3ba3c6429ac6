"""Style sheet, script and icon: a handful of files of our own, kept in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from afterdrop.web.site.site_request import GUARDS
from afterdrop.web.site.templates import STATIC

KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_YEAR: Final = "public, max-age=31536000, immutable"


@lru_cache(maxsize=1)
def _files() -> dict[str, tuple[bytes, str]]:
    return {
        path.name: (path.read_bytes(), KINDS[path.suffix])
        for path in STATIC.iterdir()
        if path.suffix in KINDS
    }


async def static_file(request: Request) -> Response:
    """One of the files; its address changes with its content, so it may be kept for good."""
    found = _files().get(request.path_params["name"])
    if found is None:
        return PlainTextResponse("Not found.", 404, headers=GUARDS)
    return Response(found[0], media_type=found[1], headers={**GUARDS, "Cache-Control": _YEAR})
