"""`/subjects`: list subjects, look a schema up under one, find a version by its metadata, delete a subject."""

from __future__ import annotations

from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.content_lookup import look_up_in_contexts
from riacho.schema_registry.deleting import decide_delete_subject
from riacho.schema_registry.endpoints.bodies import SchemaAnswer, SchemaRequest
from riacho.schema_registry.endpoints.showing import accepts_unknown, schema_answer
from riacho.schema_registry.endpoints.table import (
    DELETED,
    DELETED_ONLY,
    FORM,
    NORMALIZE,
    PAGE,
    endpoint,
    subject_of,
)
from riacho.schema_registry.lookups import Deleted, has_subjects, list_subjects, with_metadata
from riacho.schema_registry.naming import ANY_CONTEXT
from riacho.schema_registry.operations import DELETE_SUBJECT
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_PREFIX = Query("subjectPrefix", str, "What the subjects begin with; :*: before it: in any context.", ANY_CONTEXT)
_PERMANENT = Query("permanent", bool, "Whether to delete for good what was soft deleted before.", False)
_KEY = Query("key", list, "Names of metadata properties.")
_VALUE = Query("value", list, "Their values, in the same order.")


def which_deleted(call: Call) -> Deleted:
    if call.flag("deletedOnly"):
        return Deleted.ONLY
    return Deleted.TOO if call.flag("deleted") else Deleted.NO


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    async def list_all(call: Call) -> Response:
        found = list_subjects(registry.state, call.text("subjectPrefix", ANY_CONTEXT) or "", which_deleted(call))
        readable = [subject for subject in found if service.may_read(call, subject)]
        return json_answer(service.subject_limits.cut(readable, call))

    async def look_up(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        body: SchemaRequest = await call.read(SchemaRequest)
        content = body.content()
        service.check_references(call, subject, content.references)
        deleted = call.flag("deleted")
        normalize = call.flag("normalize") or registry.normalizes(subject)
        await service.precompute(subject, content, normalize=normalize, against=())
        found = look_up_in_contexts(registry, subject, content, normalize=normalize, deleted=deleted)
        if found is None or not service.may_read(call, found.subject):
            if not has_subjects(registry.state, subject, deleted=deleted):
                raise errors.subject_not_found(subject)
            raise errors.schema_not_found()
        form = call.text("format", "") or ""
        return json_answer(schema_answer(registry, found, form=form, is_full=accepts_unknown(call)))

    async def find_by_metadata(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        deleted = call.flag("deleted")
        wanted = dict(zip(call.texts("key"), call.texts("value"), strict=False))
        found = with_metadata(registry.state, subject, wanted, deleted=deleted)
        if found is None:
            if not has_subjects(registry.state, subject, deleted=deleted):
                raise errors.subject_not_found(subject)
            raise errors.schema_not_found()
        form = call.text("format", "") or ""
        return json_answer(schema_answer(registry, found, form=form, is_full=accepts_unknown(call)))

    async def delete(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.DELETE, subject)
        permanent = call.flag("permanent")
        return await service.change(
            call,
            DELETE_SUBJECT,
            lambda: decide_delete_subject(registry, subject, permanent=permanent),
            json_answer,
        )

    return [
        endpoint(
            "GET",
            "/subjects",
            list_all,
            "List subjects.",
            query=(_PREFIX, DELETED, DELETED_ONLY, *PAGE),
            answers={200: list[str]},
        ),
        endpoint(
            "POST",
            "/subjects/{subject}",
            look_up,
            "Whether a schema is registered under a subject, and as what.",
            query=(NORMALIZE, FORM, DELETED),
            body=SchemaRequest,
            answers={200: SchemaAnswer},
            codes=(40401, 40403, 42201),
        ),
        endpoint(
            "DELETE",
            "/subjects/{subject}",
            delete,
            "Delete all versions of a subject; answers their numbers.",
            query=(_PERMANENT,),
            answers={200: list[int]},
            codes=(40401, 40404, 40405, 42206),
            writes=True,
        ),
        endpoint(
            "GET",
            "/subjects/{subject}/metadata",
            find_by_metadata,
            "The newest version whose metadata has these properties.",
            query=(_KEY, _VALUE, FORM, DELETED),
            answers={200: SchemaAnswer},
            codes=(40401, 40403, 42201),
        ),
    ]
