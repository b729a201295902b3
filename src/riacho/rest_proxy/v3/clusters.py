"""GET /v3/clusters, and the one there is."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.links import Links
from riacho.rest_proxy.v3.resource import CLUSTER, NO_CLUSTER, ListMetadata, Metadata, Place, Related, place_of
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
    async def cluster_at(place: Place) -> Cluster:
        controller = (await proxy.admin.cluster()).controller
        return Cluster(
            "KafkaCluster",
            place.metadata((), ()),
            place.cluster_id,
            None if controller is None else place.related("brokers", controller.id),
            place.related("acls"),
            place.related("brokers"),
            place.related("broker-configs"),
            place.related("consumer-groups"),
            place.related("topics"),
            place.related("topics", "-", "partitions", "-", "reassignment"),
        )

    async def clusters(call: Call) -> Response:
        links = Links(call, proxy.config)
        found = await cluster_at(Place(await proxy.admin.cluster_id(), links))
        return json_answer(ClusterList("KafkaClusterList", ListMetadata(links.url("clusters")), [found]))

    async def cluster(call: Call) -> Response:
        return json_answer(await cluster_at(await place_of(proxy, call)))

    return [
        Endpoint("GET", "/v3/clusters", clusters, "The cluster that the proxy serves.", answers={200: ClusterList}),
        Endpoint("GET", CLUSTER, cluster, "One cluster.", answers={200: Cluster}, errors=NO_CLUSTER),
    ]
