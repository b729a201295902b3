"""The schema registry as the proxy uses it: schemas by id, by version, latest, and registration of new ones.

What can never change (a schema's text by its id, a version) is remembered, up to a bound; the latest version only for a
moment. Whatever the registry refuses is told as 42207, and that it cannot be reached as 40801.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

from riacho.client.http_client import HttpAnswer
from riacho.client.http_target import HttpError
from riacho.rest_proxy.embedded.json_text import parse_json
from riacho.schemas.formats import parse
from riacho.schemas.parsed import Codec, ParsedSchema, Reference, SchemaError, SchemaSource
from riacho.web.errors import ApiError
from riacho.web.upstream import Upstream

_MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
_SCHEMAS_MAX = 1_000
_LATEST_KEPT_S = 1.0
_REFERENCES_MAX = 1_000
_NOT_KNOWN = (40401, 40402, 40403)

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """`version` is 0 where it was not asked for."""

    subject: str
    id: int
    version: int
    parsed: ParsedSchema
    codec: Codec

    @property
    def prefix(self) -> bytes:
        """What stands before the payload: the magic byte and the id."""
        return b"\0" + self.id.to_bytes(4, "big")


class _Kept(Generic[K, V]):
    """The values last used."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._count_max:
            self._values.popitem(last=False)
        return value


class Registry:
    """`authorization` is the header's value where the registry asks who calls."""

    def __init__(
        self, upstream: Upstream, urls: Sequence[str], *, timeout_s: float = 30.0, authorization: str | None = None
    ) -> None:
        self._upstream = upstream
        self._urls = [url.rstrip("/") for url in urls]
        self._timeout_s = timeout_s
        self._headers = {"Accept": _MEDIA_TYPE, "Content-Type": _MEDIA_TYPE}
        if authorization is not None:
            self._headers["Authorization"] = authorization
        self._by_id: _Kept[int, tuple[ParsedSchema, Codec]] = _Kept(_SCHEMAS_MAX)
        self._by_version: _Kept[tuple[str, int], RegisteredSchema] = _Kept(_SCHEMAS_MAX)
        self._by_text: _Kept[tuple[str, str, str], RegisteredSchema] = _Kept(_SCHEMAS_MAX)
        self._versions: _Kept[tuple[str, int], int] = _Kept(_SCHEMAS_MAX)
        self._latest: _Kept[str, tuple[RegisteredSchema, float]] = _Kept(_SCHEMAS_MAX)

    async def by_id(self, schema_id: int) -> tuple[ParsedSchema, Codec]:
        known = self._by_id.get(schema_id)
        if known is not None:
            return known
        doing = f"Error when fetching schema by id. schemaId = {schema_id}"
        found = await self._ask("GET", f"/schemas/ids/{schema_id}", doing=doing)
        parsed = await self.parsed(found, doing)
        return self._by_id.put(schema_id, (parsed, parsed.codec()))

    async def version_of(self, subject: str, schema_id: int) -> int:
        """The version under which a subject has the schema; ApiError when it does not have it."""
        known = self._versions.get((subject, schema_id))
        if known is not None:
            return known
        parsed, _ = await self.by_id(schema_id)
        doing = f"Error when fetching schema version. subject = {subject}"
        found = await self._ask("POST", f"/subjects/{quote(subject, safe='')}", _request(parsed), doing=doing)
        return self._versions.put((subject, schema_id), int(found["version"]))

    async def by_version(self, subject: str, version: int) -> RegisteredSchema:
        known = self._by_version.get((subject, version))
        if known is not None:
            return known
        doing = f"Error when fetching schema by version. subject = {subject}, version = {version}"
        found = await self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions/{version}", doing=doing)
        return self._by_version.put((subject, version), await self._registered(subject, found, doing))

    async def latest(self, subject: str) -> RegisteredSchema:
        known = self._latest.get(subject)
        if known is not None and known[1] > time.monotonic():
            return known[0]
        doing = f"Error when fetching latest schema version. subject = {subject}"
        found = await self._ask("GET", f"/subjects/{quote(subject, safe='')}/versions/latest", doing=doing)
        schema = await self._registered(subject, found, doing)
        self._latest.put(subject, (schema, time.monotonic() + _LATEST_KEPT_S))
        return schema

    async def registered(self, subject: str, parsed: ParsedSchema, *, may_register: bool = True) -> RegisteredSchema:
        """The schema under the subject: looked up, and registered when it is not there and may be."""
        key = (subject, parsed.schema_type, parsed.text)
        known = self._by_text.get(key)
        if known is not None:
            return known
        path, body = f"/subjects/{quote(subject, safe='')}", _request(parsed)
        doing = f"Error when registering schema. format = {parsed.schema_type}, subject = {subject}"
        found = await self._ask("POST", path, body, doing=doing, absent=may_register)
        if found is None:
            await self._ask("POST", f"{path}/versions", body, doing=doing)
            found = await self._ask("POST", path, body, doing=doing)
        schema = RegisteredSchema(subject, int(found["id"]), int(found["version"]), parsed, parsed.codec())
        self._by_id.put(schema.id, (schema.parsed, schema.codec))
        return self._by_text.put(key, schema)

    async def _registered(self, subject: str, found: Any, doing: str) -> RegisteredSchema:
        schema_id = int(found["id"])
        known = self._by_id.get(schema_id)
        if known is None:
            parsed = await self.parsed(found, doing)
            known = self._by_id.put(schema_id, (parsed, parsed.codec()))
        return RegisteredSchema(subject, schema_id, int(found["version"]), *known)

    async def parsed(self, found: Any, doing: str) -> ParsedSchema:
        """A schema as the registry would tell it (`schema`, `schemaType`, `references`), with what it refers to."""
        references = [Reference(r["name"], r["subject"], int(r["version"])) for r in found.get("references") or ()]
        resolved: dict[str, str] = {}
        await self._resolve(references, resolved, doing)
        source = SchemaSource(found["schema"], references, resolved, is_new=False)
        try:
            return parse(found.get("schemaType") or "AVRO", source)
        except SchemaError as error:
            raise ApiError(422, 42205, f"Invalid schema: {error}") from None

    async def _resolve(self, references: Sequence[Reference], resolved: dict[str, str], doing: str) -> None:
        """Texts of all that is referred to; what others build on comes first."""
        for reference in references:
            if reference.name in resolved:
                continue
            if len(resolved) >= _REFERENCES_MAX:
                raise ApiError(422, 42205, f"Invalid schema: it refers to more than {_REFERENCES_MAX} others.")
            path = f"/subjects/{quote(reference.subject, safe='')}/versions/{reference.version}?deleted=true"
            found = await self._ask("GET", path, doing=doing)
            inner = [Reference(r["name"], r["subject"], int(r["version"])) for r in found.get("references") or ()]
            await self._resolve(inner, resolved, doing)
            resolved[reference.name] = found["schema"]

    async def _ask(self, method: str, path: str, body: bytes | None = None, *, doing: str, absent: bool = False) -> Any:
        """The JSON of a good answer; None for what is not there where `absent` is expected. ApiError otherwise."""
        answer = await self._answered(method, path, body)
        content = _content(answer)
        if 200 <= answer.status < 300 and isinstance(content, dict):
            return content
        code = content.get("error_code") if isinstance(content, dict) else None
        reason = content.get("message") if isinstance(content, dict) else f"it answered HTTP status {answer.status}"
        if absent and code in _NOT_KNOWN:
            return None
        if answer.status in (401, 403):
            raise ApiError(403, 40301, f"{doing}; the schema registry does not allow it: {reason}")
        if answer.status >= 500:
            raise ApiError(408, 40801, f"{doing}; the schema registry failed: {reason}")
        raise ApiError(422, 42207, f"Error serializing message. {doing}; {reason}")

    async def _answered(self, method: str, path: str, body: bytes | None) -> HttpAnswer:
        """By the first of the addresses that answers."""
        failure = HttpError("No schema.registry.url is set.")
        for url in self._urls:
            try:
                return await self._upstream.request(
                    method, url + path, headers=self._headers, body=body, timeout_s=self._timeout_s
                )
            except HttpError as error:
                failure = error
        raise ApiError(408, 40801, f"The schema registry cannot be asked: {failure.message}")


def _request(parsed: ParsedSchema) -> bytes:
    wanted: dict[str, Any] = {"schema": parsed.text, "schemaType": parsed.schema_type}
    if parsed.references:
        wanted["references"] = [{"name": r.name, "subject": r.subject, "version": r.version} for r in parsed.references]
    return msgspec.json.encode(wanted)


def _content(answer: HttpAnswer) -> Any:
    try:
        return parse_json(answer.body)
    except ValueError:
        return None
