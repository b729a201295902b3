"""What a schema registry is asked, and what is remembered of its answers, without a network.

A conversation is a generator: it yields calls, is sent the JSON of the good answer to each, and returns what it was
for. `pipelines/formats/registry_client.py` leads them by blocking calls, `rest_proxy/registry.py` on the event loop;
addresses, tries and the words for failures are theirs. SchemaError: what was answered is no schema.

What can never change (a schema by its id, a version) is remembered, up to a bound; the latest version for a moment.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.schemas.formats import parse
from riacho.schemas.parsed import Codec, ParsedSchema, Reference, SchemaError, SchemaSource

MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
# What a registry answers for a subject, a version and a schema that it does not have.
NOT_KNOWN = (40401, 40402, 40403)

_DEFAULT_CONTEXT = "."
_SCHEMAS_MAX = 1_000
_REFERENCES_MAX = 1_000

T = TypeVar("T")


class RegistryCall(NamedTuple):
    """`may_be_absent`: for what the registry does not know, None is sent to the conversation."""

    method: str
    path: str
    body: bytes | None = None
    may_be_absent: bool = False


Conversation = Generator[RegistryCall, Any, T]


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """`version` is 0 where it was not asked for."""

    subject: str
    id: int
    version: int
    parsed: ParsedSchema

    @property
    def prefix(self) -> bytes:
        """What stands before the payload: the magic byte and the id."""
        return b"\0" + self.id.to_bytes(4, "big")

    @property
    def codec(self) -> Codec:
        return self.parsed.codec()


class RegistryConversations:
    """Not for several threads at once."""

    def __init__(self, latest_kept_ms: int) -> None:
        self._latest_kept_ms = latest_kept_ms
        self._by_id: LruCache[int, ParsedSchema] = LruCache(_SCHEMAS_MAX)
        self._by_version: LruCache[tuple[str, int], RegisteredSchema] = LruCache(_SCHEMAS_MAX)
        self._by_text: LruCache[tuple[object, ...], RegisteredSchema] = LruCache(_SCHEMAS_MAX)
        self._versions: LruCache[tuple[str, int], int] = LruCache(_SCHEMAS_MAX)
        self._ids: LruCache[str, int] = LruCache(_SCHEMAS_MAX)
        self._latest: LruCache[str, tuple[RegisteredSchema, int]] = LruCache(_SCHEMAS_MAX)

    def by_id(self, schema_id: int) -> Conversation[ParsedSchema]:
        known = self._by_id.get(schema_id)
        if known is not None:
            return known
        found = yield RegistryCall("GET", f"/schemas/ids/{schema_id}")
        parsed = yield from self.parsed(found)
        return self._by_id.put(schema_id, parsed)

    def id_of(self, guid: str) -> Conversation[int | None]:
        """Of a schema by the identifier that records carry in a header (`__value_schema_id`) in newer clients; None
        where only other contexts have it."""
        known = self._ids.get(guid)
        if known is not None:
            return known
        found = yield RegistryCall("GET", f"/schemas/guids/{quote(guid, safe='')}/ids")
        ids = [int(each["id"]) for each in found if each.get("context") in (None, "", _DEFAULT_CONTEXT)]
        return self._ids.put(guid, ids[0]) if ids else None

    def version_of(self, subject: str, schema_id: int) -> Conversation[int]:
        """The version under which a subject has the schema."""
        known = self._versions.get((subject, schema_id))
        if known is not None:
            return known
        parsed = yield from self.by_id(schema_id)
        found = yield RegistryCall("POST", _subject(subject), _wanted(parsed))
        return self._versions.put((subject, schema_id), int(found["version"]))

    def by_version(self, subject: str, version: int) -> Conversation[RegisteredSchema]:
        known = self._by_version.get((subject, version))
        if known is not None:
            return known
        found = yield RegistryCall("GET", f"{_subject(subject)}/versions/{version}")
        schema = yield from self._registered(subject, found)
        return self._by_version.put((subject, version), schema)

    def latest(self, subject: str, now_ms: int) -> Conversation[RegisteredSchema]:
        known = self._latest.get(subject)
        if known is not None and known[1] > now_ms:
            return known[0]
        found = yield RegistryCall("GET", f"{_subject(subject)}/versions/latest")
        schema = yield from self._registered(subject, found)
        return self._latest.put(subject, (schema, now_ms + self._latest_kept_ms))[0]

    def looked_up(self, subject: str, parsed: ParsedSchema, *, may_register: bool) -> Conversation[RegisteredSchema]:
        """The schema under the subject, with its version: looked up, and registered when it is not there and may be."""
        key = (subject, parsed.schema_type, parsed.text)
        known = self._by_text.get(key)
        if known is not None:
            return known
        path, wanted = _subject(subject), _wanted(parsed)
        found = yield RegistryCall("POST", path, wanted, may_be_absent=may_register)
        if found is None:
            yield RegistryCall("POST", f"{path}/versions", wanted)
            found = yield RegistryCall("POST", path, wanted)
        schema = RegisteredSchema(subject, int(found["id"]), int(found["version"]), parsed)
        self._by_id.put(schema.id, parsed)
        return self._by_text.put(key, schema)

    def registered(
        self,
        subject: str,
        schema_type: str,
        text: str,
        *,
        register: bool,
        normalize: bool,
        references: Sequence[Reference],
    ) -> Conversation[RegisteredSchema]:
        """The schema under the subject, as the registry has it: registered where it may be, else looked up."""
        key = (subject, schema_type, text, register, normalize, *references)
        known = self._by_text.get(key)
        if known is not None:
            return known
        path = _subject(subject) + ("/versions" if register else "") + ("?normalize=true" if normalize else "")
        found = yield RegistryCall("POST", path, _request(schema_type, text, references))
        schema_id = int(found["id"])
        parsed = yield from self.by_id(schema_id)
        return self._by_text.put(key, RegisteredSchema(subject, schema_id, 0, parsed))

    def parsed(self, found: Any) -> Conversation[ParsedSchema]:
        """A schema as a registry tells it (`schema`, `schemaType`, `references`), with what it refers to."""
        references, resolved = _references(found), dict[str, str]()
        yield from self._resolve(references, resolved)
        source = SchemaSource(found["schema"], references, resolved, is_new=False)
        return parse(found.get("schemaType") or "AVRO", source)

    def _registered(self, subject: str, found: Any) -> Conversation[RegisteredSchema]:
        schema_id = int(found["id"])
        parsed = self._by_id.get(schema_id)
        if parsed is None:
            parsed = self._by_id.put(schema_id, (yield from self.parsed(found)))
        return RegisteredSchema(subject, schema_id, int(found["version"]), parsed)

    def _resolve(self, references: Sequence[Reference], resolved: dict[str, str]) -> Conversation[None]:
        """Texts of all that is referred to; what others build on comes first."""
        for reference in references:
            if reference.name in resolved:
                continue
            if len(resolved) >= _REFERENCES_MAX:
                raise SchemaError(f"it refers to more than {_REFERENCES_MAX} others")
            path = f"{_subject(reference.subject)}/versions/{reference.version}?deleted=true"
            found = yield RegistryCall("GET", path)
            yield from self._resolve(_references(found), resolved)
            resolved[reference.name] = found["schema"]


def _subject(name: str) -> str:
    return f"/subjects/{quote(name, safe='')}"


def _references(found: Any) -> list[Reference]:
    return [Reference(r["name"], r["subject"], int(r["version"])) for r in found.get("references") or ()]


def _wanted(parsed: ParsedSchema) -> bytes:
    return _request(parsed.schema_type, parsed.text, parsed.references)


def _request(schema_type: str, text: str, references: Sequence[Reference]) -> bytes:
    wanted: dict[str, Any] = {"schema": text, "schemaType": schema_type}
    if references:
        wanted["references"] = [{"name": r.name, "subject": r.subject, "version": r.version} for r in references]
    return msgspec.json.encode(wanted)
