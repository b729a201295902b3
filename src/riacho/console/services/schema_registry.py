"""The schema registry as the console asks it: subjects, versions, levels of compatibility, references.

The names of all subjects come in one call, kept for a moment. What a row of the list tells besides takes three small
calls a subject: made for the rows of a page alone, a few at a time, and kept as well.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.console.services.http_service import HttpService
from riacho.console.services.kept import Kept
from riacho.web.errors import ApiError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_KEEP_MS = 5_000
_ROWS_KEPT = 2_000
_ROW_KEEP_MS = 15_000
_ASKED_AT_ONCE_MAX = 6
_MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
_NOT_FOUND = frozenset({40401, 40402, 40403})
_AVRO = "AVRO"


class Reference(msgspec.Struct):
    name: str
    subject: str
    version: int


class SchemaVersion(msgspec.Struct, rename={"type": "schemaType"}):
    """As the registry tells it: a type that is not said is Avro."""

    subject: str
    version: int
    id: int
    schema: str
    type: str = _AVRO
    references: list[Reference] = []


class SubjectSummary(msgspec.Struct):
    versions: list[int]
    latest: SchemaVersion | None
    # The subject's own, None where the registry's counts.
    level: str | None


class NewSchema(msgspec.Struct, rename={"type": "schemaType"}):
    schema: str
    type: str = _AVRO
    references: list[Reference] = []


class Verdict(msgspec.Struct):
    is_compatible: bool
    messages: list[str] = []


class SchemaRegistry:
    def __init__(self, service: HttpService) -> None:
        self._service = service
        self.names: Kept[list[str]] = Kept(self._names, _KEEP_MS)
        self._rows: LruCache[str, tuple[int, SubjectSummary]] = LruCache(_ROWS_KEPT)

    @property
    def is_there(self) -> bool:
        return bool(self._service.urls)

    def close(self) -> None:
        self._service.close()

    # Subjects

    async def _names(self) -> list[str]:
        found: list[str] = self._service.shaped(await self._service.get("subjects"), list[str])
        return sorted(found)

    async def summaries(self, subjects: Iterable[str]) -> Mapping[str, SubjectSummary | ApiError]:
        """An ApiError where one cannot be told of."""
        return await _told_of(subjects, self.summary)

    async def summary(self, subject: str, *, is_fresh: bool = False) -> SubjectSummary:
        now_ms = time.monotonic_ns() // 1_000_000
        kept = None if is_fresh else self._rows.get(subject)
        if kept is not None and kept[0] > now_ms:
            return kept[1]
        versions = self._service.shaped(await self._service.get("subjects", subject, "versions"), list[int])
        found = SubjectSummary(
            sorted(versions),
            await self.version(subject, max(versions)) if versions else None,
            await self.own_level(subject),
        )
        self._rows.put(subject, (now_ms + _ROW_KEEP_MS, found))
        return found

    async def version(self, subject: str, version: int) -> SchemaVersion:
        found: SchemaVersion = self._service.shaped(
            await self._service.get("subjects", subject, "versions", version), SchemaVersion
        )
        return found

    async def versions(self, subject: str, versions: Iterable[int]) -> Mapping[int, SchemaVersion | ApiError]:
        """An ApiError where one cannot be told of, as one that was deleted since."""

        async def version(number: int) -> SchemaVersion:
            return await self.version(subject, number)

        return await _told_of(versions, version)

    async def delete(self, subject: str, version: int | None = None) -> list[int]:
        """Softly: an id goes on standing for its schema. The versions that went."""
        names = ("subjects", subject) if version is None else ("subjects", subject, "versions", version)
        gone = await self._service.ask("DELETE", *names)
        self._forget(subject)
        found: list[int] = self._service.shaped([gone] if isinstance(gone, int) else gone, list[int])
        return found

    # Compatibility

    async def level(self) -> str | None:
        """The registry's own."""
        return _level(await self._service.get("config"))

    async def own_level(self, subject: str) -> str | None:
        try:
            return _level(await self._service.get("config", subject))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    async def set_level(self, subject: str, level: str | None) -> None:
        """None: as the registry's own."""
        try:
            if level is not None:
                await self._service.ask("PUT", "config", subject, body={"compatibility": level})
            else:
                await self._service.ask("DELETE", "config", subject)
        except ApiError as error:
            # It has none of its own.
            if level is not None or error.status != 404:
                raise
        self._forget(subject)

    async def check(self, subject: str, schema: NewSchema, version: int | None) -> Verdict:
        """Against all versions that the level says, or one. A subject that is not there takes anything."""
        names: tuple[str | int, ...] = ("compatibility", "subjects", subject, "versions")
        if version is not None:
            names = (*names, version)
        try:
            found = await self._service.ask("POST", *names, query={"verbose": "true"}, body=schema)
        except ApiError as error:
            if error.error_code in _NOT_FOUND:
                return Verdict(True)
            raise
        verdict: Verdict = self._service.shaped(found, Verdict)
        return verdict

    async def register(self, subject: str, schema: NewSchema) -> int:
        """The schema's id."""
        found = await self._service.ask("POST", "subjects", subject, "versions", body=schema)
        self._forget(subject)
        registered: _Registered = self._service.shaped(found, _Registered)
        return registered.id

    async def version_of(self, subject: str, schema: NewSchema) -> int | None:
        """The number under which the subject has the schema."""
        try:
            found = await self._service.ask("POST", "subjects", subject, body=schema)
        except ApiError as error:
            if error.error_code in _NOT_FOUND:
                return None
            raise
        version: SchemaVersion = self._service.shaped(found, SchemaVersion)
        return version.version

    # References

    async def referenced_by(self, subject: str, version: int) -> list[int]:
        """Ids of schemas."""
        path = ("subjects", subject, "versions", version, "referencedby")
        found: list[int] = self._service.shaped(await self._service.get(*path), list[int])
        return found

    async def holders(self, schema_id: int) -> list[tuple[str, int]]:
        """Subjects and versions that have it."""
        found = self._service.shaped(await self._service.get("schemas", "ids", schema_id, "versions"), list[_Holder])
        return [(each.subject, each.version) for each in found]

    def _forget(self, subject: str) -> None:
        self.names.forget()
        self._rows.put(subject, (0, SubjectSummary([], None, None)))


class _Registered(msgspec.Struct):
    id: int


class _Holder(msgspec.Struct):
    subject: str
    version: int


async def _told_of(wanted: Iterable[K], ask: Callable[[K], Awaitable[V]]) -> dict[K, V | ApiError]:
    """A few at a time."""
    few = asyncio.Semaphore(_ASKED_AT_ONCE_MAX)

    async def one(each: K) -> V | ApiError:
        async with few:
            try:
                return await ask(each)
            except ApiError as error:
                return error

    keys = list(wanted)
    return dict(zip(keys, await asyncio.gather(*map(one, keys)), strict=True))


def _level(found: Any) -> str | None:
    """`compatibilityLevel` when asked for, `compatibility` from some."""
    told = found if isinstance(found, dict) else {}
    level = told.get("compatibilityLevel", told.get("compatibility"))
    return level if isinstance(level, str) else None


def registry_service(urls: Iterable[str], timeout_s: float) -> HttpService:
    return HttpService("the schema registry", tuple(urls), timeout_s=timeout_s, media_type=_MEDIA_TYPE)
