"""Connect's application: its table of endpoints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from riacho.pipelines.connect.api import connectors, lifecycle, loggers, offsets, pipelines, plugins, root
from riacho.pipelines.connect.api.service import Service
from riacho.web.app import App
from riacho.web.endpoint import Endpoint
from riacho.web.options import AppOptions

_RESOURCES = (root, connectors, lifecycle, offsets, plugins, loggers, pipelines)
_ABOUT = "Connectors between Kafka and other systems, run on Spark. Kafka Connect's REST API."


def connect_endpoints(service: Service) -> list[Endpoint]:
    return [endpoint for resource in _RESOURCES for endpoint in resource.endpoints(service)]


def connect_app(
    service: Service,
    options: AppOptions,
    *,
    on_start: Callable[[Sequence[str]], Awaitable[None]] | None = None,
    on_stop: Callable[[], Awaitable[None]] | None = None,
) -> App:
    return App("connect", connect_endpoints(service), about=_ABOUT, on_start=on_start, on_stop=on_stop, **options)
