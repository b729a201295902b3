"""Endpoints that every service has: `/health`, `/metrics`, `/openapi.json` and `/docs`.

A service that has one of these paths itself keeps its own.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

if TYPE_CHECKING:
    from riacho.web.app import App

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
# Why the service cannot work; None when it can.
Health = Callable[[], str | None]
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def own_endpoints(app: App, endpoints: list[Endpoint], health: Health | None) -> list[Endpoint]:
    """The service's table with ours after it."""
    taken = {endpoint.path for endpoint in endpoints}
    return endpoints + [endpoint for endpoint in _table(app, health) if endpoint.path not in taken]


def _table(app: App, health: Health | None) -> list[Endpoint]:
    document: list[bytes] = []

    async def get_health(call: Call) -> Response:
        trouble = None if health is None else health()
        if trouble is None:
            return json_answer({"status": "UP"})
        return json_answer({"status": "DOWN", "trouble": trouble}, status=503)

    async def get_metrics(call: Call) -> Response:
        return Response(app.metrics.render(), headers={"content-type": _PROMETHEUS})

    async def get_openapi(call: Call) -> Response:
        if not document:
            # Made when somebody asks: most processes never do.
            from riacho.web.openapi import openapi

            document.append(openapi(app.name, app.about, app.endpoints, app.media_type, app.is_login_asked))
        return raw_json(document[0])

    async def get_docs(call: Call) -> Response:
        # One file, nothing from elsewhere: it works where there is no internet.
        page = (files("riacho.web") / "docs_page.html").read_text(encoding="utf-8")
        headers = {"Content-Security-Policy": _policy_of(page), "X-Content-Type-Options": "nosniff"}
        return Response(page, media_type="text/html", headers=headers)

    state: Any = dict[str, str]
    return [
        Endpoint("GET", "/health", get_health, "Whether the service can work.", is_public=True, tag="service",
                 answers={200: state, 503: state}),
        Endpoint("GET", "/metrics", get_metrics, "Metrics in Prometheus' text format.", tag="service",
                 answers={200: str}, answer_types=("text/plain",)),
        Endpoint("GET", "/openapi.json", get_openapi, "This description.", tag="service"),
        Endpoint("GET", "/docs", get_docs, "This description, to read.", tag="service",
                 answers={200: str}, answer_types=("text/html",)),
    ]  # fmt: skip


def _policy_of(page: str) -> str:
    """The page runs its own script and talks to its own service; nothing else, nor in anybody's frame."""
    inline = "; ".join(f"{kind}-src {_digest(text)}" for kind, text in _INLINE.findall(page))
    return (
        f"default-src 'none'; {inline}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
