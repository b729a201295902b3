"""Schemas of a cluster's registry: subjects, versions, compatibility. A new version can be tried before it is saved."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from riacho.console.api.listing import PAGE_QUERY, Page, cut
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.console.services.schema_registry import (
    NewSchema,
    Reference,
    SchemaRegistry,
    SchemaVersion,
    SubjectSummary,
)
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_REFERENCES_MAX = 500
# What the registry says of a text that is no schema.
_INVALID = frozenset({422, 42201})
_Level = Literal["NONE", "BACKWARD", "BACKWARD_TRANSITIVE", "FORWARD", "FORWARD_TRANSITIVE", "FULL", "FULL_TRANSITIVE"]
_Type = Literal["AVRO", "JSON", "PROTOBUF"]
_Version = Annotated[int, msgspec.Meta(ge=1, lt=1 << 31)]


class SubjectRow(msgspec.Struct):
    subject: str
    type: str | None
    versions: int | None
    latest_version: int | None
    latest_id: int | None
    compatibility: str | None


class VersionOfSubject(msgspec.Struct):
    subject: str
    version: int
    id: int
    type: str
    schema: str
    references: list[Reference]


class Compatibility(msgspec.Struct):
    # What counts.
    level: str | None
    # Of the subject itself; None where it takes the registry's.
    own: str | None
    registry: str | None


class Subject(msgspec.Struct):
    subject: str
    versions: list[int]
    latest: VersionOfSubject | None
    compatibility: Compatibility


class NewVersion(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    type: _Type = "AVRO"
    references: Annotated[list[Reference], msgspec.Meta(max_length=_REFERENCES_MAX)] = []

    def told(self) -> NewSchema:
        return NewSchema(self.schema, self.type, self.references)


class Trial(NewVersion, forbid_unknown_fields=True):
    # None: against all that the level says.
    version: _Version | None = None


class TrialOutcome(msgspec.Struct):
    """`is_compatible` is None where it is no schema at all."""

    is_valid: bool
    is_compatible: bool | None
    messages: list[str]


class Registered(msgspec.Struct):
    id: int
    version: int | None


class Gone(msgspec.Struct):
    versions: list[int]


class NewLevel(msgspec.Struct, forbid_unknown_fields=True):
    # None: as the registry's own.
    level: _Level | None


def endpoints(parts: Parts) -> list[Endpoint]:
    def registry_of(call: Call) -> SchemaRegistry:
        return parts.clusters.of(call).services.schema_registry

    async def get_all(call: Call) -> Response:
        registry = registry_of(call)
        known = await registry.names.now()
        found = cut(call, known.value, str, {"subject": str}, "subject")
        summaries = await registry.summaries(found.rows)
        level = await _level(registry)
        rows = [_row(subject, summaries[subject], level) for subject in found.rows]
        failed = next((each.message for each in summaries.values() if isinstance(each, ApiError)), None)
        page = Page(rows, found.total, found.page, found.page_size, known.as_of_ms, known.stale_reason or failed)
        return json_answer(page)

    async def get(call: Call) -> Response:
        registry = registry_of(call)
        subject = call.segment("s")
        summary = await registry.summary(subject, is_fresh=True)
        level = await _level(registry)
        latest = None if summary.latest is None else _version(summary.latest)
        compatibility = Compatibility(summary.level or level, summary.level, level)
        return json_answer(Subject(subject, summary.versions, latest, compatibility))

    async def get_version(call: Call) -> Response:
        return json_answer(_version(await registry_of(call).version(call.segment("s"), call.number("v"))))

    async def get_of_topic(call: Call) -> Response:
        registry = registry_of(call)
        topic = call.segment("t")
        names = set((await registry.names.now()).value) if registry.is_there else set()
        wanted = [name for name in (f"{topic}-key", f"{topic}-value") if name in names]
        summaries = await registry.summaries(wanted)
        level = await _level(registry) if wanted else None
        return json_answer([_row(subject, summaries[subject], level) for subject in wanted])

    async def post_check(call: Call) -> Response:
        registry = registry_of(call)
        trial: Trial = await call.read(Trial)
        try:
            verdict = await registry.check(call.segment("s"), trial.told(), trial.version)
        except ApiError as error:
            if error.error_code not in _INVALID:
                raise
            return json_answer(TrialOutcome(False, None, [error.message]))
        return json_answer(TrialOutcome(True, verdict.is_compatible, verdict.messages))

    async def post_version(call: Call) -> Response:
        registry = registry_of(call)
        new: NewVersion = await call.read(NewVersion)
        note(call, type=new.type)
        schema_id = await registry.register(call.segment("s"), new.told())
        version = await registry.version_of(call.segment("s"), new.told())
        note(call, id=schema_id, version=version)
        return json_answer(Registered(schema_id, version), 201)

    async def delete(call: Call) -> Response:
        return json_answer(Gone(await registry_of(call).delete(call.segment("s"))))

    async def delete_version(call: Call) -> Response:
        return json_answer(Gone(await registry_of(call).delete(call.segment("s"), call.number("v"))))

    async def put_compatibility(call: Call) -> Response:
        registry = registry_of(call)
        new: NewLevel = await call.read(NewLevel)
        note(call, level=new.level)
        await registry.set_level(call.segment("s"), new.level)
        return no_content()

    base = "/api/v1/clusters/{c}/schemas"
    one, version = base + "/{s}", base + "/{s}/versions/{v}"
    number = {"v": int}
    return [
        Endpoint("GET", base, get_all, "Subjects of the schema registry.", tag="schemas", query=PAGE_QUERY,
                 answers={200: Page[SubjectRow]}),
        Endpoint("GET", one, get, "A subject, with its latest version.", tag="schemas", answers={200: Subject}),
        Endpoint("GET", version, get_version, "A version of it.", tag="schemas", answers={200: VersionOfSubject},
                 segments=number),
        Endpoint("GET", "/api/v1/clusters/{c}/topics/{t}/schemas", get_of_topic,
                 "Subjects of a topic's keys and values.", tag="schemas", answers={200: list[SubjectRow]}),
        Endpoint("POST", one + "/check", post_check, "Whether a schema could be its next version; saves nothing.",
                 tag="schemas", body=Trial, answers={200: TrialOutcome}),
        Endpoint("POST", one + "/versions", post_version, "Register a schema under it.", tag="schemas",
                 body=NewVersion, answers={201: Registered}),
        Endpoint("DELETE", one, delete, "Delete it, softly: ids go on standing for its schemas.", tag="schemas",
                 answers={200: Gone}),
        Endpoint("DELETE", version, delete_version, "Delete one version, softly.", tag="schemas",
                 answers={200: Gone}, segments=number),
        Endpoint("PUT", one + "/compatibility", put_compatibility, "Set its level of compatibility.", tag="schemas",
                 body=NewLevel, answers={204: None}),
    ]  # fmt: skip


async def _level(registry: SchemaRegistry) -> str | None:
    try:
        return await registry.level()
    except ApiError:
        # Not worth a page: what each subject sets is told all the same.
        return None


def _row(subject: str, summary: SubjectSummary | ApiError, level: str | None) -> SubjectRow:
    if isinstance(summary, ApiError):
        return SubjectRow(subject, None, None, None, None, None)
    latest = summary.latest
    return SubjectRow(
        subject,
        None if latest is None else latest.type,
        len(summary.versions),
        None if latest is None else latest.version,
        None if latest is None else latest.id,
        summary.level or level,
    )


def _version(found: SchemaVersion) -> VersionOfSubject:
    return VersionOfSubject(found.subject, found.version, found.id, found.type, found.schema, found.references)
