"""GET /brokers: the ids of the brokers."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v2.media_types import ANSWER_TYPES
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


class Brokers(msgspec.Struct):
    brokers: list[int]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def brokers(_: Call) -> Response:
        cluster = await proxy.admin.cluster()
        return json_answer(Brokers(sorted(node.id for node in cluster.nodes)))

    return [
        Endpoint(
            "GET", "/brokers", brokers, "The ids of the brokers.", answers={200: Brokers}, answer_types=ANSWER_TYPES
        )
    ]
