"""GET /v3/clusters, and the one there is."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.links import Links
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


class Cluster(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    # Absent while no controller is known.
    controller: Related | None
    acls: Related
    brokers: Related
    broker_configs: Related
    consumer_groups: Related
    topics: Related
    partition_reassignments: Related


class ClusterList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Cluster]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def cluster_at(links: ClusterLinks) -> Cluster:
        controller = (await proxy.admin.cluster()).controller
        return Cluster(
            "KafkaCluster",
            links.metadata((), ()),
            links.cluster_id,
            None if controller is None else links.related("brokers", controller.id),
            links.related("acls"),
            links.related("brokers"),
            links.related("broker-configs"),
            links.related("consumer-groups"),
            links.related("topics"),
            links.related("topics", "-", "partitions", "-", "reassignment"),
        )

    async def clusters(call: Call) -> Response:
        links = Links(call, proxy.config)
        found = await cluster_at(ClusterLinks(await proxy.admin.cluster_id(), links))
        return json_answer(ClusterList("KafkaClusterList", ListMetadata(links.url("clusters")), [found]))

    async def cluster(call: Call) -> Response:
        return json_answer(await cluster_at(await cluster_links(proxy, call)))

    return [
        Endpoint("GET", "/v3/clusters", clusters, "The cluster that the proxy serves.", answers={200: ClusterList}),
        Endpoint("GET", CLUSTER, cluster, "One cluster.", answers={200: Cluster}, errors=NO_CLUSTER),
    ]
