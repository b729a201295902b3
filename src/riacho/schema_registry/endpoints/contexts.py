"""`/contexts`: list contexts, delete an empty one. What is under them is rewritten by `context_paths.py`."""

from __future__ import annotations

from starlette.responses import Response

from riacho.schema_registry.authorization import Operation as Access
from riacho.schema_registry.deleting import decide_delete_context
from riacho.schema_registry.endpoints.table import PAGE, endpoint
from riacho.schema_registry.naming import DEFAULT_CONTEXT, context_of, normalize_context
from riacho.schema_registry.operations import DELETE_CONTEXT
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_PREFIX = Query("contextPrefix", str, "What the contexts begin with.", "")


def endpoints(service: Service) -> list[Endpoint]:
    registry = service.registry

    def readable_contexts(call: Call) -> set[str] | None:
        """The contexts that the caller may read something in; None where nobody is asked."""
        if service.access is None:
            return None
        scopes = (f":{name}:" for name in registry.state.context_names)
        names = {context_of(each) for each in (*registry.state.subjects, *scopes) if service.may_read(call, each)}
        return names | {DEFAULT_CONTEXT}

    async def list_all(call: Call) -> Response:
        prefix = (call.text("contextPrefix", "") or "").removeprefix(":")
        readable = readable_contexts(call)
        names = [DEFAULT_CONTEXT, *sorted(registry.state.context_names)]
        found = [name for name in names if name.startswith(prefix) and (readable is None or name in readable)]
        return json_answer(service.context_limits.cut(found, call))

    async def delete(call: Call) -> Response:
        try:
            context = normalize_context(call.segment("context"))
        except ValueError as error:
            raise ApiError(400, 400, str(error)) from None
        service.check(call, Access.DELETE, context or None)
        return await service.change(
            call, DELETE_CONTEXT, lambda: decide_delete_context(registry, context), lambda _: no_content()
        )

    return [
        endpoint("GET", "/contexts", list_all, "List contexts.", query=(_PREFIX, *PAGE), answers={200: list[str]}),
        endpoint(
            "DELETE",
            "/contexts/{context}",
            delete,
            "Delete a context that nothing is in.",
            answers={204: None},
            codes=(42211,),
            writes=True,
        ),
    ]
