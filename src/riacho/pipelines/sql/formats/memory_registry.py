"""A schema registry inside the process, for tests of statements: our parsers, ids in the order of registration."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.schemas.formats import parse
from riacho.schemas.parsed import ParsedSchema, Reference, SchemaError, SchemaSource
from riacho.schemas.registry_conversations import RegisteredSchema


class MemoryRegistry:
    """`is_strict`: a version that cannot read what the one before wrote is refused (BACKWARD)."""

    def __init__(self, is_strict: bool = False) -> None:
        self._is_strict = is_strict
        self._ids: dict[tuple[str, str, tuple[Reference, ...]], int] = {}
        self._schemas: dict[int, ParsedSchema] = {}
        self._subjects: dict[str, list[RegisteredSchema]] = {}

    def by_id(self, schema_id: int) -> ParsedSchema:
        found = self._schemas.get(schema_id)
        if found is None:
            raise RegistryRefusal(f"Schema {schema_id} not found; error code: 40403")
        return found

    def latest(self, subject: str) -> RegisteredSchema | None:
        versions = self._subjects.get(subject)
        return versions[-1] if versions else None

    def register(
        self, subject: str, schema_type: str, text: str, references: Sequence[Reference] = ()
    ) -> RegisteredSchema:
        return self._add(subject, self._parsed(schema_type, text, references), None)

    def register_as(
        self, subject: str, schema_type: str, text: str, references: Sequence[Reference] = (), schema_id: int = 0
    ) -> RegisteredSchema:
        """With an id of the caller's choice: test cases name schemas by it."""
        return self._add(subject, self._parsed(schema_type, text, references), schema_id)

    def delete(self, subject: str) -> None:
        self._subjects.pop(subject, None)

    def subjects(self) -> list[str]:
        return sorted(self._subjects)

    def _parsed(self, schema_type: str, text: str, references: Sequence[Reference]) -> ParsedSchema:
        resolved: dict[str, str] = {}
        for reference in references:
            self._resolve(reference, resolved)
        try:
            return parse(schema_type, SchemaSource(text, references, resolved))
        except SchemaError as error:
            raise RegistryRefusal(f"Invalid schema: {error}") from None

    def _resolve(self, reference: Reference, resolved: dict[str, str]) -> None:
        """What others build on comes first."""
        versions = self._subjects.get(reference.subject, [])
        if not 0 < reference.version <= len(versions):
            raise RegistryRefusal(f"Schema reference {reference.name} not found")
        parsed = versions[reference.version - 1].parsed
        for inner in parsed.references:
            self._resolve(inner, resolved)
        resolved[reference.name] = parsed.text

    def _add(self, subject: str, parsed: ParsedSchema, wanted: int | None) -> RegisteredSchema:
        versions = self._subjects.setdefault(subject, [])
        for known in versions:
            if known.parsed.text == parsed.text and known.parsed.schema_type == parsed.schema_type:
                return known
        if self._is_strict and versions:
            differences = parsed.differences(versions[-1].parsed)
            if differences:
                raise RegistryRefusal(
                    "Schema being registered is incompatible with an earlier schema for subject "
                    f'"{subject}", details: [{", ".join(differences)}]; error code: 409'
                )
        key = parsed.schema_type, parsed.text, tuple(parsed.references)
        schema_id = wanted or self._ids.get(key) or max(self._schemas, default=0) + 1
        self._ids.setdefault(key, schema_id)
        self._schemas[schema_id] = parsed
        versions.append(RegisteredSchema(subject, schema_id, len(versions) + 1, parsed))
        return versions[-1]
