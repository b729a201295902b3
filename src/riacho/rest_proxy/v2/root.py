"""GET and POST /: an empty object, by which clients see that a proxy is there."""

from __future__ import annotations

from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v2.media_types import ANSWER_TYPES, CONSUMER_REQUEST_TYPES
from riacho.web.answers import raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


def endpoints(_: Proxy) -> list[Endpoint]:
    async def root(_: Call) -> Response:
        return raw_json(b"{}")

    return [
        Endpoint(
            method,
            "/",
            root,
            "An empty object.",
            answers={200: dict[str, str]},
            request_types=CONSUMER_REQUEST_TYPES,
            answer_types=ANSWER_TYPES,
        )
        for method in ("GET", "POST")
    ]
