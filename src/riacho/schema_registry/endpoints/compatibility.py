"""`/compatibility`: whether a schema could be registered, without registering it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.compatibility import Candidate, check
from riacho.schema_registry.endpoints.bodies import CompatibilityAnswer, SchemaRequest
from riacho.schema_registry.endpoints.table import NORMALIZE, endpoint, subject_of
from riacho.schema_registry.entities import Version
from riacho.schema_registry.lookups import LATEST, find_version, version_number
from riacho.schema_registry.registering import compared
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_VERBOSE = Query("verbose", bool, "Whether to tell the reasons.", False)


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    async def checked(call: Call, subject: str, body: SchemaRequest, against: Sequence[Version]) -> Response:
        content = body.content()
        service.check_references(call, subject, content.references)
        config = registry.config(subject)
        normalize = call.flag("normalize") or registry.normalizes(subject)
        await service.precompute(subject, content, normalize=normalize, against=against)
        stored, parsed = registry.canonical(subject, content, normalize=normalize, is_new=registry.checks_new(subject))
        messages = check(
            Candidate(lambda: parsed, stored.metadata),
            registry.candidates(against),
            config,
            registry.schemas,
            validate_fields=registry.validate_fields(config),
        )
        return json_answer(CompatibilityAnswer(not messages, messages if call.flag("verbose") else None))

    async def with_version(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        number = version_number(call.segment("version"))
        body: SchemaRequest = await call.read(SchemaRequest)
        found = find_version(registry.state, subject, number, deleted=False)
        if found is None and number != LATEST:
            raise errors.version_not_found(number)
        return await checked(call, subject, body, [] if found is None else [found])

    async def with_subject(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.READ, subject)
        body: SchemaRequest = await call.read(SchemaRequest)
        live = [version for version in registry.state.versions(subject) if not version.deleted]
        return await checked(call, subject, body, compared(registry, subject, live))

    return [
        endpoint(
            "POST",
            "/compatibility/subjects/{subject}/versions/{version}",
            with_version,
            "Whether a schema is compatible with a version, at the subject's level.",
            query=(NORMALIZE, _VERBOSE),
            body=SchemaRequest,
            answers={200: CompatibilityAnswer},
            codes=(40402, 42201, 42202),
        ),
        endpoint(
            "POST",
            "/compatibility/subjects/{subject}/versions",
            with_subject,
            "Whether a schema is compatible with a subject, as registering checks it.",
            query=(NORMALIZE, _VERBOSE),
            body=SchemaRequest,
            answers={200: CompatibilityAnswer},
            codes=(42201,),
        ),
    ]
