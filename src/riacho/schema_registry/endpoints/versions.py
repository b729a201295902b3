"""`/subjects/{subject}/versions`, reading: list versions, get one, see who refers to it."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.endpoints.bodies import SchemaAnswer
from riacho.schema_registry.endpoints.showing import accepts_unknown, schema_answer, schema_text
from riacho.schema_registry.endpoints.subjects import which_deleted
from riacho.schema_registry.endpoints.table import (
    DELETED,
    DELETED_ONLY,
    FIND_TAGS,
    FORM,
    PAGE,
    REFERENCE_FORM,
    endpoint,
    subject_of,
)
from riacho.schema_registry.entities import Version
from riacho.schema_registry.lookups import Deleted, get_version, has_subjects, version_number
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_AS_NEGATIVE = Query("deletedAsNegative", bool, "Whether soft deleted versions are listed as negative numbers.", False)
_CODES = (40401, 40402, 42201, 42202)


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    def find(call: Call, *, deleted: bool) -> Version:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        number = version_number(call.segment("version"))
        found = get_version(registry.state, subject, number, deleted=deleted)
        if found.subject == subject or service.may_read(call, found.subject):
            return found
        # Of another context, which is none for whoever may not read it.
        is_here = has_subjects(registry.state, subject, deleted=deleted)
        raise errors.version_not_found(number) if is_here else errors.subject_not_found(subject)

    def key(call: Call, what: str) -> tuple[object, ...]:
        """All that such an answer depends on besides the state."""
        params = call.path_params
        caller = None if service.access is None else (call.principal, call.roles)
        return what, params["subject"], params["version"], call.scope["query_string"], accepts_unknown(call), caller

    async def list_all(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        negative = call.flag("deletedAsNegative")
        which = Deleted.TOO if negative and not call.flag("deletedOnly") else which_deleted(call)
        if not has_subjects(registry.state, subject, deleted=which is not Deleted.NO):
            raise errors.subject_not_found(subject)
        found = [version for version in registry.state.versions(subject) if which.takes(version.deleted)]
        numbers = [-each.version if negative and each.deleted else each.version for each in found]
        return json_answer(service.version_limits.cut(numbers, call))

    async def get(call: Call) -> Response:
        known = key(call, "version")
        body = service.ready.find(known)
        if body is None:
            answer = schema_answer(
                registry,
                find(call, deleted=call.flag("deleted")),
                form=call.text("format", "") or "",
                reference_form=call.text("referenceFormat", "") or "",
                tags=call.texts("findTags"),
                is_full=accepts_unknown(call),
            )
            body = service.ready.keep(known, msgspec.json.encode(answer))
        return raw_json(body)

    async def get_schema(call: Call) -> Response:
        known = key(call, "schema")
        body = service.ready.find(known)
        if body is None:
            version = find(call, deleted=call.flag("deleted"))
            body = service.ready.keep(known, schema_text(registry, version, call.text("format", "") or "").encode())
        return raw_json(body)

    async def referenced_by(call: Call) -> Response:
        version = find(call, deleted=True)
        ids = registry.state.referring_ids(
            *version.key, deleted=call.flag("deleted"), counts=lambda subject: service.may_read(call, subject)
        )
        return json_answer(service.version_limits.cut(ids, call))

    return [
        endpoint(
            "GET",
            "/subjects/{subject}/versions",
            list_all,
            "List the versions of a subject.",
            query=(DELETED, DELETED_ONLY, _AS_NEGATIVE, *PAGE),
            answers={200: list[int]},
            codes=(40401,),
        ),
        endpoint(
            "GET",
            "/subjects/{subject}/versions/{version}",
            get,
            "A version of a subject; `latest` is the newest.",
            query=(FORM, REFERENCE_FORM, DELETED, FIND_TAGS),
            answers={200: SchemaAnswer},
            codes=_CODES,
        ),
        endpoint(
            "GET",
            "/subjects/{subject}/versions/{version}/schema",
            get_schema,
            "The bare schema of a version.",
            query=(FORM, DELETED),
            answers={200: Any},
            codes=_CODES,
        ),
        endpoint(
            "GET",
            "/subjects/{subject}/versions/{version}/referencedby",
            referenced_by,
            "The ids of the schemas that refer to a version.",
            query=(DELETED, *PAGE),
            answers={200: list[int]},
            codes=_CODES,
        ),
    ]
