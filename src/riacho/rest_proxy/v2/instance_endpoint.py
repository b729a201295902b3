"""Endpoints below /consumers/{group}/instances/{instance}: the instance found, here or at another proxy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from riacho.rest_proxy.consumers.errors import instance_not_found
from riacho.rest_proxy.consumers.instance import ConsumerInstance
from riacho.rest_proxy.consumers.instances import ConsumerInstances
from riacho.rest_proxy.forwarding import Peers
from riacho.rest_proxy.v2.media_types import CONSUMER_ANSWER_TYPES, CONSUMER_REQUEST_TYPES
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

InstanceHandler = Callable[[Call, ConsumerInstance], Awaitable[Response]]
PATH = "/consumers/{group}/instances/{instance}"


@dataclass(frozen=True, slots=True)
class InstanceEndpoints:
    instances: ConsumerInstances
    peers: Peers


def instance_endpoint(
    known: InstanceEndpoints,
    method: str,
    below: str,
    handler: InstanceHandler,
    about: str,
    answers: Mapping[int, Any],
    body: Any = None,
    errors: Mapping[int, str] | None = None,
    *,
    optional_body: bool = False,
    query: tuple[Query, ...] = (),
) -> Endpoint:
    async def handle(call: Call) -> Response:
        group, name = call.segment("group"), call.segment("instance")
        if not known.instances.has(group, name) and known.peers.may_ask(call):
            answer = await known.peers.forward(call, group, name)
            if answer is None:
                raise instance_not_found()
            return answer
        async with known.instances.use(group, name) as instance:
            return await handler(call, instance)

    return Endpoint(
        method,
        PATH + below,
        handle,
        about,
        query=query,
        body=body,
        optional_body=optional_body,
        answers=answers,
        errors={40403: "Consumer instance not found.", **(errors or {})},
        request_types=CONSUMER_REQUEST_TYPES,
        answer_types=CONSUMER_ANSWER_TYPES,
    )
