"""A service with one route that answers the same few bytes: what the framework costs by itself."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from riacho.web.answers import raw_json
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.config import load_settings, service_keys
from riacho.web.endpoint import Endpoint
from riacho.web.server import OnReady, serve


def run(properties: Mapping[str, str], on_ready: OnReady | None = None) -> int:
    settings = load_settings(service_keys(0), properties)
    return serve(App("empty", [Endpoint("GET", "/empty", _empty, "Nothing.")]), settings, on_ready)


async def _empty(call: Call) -> Response:
    return raw_json(b"{}")
