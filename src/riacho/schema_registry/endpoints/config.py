"""`/config`: compatibility level and other settings, of a subject, of a context, or of the default context."""

from __future__ import annotations

from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.configuring import ConfigUpdate, check_update, decide_config, decide_delete_config, shown
from riacho.schema_registry.endpoints.table import endpoint
from riacho.schema_registry.entities import Config
from riacho.schema_registry.naming import is_valid_subject, normalize_subject
from riacho.schema_registry.operations import DELETE_CONFIG, UPDATE_CONFIG
from riacho.schema_registry.scopes import config_of
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_DEFAULT_TO_GLOBAL = Query(
    "defaultToGlobal", bool, "Whether to answer what holds where nothing of its own is set.", False
)


def settings_scope(call: Call) -> str | None:
    """The subject or context in the path; None for the default context. An alias is not followed: it is set here."""
    if "subject" not in call.path_params:
        return None
    return normalize_subject(call.segment("subject")) or None


def new_settings_scope(call: Call) -> str | None:
    scope = settings_scope(call)
    if scope is not None and not is_valid_subject(scope, for_settings=True):
        raise errors.invalid_subject(call.segment("subject"))
    return scope


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    async def get(call: Call) -> Response:
        scope = settings_scope(call)
        if scope is not None:
            service.check(call, Access.READ, scope)
        if call.flag("defaultToGlobal"):
            return json_answer(registry.config(scope))
        found = config_of(registry.state, scope, registry.defaults)
        if found is None:
            assert scope is not None, "the default context always has a config"
            raise errors.no_subject_level_compatibility(scope)
        return json_answer(found)

    async def put(call: Call) -> Response:
        scope = new_settings_scope(call)
        service.check(call, Access.CONFIG, scope)
        update: ConfigUpdate = await call.read(ConfigUpdate)
        check_update(update)
        return await service.change(
            call,
            UPDATE_CONFIG,
            lambda: decide_config(registry, scope, update),
            lambda config: json_answer(shown(config)),
        )

    async def delete(call: Call) -> Response:
        scope = settings_scope(call)
        service.check(call, Access.CONFIG, scope)
        return await service.change(call, DELETE_CONFIG, lambda: decide_delete_config(registry, scope), json_answer)

    query = (_DEFAULT_TO_GLOBAL,)
    rules = (42203, 42208, 42210)
    table = []
    for path, whose in (("/config", "the default context"), ("/config/{subject}", "a subject or context")):
        named = path != "/config"
        table += [
            endpoint(
                "GET",
                path,
                get,
                f"The config of {whose}.",
                query=query,
                answers={200: Config},
                codes=(40408,) if named else (),
            ),
            endpoint(
                "PUT",
                path,
                put,
                f"Change the config of {whose}; answers what is set now.",
                body=ConfigUpdate,
                answers={200: ConfigUpdate},
                codes=rules,
                writes=True,
            ),
            endpoint(
                "DELETE",
                path,
                delete,
                f"Delete the config of {whose}; answers what it was.",
                answers={200: Config},
                codes=(40401,) if named else (),
                writes=True,
            ),
        ]
    return table
