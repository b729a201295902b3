"""The audit log: what was changed here, by whom, and how it ended; newest first."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.responses import Response

from riacho.console.door.audit_log import AuditEntry, Wanted
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_PAGE_SIZE, _PAGE_SIZE_MAX = 50, 500
_TEXT_MAX = 200
# By their names in the query.
_FILTERS = {"q": "containing", "who": "who", "what": "what", "outcome": "outcome", "cluster": "cluster"}


class AuditPage(msgspec.Struct):
    items: list[AuditEntry]
    total: int
    page: int
    page_size: int
    as_of_ms: int
    stale_reason: str | None = None


def endpoints(parts: Parts) -> list[Endpoint]:
    audit, clock_ms = parts.door.audit, parts.door.now_ms
    # A read goes over all files: one at a time.
    reading = asyncio.Semaphore(1)

    async def get(call: Call) -> Response:
        page = max(1, call.integer("page", 1, bits=31))
        size = min(_PAGE_SIZE_MAX, max(1, call.integer("page_size", _PAGE_SIZE, bits=31)))
        asked = {field: (call.text(name) or "")[:_TEXT_MAX] for name, field in _FILTERS.items()}
        as_of_ms = clock_ms()
        async with reading:
            items, total = await asyncio.to_thread(audit.page, (page - 1) * size, size, Wanted(**asked))
        return json_answer(AuditPage(items, total, page, size, as_of_ms))

    return [
        Endpoint("GET", "/api/v1/audit", get, "What was changed here, newest first.", tag="audit",
                 query=(Query("page", int, "From 1 on.", 1), Query("page_size", int, "Up to 500.", _PAGE_SIZE),
                        Query("q", str, "What an entry has to contain."),
                        Query("who", str, "Only what this user did."),
                        Query("what", str, "Only where method and route have this text in them: topics, DELETE..."),
                        Query("outcome", str, "Only what ended so: done, refused, failed, gone."),
                        Query("cluster", str, "Only what is about this cluster.")),
                 answers={200: AuditPage}),
    ]  # fmt: skip
