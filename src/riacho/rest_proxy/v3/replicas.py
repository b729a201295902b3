"""Replicas: of a partition, and of a broker."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.brokers import broker_of
from riacho.rest_proxy.v3.partitions import ERRORS, SEGMENTS, partition_of
from riacho.rest_proxy.v3.partitions import PATH as PARTITIONS
from riacho.rest_proxy.v3.resource import CLUSTER, ClusterLinks, ListMetadata, Metadata, Related, cluster_links
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


class Replica(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    topic_name: str
    partition_id: int
    broker_id: int
    is_leader: bool
    is_in_sync: bool
    broker: Related


class ReplicaList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Replica]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def replicas(call: Call) -> Response:
        links, topic, found = await _asked(call)
        at = ("topics", topic, "partitions", call.number("partition_id"), "replicas")
        return json_answer(ReplicaList("KafkaReplicaList", links.list_metadata(*at), found))

    async def replica(call: Call) -> Response:
        broker_id = call.number("broker_id")
        _, topic, found = await _asked(call)
        for each in found:
            if each.broker_id == broker_id:
                return json_answer(each)
        raise ApiError(404, 404, f"Broker {broker_id} has no replica of this partition of {topic}.")

    async def of_broker(call: Call) -> Response:
        number = call.number("broker_id")
        links = await cluster_links(proxy, call)
        await broker_of(admin, number)
        found = [
            each
            for topic in await admin.topics(await admin.topic_names())
            for partition in sorted(topic.partitions, key=lambda each: each.id)
            for each in _replicas(links, topic.name, partition)
            if each.broker_id == number
        ]
        at = ("brokers", number, "partition-replicas")
        return json_answer(ReplicaList("KafkaReplicaList", links.list_metadata(*at), found))

    async def _asked(call: Call) -> tuple[ClusterLinks, str, list[Replica]]:
        number = call.number("partition_id")
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        return links, topic, _replicas(links, topic, await partition_of(admin, topic, number))

    path = PARTITIONS + "/{partition_id}/replicas"
    both = {**SEGMENTS, "broker_id": int}
    return [
        Endpoint(
            "GET", path, replicas, "Of one partition.", answers={200: ReplicaList}, errors=ERRORS, segments=SEGMENTS
        ),
        Endpoint(
            "GET", path + "/{broker_id}", replica, "One replica.", answers={200: Replica}, errors=ERRORS, segments=both
        ),
        Endpoint(
            "GET",
            CLUSTER + "/brokers/{broker_id}/partition-replicas",
            of_broker,
            "The replicas that a broker has.",
            answers={200: ReplicaList},
            errors={404: "There is no such cluster, or broker."},
            segments={"broker_id": int},
        ),
    ]


def _replicas(links: ClusterLinks, topic: str, partition: Any) -> list[Replica]:
    leader = -1 if partition.leader is None else partition.leader.id
    in_sync = {node.id for node in partition.isr}
    at = ("topics", topic, "partitions", partition.id, "replicas")
    return [
        Replica(
            "KafkaReplica",
            links.metadata((*at, node.id), ("topic", topic, "partition", partition.id, "replica", node.id)),
            links.cluster_id,
            topic,
            partition.id,
            node.id,
            node.id == leader,
            node.id in in_sync,
            links.related("brokers", node.id),
        )
        for node in partition.replicas
    ]
