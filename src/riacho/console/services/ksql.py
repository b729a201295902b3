"""KSQL servers as the console asks them: statements, what runs, what there is. Rows of queries: `ksql_rows.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from riacho.console.services.http_service import HttpService
from riacho.console.services.kept import Kept
from riacho.console.services.ksql_rows import KsqlRows
from riacho.web.errors import ApiError

MEDIA_TYPE = "application/vnd.ksql.v1+json"
# A statement may start Spark.
_STATEMENT_TIMEOUT_S = 120.0
_KEEP_MS = 2_000
# They change with the server's version, and with what is installed beside it.
_KEEP_FUNCTIONS_MS = 60_000

Entity: TypeAlias = dict[str, Any]


class Query(msgspec.Struct, rename="camel"):
    """A query as SHOW QUERIES EXTENDED tells it; `statistics` are Riacho's."""

    id: str
    statement_text: str = ""
    query_type: str = "PERSISTENT"
    state: str | None = None
    sources: list[str] = []
    sinks: list[str] = []
    topology: str = ""
    execution_plan: str = ""
    query_errors: list[dict[str, Any]] = []
    statistics: dict[str, Any] = {}


class Source(msgspec.Struct, rename="camel"):
    name: str
    topic: str
    type: str = ""
    key_format: str = ""
    value_format: str = ""
    is_windowed: bool = False


class Function(msgspec.Struct):
    name: str
    type: str = ""
    category: str = ""


class Ksql:
    def __init__(self, service: HttpService, timeout_s: float) -> None:
        self._service = service
        self.rows = KsqlRows(service, timeout_s)
        self.queries: Kept[list[Query]] = Kept(self._queries, _KEEP_MS)
        self.sources: Kept[list[Source]] = Kept(self._sources, _KEEP_MS)
        self.functions: Kept[list[Function]] = Kept(self._functions, _KEEP_FUNCTIONS_MS)

    @property
    def is_there(self) -> bool:
        return bool(self._service.urls)

    def close(self) -> None:
        self.rows.close()
        self._service.close()

    async def run(self, sql: str, properties: Mapping[str, str]) -> list[Entity]:
        """Statements that answer no rows. ApiError with those that were done before the one that is refused."""
        try:
            return await self._entities(sql, properties, _STATEMENT_TIMEOUT_S)
        finally:
            self.queries.forget()
            self.sources.forget()

    async def ask(self, sql: str, properties: Mapping[str, str] | None = None) -> list[Entity]:
        """The same, of statements that change nothing."""
        return await self._entities(sql, properties or {}, None)

    async def _entities(self, sql: str, properties: Mapping[str, str], timeout_s: float | None) -> list[Entity]:
        body = {"ksql": sql, "streamsProperties": properties}
        found: list[Entity] = self._service.shaped(
            await self._service.ask("POST", "ksql", body=body, timeout_s=timeout_s), list[Entity]
        )
        return found

    async def _queries(self) -> list[Query]:
        [answer] = await self._answers("SHOW QUERIES EXTENDED;", 1)
        found: list[Query] = self._service.shaped(answer.get("queryDescriptions", []), list[Query])
        return sorted(found, key=lambda each: each.id)

    async def _sources(self) -> list[Source]:
        answers = await self._answers("LIST STREAMS; LIST TABLES;", 2)
        found: list[Source] = []
        for answer, kind in zip(answers, ("streams", "tables"), strict=True):
            listed: list[Source] = self._service.shaped(answer.get(kind, []), list[Source])
            found += [msgspec.structs.replace(each, type=kind[:-1]) for each in listed]
        return sorted(found, key=lambda each: each.name)

    async def _functions(self) -> list[Function]:
        [answer] = await self._answers("LIST FUNCTIONS;", 1)
        found: list[Function] = self._service.shaped(answer.get("functions", []), list[Function])
        return sorted(found, key=lambda each: each.name)

    async def _answers(self, sql: str, count: int) -> list[Entity]:
        found = await self.ask(sql)
        if len(found) != count:
            raise ApiError(502, 50210, f"KSQL answered {len(found)} results to {count} questions.")
        return found


def ksql_service(urls: Iterable[str], timeout_s: float) -> HttpService:
    return HttpService("KSQL", tuple(urls), timeout_s=timeout_s, media_type=MEDIA_TYPE)
