"""`/schemas`: what an id or a GUID stands for, who has it, and a list of everything."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.contracts import has_rule_of_type
from riacho.schema_registry.endpoints.bodies import ContextId, SchemaAnswer, SchemaStringAnswer, SubjectVersion
from riacho.schema_registry.endpoints.showing import (
    accepts_unknown,
    schema_answer,
    schema_string_answer,
    schema_text,
)
from riacho.schema_registry.endpoints.table import (
    DELETED,
    FIND_TAGS,
    FORM,
    PAGE,
    REFERENCE_FORM,
    SUBJECT,
    endpoint,
)
from riacho.schema_registry.entities import Version
from riacho.schema_registry.lookups import (
    Deleted,
    aliases_by_subject,
    by_id,
    ids_of_guid,
    list_versions,
    versions_of_guid,
    versions_of_id,
)
from riacho.schema_registry.naming import context_of, normalize_subject
from riacho.schema_registry.scopes import aliased
from riacho.schema_registry.service import Service
from riacho.schemas.formats import FORMATS
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_MAX_ID = Query("fetchMaxId", bool, "Whether to tell the highest id of the context.", False)
_LIST = (
    Query("subjectPrefix", str, "What the subjects begin with; :*: before it: in any context.", ""),
    Query("aliases", bool, "Whether to tell the aliases of subjects, and list what they stand for.", False),
    DELETED,
    Query("latestOnly", bool, "Whether to list only the newest version of each subject.", False),
    Query("ruleType", str, "List only schemas that have a rule of this type.", ""),
    *PAGE,
)
_ID = {"id": int}


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry
    state = registry.state

    def asked_subject(call: Call) -> str | None:
        given = call.text("subject")
        return None if given is None else aliased(state, normalize_subject(given))

    def find(call: Call) -> Version:
        schema_id = call.number("id")
        found = by_id(state, schema_id, asked_subject(call))
        if found is None:
            raise errors.schema_not_found(schema_id)
        if service.may_read(call, found.subject):
            return found
        others = versions_of_id(state, schema_id, found.subject, deleted=True) or ()
        return service.readable(call, others, schema_id)[0]

    def key(call: Call, what: str) -> tuple[object, ...]:
        caller = None if service.access is None else (call.principal, call.roles)
        return what, call.path_params["id"], call.scope["query_string"], accepts_unknown(call), caller

    async def get(call: Call) -> Response:
        known = key(call, "id")
        body = service.ready.find(known)
        if body is None:
            version = find(call)
            answer = schema_string_answer(
                registry,
                version,
                with_subject=call.text("subject") is not None,
                form=call.text("format", "") or "",
                reference_form=call.text("referenceFormat", "") or "",
                tags=call.texts("findTags"),
                max_id=state.index_of(version.subject).max_id if call.flag("fetchMaxId") else None,
                is_full=accepts_unknown(call),
            )
            body = service.ready.keep(known, msgspec.json.encode(answer))
        return raw_json(body)

    async def get_schema(call: Call) -> Response:
        known = key(call, "schema of id")
        body = service.ready.find(known)
        if body is None:
            text = schema_text(registry, find(call), call.text("format", "") or "")
            body = service.ready.keep(known, text.encode())
        return raw_json(body)

    def holders(call: Call) -> list[Version]:
        schema_id = call.number("id")
        found = versions_of_id(state, schema_id, asked_subject(call), deleted=call.flag("deleted"))
        if found is None:
            raise errors.schema_not_found(schema_id)
        return [version for version in found if service.may_read(call, version.subject)]

    async def get_subjects(call: Call) -> Response:
        names = list(dict.fromkeys(version.subject for version in holders(call)))
        return json_answer(service.subject_limits.cut(names, call))

    async def get_versions(call: Call) -> Response:
        found = [SubjectVersion(version.subject, version.version) for version in holders(call)]
        return json_answer(service.version_limits.cut(found, call))

    def of_guid(guid: str) -> list[Version]:
        found = versions_of_guid(state, guid)
        if not found:
            raise errors.schema_not_found(guid)
        return found

    async def get_by_guid(call: Call) -> Response:
        guid = call.segment("guid")
        found = service.readable(call, of_guid(guid), guid)[0]
        form = call.text("format", "") or ""
        answer = schema_string_answer(
            registry, found, with_subject=False, form=form, tags=call.texts("findTags"), is_full=accepts_unknown(call)
        )
        return json_answer(answer)

    async def get_ids_of_guid(call: Call) -> Response:
        guid = call.segment("guid")
        contexts = {context_of(each.subject) for each in service.readable(call, of_guid(guid), guid)}
        found = [each for each in ids_of_guid(state, guid) if each.context in contexts]
        return json_answer([ContextId(each.context, each.id) for each in found])

    async def get_types(call: Call) -> Response:
        return json_answer(list(FORMATS))

    async def list_all(call: Call) -> Response:
        prefix = call.text("subjectPrefix", "") or ""
        aliases = aliases_by_subject(state, prefix) if call.flag("aliases") else {}
        which = Deleted.TOO if call.flag("deleted") else Deleted.NO
        rule_type = call.text("ruleType", "") or ""
        found = [
            version
            for version in list_versions(state, prefix, which, latest_only=call.flag("latestOnly"), more=aliases)
            if (not rule_type or has_rule_of_type(version.content.rule_set, rule_type))
            and service.may_read(call, version.subject)
        ]
        is_full = accepts_unknown(call)

        def shown(version: Version) -> SchemaAnswer:
            names = [name for name in aliases.get(version.subject, ()) if service.may_read(call, name)]
            return schema_answer(registry, version, aliases=names or None, is_full=is_full)

        return json_answer([shown(version) for version in service.schema_limits.cut(found, call)])

    return [
        endpoint("GET", "/schemas", list_all, "List schemas.", query=_LIST, answers={200: list[SchemaAnswer]}),
        endpoint("GET", "/schemas/types", get_types, "The kinds of schema.", answers={200: list[str]}),
        endpoint(
            "GET",
            "/schemas/ids/{id}",
            get,
            "What an id stands for.",
            query=(SUBJECT, FORM, REFERENCE_FORM, FIND_TAGS, _MAX_ID),
            answers={200: SchemaStringAnswer},
            codes=(40403, 42201),
            segments=_ID,
        ),
        endpoint(
            "GET",
            "/schemas/ids/{id}/schema",
            get_schema,
            "The bare schema that an id stands for.",
            query=(SUBJECT, FORM),
            answers={200: Any},
            codes=(40403, 42201),
            segments=_ID,
        ),
        endpoint(
            "GET",
            "/schemas/ids/{id}/subjects",
            get_subjects,
            "The subjects that have an id.",
            query=(SUBJECT, DELETED, *PAGE),
            answers={200: list[str]},
            codes=(40403,),
            segments=_ID,
        ),
        endpoint(
            "GET",
            "/schemas/ids/{id}/versions",
            get_versions,
            "The versions that have an id.",
            query=(SUBJECT, DELETED, *PAGE),
            answers={200: list[SubjectVersion]},
            codes=(40403,),
            segments=_ID,
        ),
        endpoint(
            "GET",
            "/schemas/guids/{guid}",
            get_by_guid,
            "What a GUID stands for.",
            query=(FORM, FIND_TAGS),
            answers={200: SchemaStringAnswer},
            codes=(40403, 42201),
        ),
        endpoint(
            "GET",
            "/schemas/guids/{guid}/ids",
            get_ids_of_guid,
            "The ids that a GUID has, by context.",
            answers={200: list[ContextId]},
            codes=(40403,),
        ),
    ]
