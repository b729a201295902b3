"""The versions of a subject, the newest first: under which id each stands, without its text."""

from __future__ import annotations

import time

import msgspec
from starlette.responses import Response

from riacho.console.api.listing import PAGE_QUERY, Page, cut
from riacho.console.parts import Parts
from riacho.console.services.schema_registry import SchemaVersion
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


class VersionRow(msgspec.Struct):
    """What could not be asked for is None."""

    version: int
    id: int | None
    type: str | None
    # How many other schemas it refers to.
    references: int | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        registry = parts.clusters.of(call).services.schema_registry
        subject = call.segment("s")
        known = (await registry.summary(subject, is_fresh=True)).versions
        found = cut(call, known, str, {"version": int}, "-version")
        told = await registry.versions(subject, found.rows)
        failed = next((each.message for each in told.values() if isinstance(each, ApiError)), None)
        rows = [_row(version, told[version]) for version in found.rows]
        now_ms = time.time_ns() // 1_000_000
        return json_answer(Page(rows, found.total, found.page, found.page_size, now_ms, failed))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/schemas/{s}/versions", get, "Its versions, with their ids.",
                 tag="schemas", query=PAGE_QUERY, answers={200: Page[VersionRow]}),
    ]  # fmt: skip


def _row(version: int, told: SchemaVersion | ApiError) -> VersionRow:
    if isinstance(told, ApiError):
        return VersionRow(version, None, None, None)
    return VersionRow(version, told.id, told.type, len(told.references))
