"""`/subjects/{subject}/versions`, writing: register a schema, change its tags, delete a version."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.contracts import RuleError, RuleSet, validate_rules
from riacho.schema_registry.deleting import decide_delete_version
from riacho.schema_registry.endpoints.bodies import RegisterAnswer, SchemaRequest, TagRequest, tags_by_entity
from riacho.schema_registry.endpoints.showing import accepts_unknown, register_answer
from riacho.schema_registry.endpoints.table import FORM, NORMALIZE, endpoint, new_subject_of, subject_of
from riacho.schema_registry.entities import Content, Version
from riacho.schema_registry.lookups import version_number
from riacho.schema_registry.operations import DELETE_VERSION, REGISTER, TAG
from riacho.schema_registry.registering import decide_register, find_registered
from riacho.schema_registry.service import Service
from riacho.schema_registry.tagging import TagChange, decide_tags, retagged
from riacho.single_writer.record import Append
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_FORCE = Query("force", bool, "Whether to register without a check of compatibility.", False)
_PERMANENT = Query("permanent", bool, "Whether to delete for good what was soft deleted before.", False)


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    def registered(call: Call, version: Version, sent: Content | None = None) -> Response:
        # The decision does not know when it was written; the state does.
        stored = registry.state.version(*version.key) or version
        form = call.text("format", "") or ""
        if sent is not None and not form and _is_as_sent(stored.content, sent):
            return json_answer(RegisterAnswer(stored.id, stored.version, stored.guid, stored.content.schema_type))
        return json_answer(register_answer(registry, stored, form, accepts_unknown(call)))

    async def register(call: Call) -> Response:
        subject = new_subject_of(service, call)
        service.check(call, Access.WRITE, subject)
        body: SchemaRequest = await call.read(SchemaRequest)
        _check_rules(body.rule_set)
        normalize = call.flag("normalize") or registry.normalizes(subject)
        asked = body.registration(subject, normalize=normalize, force=call.flag("force"))
        service.check_references(call, subject, asked.content.references)
        await service.precompute(subject, asked.content, normalize=normalize)
        add, remove = tags_by_entity(body.schema_tags_to_add), tags_by_entity(body.schema_tags_to_remove)
        if not add and not remove:
            found = find_registered(registry, asked)
            if found is not None:
                return registered(call, found, asked.content)

        def decide() -> Decision[Append, Version]:
            content = retagged(registry, subject, asked.content, add, remove) if add or remove else asked.content
            return decide_register(registry, replace(asked, content=content))

        return await service.change(call, REGISTER, decide, lambda version: registered(call, version, asked.content))

    async def tag(call: Call) -> Response:
        subject = new_subject_of(service, call)
        service.check(call, Access.WRITE, subject)
        body: TagRequest = await call.read(TagRequest)
        _check_rules(body.rule_set)
        _check_rules(body.rules_to_merge)
        number = version_number(call.segment("version"))
        change = TagChange(
            new_version=body.new_version or 0,
            add=tags_by_entity(body.tags_to_add),
            remove=tags_by_entity(body.tags_to_remove),
            metadata=body.metadata,
            rule_set=body.rule_set,
            rules_to_merge=body.rules_to_merge,
            rules_to_remove=body.rules_to_remove,
        )
        return await service.change(
            call,
            TAG,
            lambda: decide_tags(registry, subject, number, change),
            lambda version: registered(call, version),
        )

    async def delete(call: Call) -> Response:
        subject = subject_of(service, call)
        service.check(call, Access.DELETE, subject)
        version = call.segment("version")
        permanent = call.flag("permanent")
        return await service.change(
            call,
            DELETE_VERSION,
            lambda: decide_delete_version(registry, subject, version, permanent=permanent),
            json_answer,
        )

    return [
        endpoint(
            "POST",
            "/subjects/{subject}/versions",
            register,
            "Register a schema under a subject; answers its id.",
            query=(NORMALIZE, FORM, _FORCE),
            body=SchemaRequest,
            answers={200: RegisterAnswer},
            codes=(409, 42201, 42208, 42209, 42210),
            writes=True,
        ),
        endpoint(
            "POST",
            "/subjects/{subject}/versions/{version}/tags",
            tag,
            "Make a new version with other tags, metadata or rules.",
            body=TagRequest,
            answers={200: RegisterAnswer},
            codes=(409, 40401, 40402, 42201, 42202, 42208, 42209, 42210),
            writes=True,
        ),
        endpoint(
            "DELETE",
            "/subjects/{subject}/versions/{version}",
            delete,
            "Delete a version; answers its number.",
            query=(_PERMANENT,),
            answers={200: int},
            codes=(40401, 40402, 40406, 40407, 42202, 42206),
            writes=True,
        ),
    ]


def _is_as_sent(stored: Content, sent: Content) -> bool:
    """Whether the caller knows what was stored: then the answer does not repeat it.

    Clients remember a schema that they are answered instead of their own, and Confluent's Python client has its own in
    another form (`serialized`), which it needs later.
    """
    metadata = None if sent.metadata is None else sent.metadata.sorted()
    rule_set = None if sent.rule_set is None else sent.rule_set.sorted()
    return bool(sent.text.strip()) and (stored.metadata, stored.rule_set) == (metadata, rule_set)


def _check_rules(rule_set: RuleSet | None) -> None:
    """ApiError 42210."""
    if rule_set is not None:
        try:
            validate_rules(rule_set)
        except RuleError as error:
            raise errors.invalid_rule_set(str(error)) from None
