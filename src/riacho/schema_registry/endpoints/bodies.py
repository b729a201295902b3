"""What the registry's endpoints take and answer, field by field in the original's order."""

from __future__ import annotations

from typing import Annotated

import msgspec

from riacho.schema_registry import errors
from riacho.schema_registry.contracts import Metadata, RuleSet
from riacho.schema_registry.entities import AVRO, NUMBER_MAX, Content
from riacho.schema_registry.fields import Entity
from riacho.schema_registry.registering import Registration
from riacho.schemas.parsed import Reference

# -1 and 0 say that none is asked for.
Number = Annotated[int, msgspec.Meta(ge=-1, le=NUMBER_MAX)]


class ReferenceBody(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str | None = None
    subject: str | None = None
    version: Number | None = None


class SchemaEntityBody(msgspec.Struct, frozen=True, rename="camel"):
    entity_path: str
    entity_type: str


class SchemaTagsBody(msgspec.Struct, frozen=True, rename="camel"):
    schema_entity: SchemaEntityBody
    tags: list[str]


class SchemaRequest(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A schema to be registered, looked up or checked."""

    version: Number | None = None
    id: Number | None = None
    schema_type: str | None = None
    references: list[ReferenceBody] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    schema: str | None = None
    schema_tags_to_add: list[SchemaTagsBody] | None = None
    schema_tags_to_remove: list[SchemaTagsBody] | None = None
    propagate_schema_tags: bool | None = None

    def content(self) -> Content:
        """ApiError 42201 for a reference that does not say what it refers to."""
        references = tuple(_reference(each) for each in self.references or ())
        return Content(self.schema_type or AVRO, self.schema or "", references, self.metadata, self.rule_set)

    def registration(self, subject: str, *, normalize: bool, force: bool = False) -> Registration:
        version = self.version or 0
        if (self.schema_tags_to_add or self.schema_tags_to_remove) and version == 0:
            version = -1
        return Registration(
            subject,
            self.content(),
            id=-1 if self.id is None else self.id,
            version=version,
            normalize=normalize,
            force=force,
            propagate_tags=bool(self.propagate_schema_tags),
        )


class TagRequest(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """Tags, metadata and rules of a new version that is to be made from one that exists."""

    new_version: Number | None = None
    tags_to_add: list[SchemaTagsBody] | None = None
    tags_to_remove: list[SchemaTagsBody] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    rules_to_merge: RuleSet | None = None
    rules_to_remove: list[str] | None = None


class SchemaAnswer(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A version of a subject."""

    subject: str | None = None
    version: int | None = None
    id: int | None = None
    guid: str | None = None
    schema_type: str | None = None
    references: list[ReferenceBody] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    schema: str | None = None
    schema_tags: list[SchemaTagsBody] | None = None
    aliases: list[str] | None = None
    ts: int | None = None
    deleted: bool | None = None


class SchemaStringAnswer(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What an id or a GUID stands for."""

    subject: str | None = None
    version: int | None = None
    guid: str | None = None
    schema_type: str | None = None
    schema: str | None = None
    references: list[ReferenceBody] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    schema_tags: list[SchemaTagsBody] | None = None
    max_id: int | None = None
    ts: int | None = None
    deleted: bool | None = None


class RegisterAnswer(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What was registered."""

    id: int | None = None
    version: int | None = None
    guid: str | None = None
    schema_type: str | None = None
    references: list[ReferenceBody] | None = None
    metadata: Metadata | None = None
    rule_set: RuleSet | None = None
    schema: str | None = None
    ts: int | None = None
    deleted: bool | None = None


class SubjectVersion(msgspec.Struct, frozen=True):
    subject: str
    version: int


class ContextId(msgspec.Struct, frozen=True):
    context: str
    id: int


class CompatibilityAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    # None only so that false is written.
    is_compatible: bool | None = None
    messages: list[str] | None = None


class ModeBody(msgspec.Struct, frozen=True):
    mode: str | None = None


class ClusterId(msgspec.Struct, frozen=True):
    scope: dict[str, dict[str, str] | list[str]]
    id: str


class ServerVersion(msgspec.Struct, frozen=True, rename="camel"):
    version: str
    commit_id: str


def tags_by_entity(given: list[SchemaTagsBody] | None) -> dict[Entity, list[str]]:
    found: dict[Entity, list[str]] = {}
    for each in given or ():
        key = (each.schema_entity.entity_path, each.schema_entity.entity_type.lower())
        found.setdefault(key, []).extend(each.tags)
    return found


def _reference(body: ReferenceBody) -> Reference:
    if body.name is None or body.subject is None or body.version is None:
        shown = f"{{name='{_java(body.name)}', subject='{_java(body.subject)}', version={_java(body.version)}}}"
        raise errors.invalid_schema(f"Invalid reference: {shown}")
    return Reference(body.name, body.subject, body.version)


def _java(value: object) -> str:
    return "null" if value is None else str(value)
