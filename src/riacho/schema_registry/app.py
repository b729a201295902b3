"""The registry's application: its table of endpoints, and paths under `/contexts/` turned to those they mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from starlette.types import Receive, Scope, Send

from riacho.schema_registry.context_paths import PREFIX, rewrite
from riacho.schema_registry.endpoints import (
    compatibility,
    config,
    contexts,
    mode,
    registration,
    root,
    schemas,
    subjects,
    versions,
)
from riacho.schema_registry.endpoints.table import MEDIA_TYPE
from riacho.schema_registry.service import Service
from riacho.web.answers import error_answer
from riacho.web.app import App
from riacho.web.endpoint import Endpoint
from riacho.web.options import AppOptions

_RESOURCES = (root, subjects, versions, registration, schemas, compatibility, config, mode, contexts)
_ABOUT = "Schemas of Kafka topics: versions by subject, ids, compatibility. Confluent's Schema Registry API."


class RegistryApp(App):
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(PREFIX):
            try:
                scope = _rewritten(scope)
            except ValueError as error:
                await error_answer(400, 400, str(error), MEDIA_TYPE)(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


def registry_endpoints(service: Service) -> list[Endpoint]:
    return [endpoint for resource in _RESOURCES for endpoint in resource.endpoints(service)]


def registry_app(
    service: Service,
    options: AppOptions,
    *,
    on_start: Callable[[Sequence[str]], Awaitable[None]] | None = None,
    on_stop: Callable[[], Awaitable[None]] | None = None,
    health: Callable[[], str | None] | None = None,
) -> RegistryApp:
    return RegistryApp(
        "schema-registry",
        registry_endpoints(service),
        media_type=MEDIA_TYPE,
        internal_error_code=50001,
        about=_ABOUT,
        on_start=on_start,
        on_stop=on_stop,
        health=health,
        **options,
    )


def _rewritten(scope: Scope) -> Scope:
    """What is forwarded to the leader is the rewritten form too: it means the same there."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    target = rewrite(raw.decode("latin-1"), scope.get("query_string", b"").decode("latin-1"))
    return {**scope, "raw_path": target.path.encode("latin-1"), "query_string": target.query.encode("latin-1")}
