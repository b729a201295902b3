"""The server's application: its table of endpoints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from riacho.pipelines.sql.endpoints import info, inserts, queries, statements
from riacho.pipelines.sql.endpoints.media import KSQL_JSON
from riacho.pipelines.sql.server.errors import SERVER_ERROR, error_body
from riacho.pipelines.sql.server.service import Service
from riacho.web.app import App
from riacho.web.options import AppOptions

_RESOURCES = (info, statements, queries, inserts)
_ABOUT = "Streams and tables by SQL, run on Spark. ksqlDB's REST API."


def ksql_app(
    service: Service,
    options: AppOptions,
    *,
    on_start: Callable[[Sequence[str]], Awaitable[None]] | None = None,
    on_stop: Callable[[], Awaitable[None]] | None = None,
) -> App:
    return App(
        "ksql",
        [endpoint for resource in _RESOURCES for endpoint in resource.endpoints(service)],
        media_type=KSQL_JSON,
        internal_error_code=SERVER_ERROR,
        error_body=error_body,
        about=_ABOUT,
        on_start=on_start,
        on_stop=on_stop,
        **options,
    )
