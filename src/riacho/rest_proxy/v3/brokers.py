"""The brokers of a cluster, and one of them. Their configs are in `configs.py`, their replicas in `replicas.py`."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.admin import Admin
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.resource import (
    CLUSTER,
    NO_CLUSTER,
    ClusterLinks,
    ListMetadata,
    Metadata,
    Related,
    cluster_links,
)
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


class Broker(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    broker_id: int
    host: str | None
    port: int | None
    rack: str | None
    configs: Related
    partition_replicas: Related


class BrokerList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Broker]


async def broker_of(admin: Admin, broker_id: int) -> Any:
    """404 when there is none."""
    for node in (await admin.cluster()).nodes:
        if node.id == broker_id:
            return node
    raise ApiError(404, 404, f"Broker {broker_id} cannot be found.")


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def brokers(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        nodes = sorted((await proxy.admin.cluster()).nodes, key=lambda node: node.id)
        return json_answer(
            BrokerList("KafkaBrokerList", links.list_metadata("brokers"), [_broker(links, node) for node in nodes])
        )

    async def broker(call: Call) -> Response:
        number = call.number("broker_id")
        links = await cluster_links(proxy, call)
        return json_answer(_broker(links, await broker_of(proxy.admin, number)))

    path = CLUSTER + "/brokers"
    return [
        Endpoint("GET", path, brokers, "The brokers.", answers={200: BrokerList}, errors=NO_CLUSTER),
        Endpoint(
            "GET",
            path + "/{broker_id}",
            broker,
            "One broker.",
            answers={200: Broker},
            errors={404: "There is no such cluster, or broker."},
            segments={"broker_id": int},
        ),
    ]


def _broker(links: ClusterLinks, node: Any) -> Broker:
    at = ("brokers", node.id)
    return Broker(
        "KafkaBroker",
        links.metadata(at, ("broker", node.id)),
        links.cluster_id,
        node.id,
        node.host,
        node.port,
        node.rack,
        links.related(*at, "configs"),
        links.related(*at, "partition-replicas"),
    )
