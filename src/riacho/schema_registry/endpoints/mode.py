"""`/mode`: whether a subject, a context or the default context can be written, or is being imported to."""

from __future__ import annotations

from starlette.responses import Response

from riacho.schema_registry import errors
from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.endpoints.bodies import ModeBody
from riacho.schema_registry.endpoints.config import new_settings_scope, settings_scope
from riacho.schema_registry.endpoints.table import endpoint
from riacho.schema_registry.modes import decide_delete_mode, decide_mode, parse_mode
from riacho.schema_registry.operations import DELETE_MODE, UPDATE_MODE
from riacho.schema_registry.scopes import mode_of
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_DEFAULT_TO_GLOBAL = Query(
    "defaultToGlobal", bool, "Whether to answer what holds where nothing of its own is set.", False
)
_FORCE = Query("force", bool, "Whether to import although there are schemas.", False)
_RECURSIVE = Query("recursive", bool, "Whether to delete the modes of a context's subjects too.", False)


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    async def get(call: Call) -> Response:
        scope = settings_scope(call)
        if scope is not None:
            service.check(call, Access.READ, scope)
        found = registry.mode(scope) if call.flag("defaultToGlobal") else mode_of(registry.state, scope)
        if found is None:
            assert scope is not None, "the default context always has a mode"
            raise errors.no_subject_level_mode(scope)
        return json_answer(ModeBody(found.value))

    async def put(call: Call) -> Response:
        scope = new_settings_scope(call)
        service.check(call, Access.CONFIG, scope)
        body: ModeBody = await call.read(ModeBody)
        mode = None if body.mode is None else parse_mode(body.mode)
        force = call.flag("force")
        return await service.change(
            call,
            UPDATE_MODE,
            lambda: decide_mode(registry, scope, mode, force=force),
            lambda _: json_answer(body),
        )

    async def delete(call: Call) -> Response:
        scope = settings_scope(call)
        service.check(call, Access.CONFIG, scope)
        recursive = call.flag("recursive")
        return await service.change(
            call,
            DELETE_MODE,
            lambda: decide_delete_mode(registry, scope, recursive=recursive),
            lambda mode: json_answer(ModeBody(mode.value)),
        )

    table = []
    for path, whose in (("/mode", "the default context"), ("/mode/{subject}", "a subject or context")):
        named = path != "/mode"
        table += [
            endpoint(
                "GET",
                path,
                get,
                f"The mode of {whose}.",
                query=(_DEFAULT_TO_GLOBAL,),
                answers={200: ModeBody},
                codes=(40409,) if named else (),
            ),
            endpoint(
                "PUT",
                path,
                put,
                f"Change the mode of {whose}; answers what was sent.",
                query=(_FORCE,),
                body=ModeBody,
                answers={200: ModeBody},
                codes=(42204, 42206, 42208),
                writes=True,
            ),
            endpoint(
                "DELETE",
                path,
                delete,
                f"Delete the mode of {whose}; answers what it was.",
                query=(_RECURSIVE,),
                answers={200: ModeBody},
                codes=(40401,) if named else (),
                writes=True,
            ),
        ]
    return table
