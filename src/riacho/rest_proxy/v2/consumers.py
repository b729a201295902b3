"""/consumers/{group}: consumer instances, what they read, where they stand.

Reading and committing are in `consumer_records.py`. Every call that names an instance which is not here is passed on to
the proxy that has it (`forwarding.py`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]
from starlette.responses import Response

from riacho.rest_proxy.admin import EARLIEST, LATEST
from riacho.rest_proxy.consumers.buffer import Partition
from riacho.rest_proxy.consumers.errors import already_exists
from riacho.rest_proxy.consumers.instance import ConsumerInstance
from riacho.rest_proxy.consumers.instance_config import ConsumerInstanceAnswer, CreateConsumer, InstanceConfig
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.links import base_url, path
from riacho.rest_proxy.v2 import consumer_records
from riacho.rest_proxy.v2.consumer_bodies import PartitionName, Partitions, Positions, Subscription, SubscriptionAnswer
from riacho.rest_proxy.v2.instance_endpoint import InstanceEndpoints, instance_endpoint
from riacho.rest_proxy.v2.media_types import CONSUMER_ANSWER_TYPES, CONSUMER_REQUEST_TYPES
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_STATE = {40903: "Topics, pattern and partitions exclude each other; positions are of assigned partitions."}


def endpoints(proxy: Proxy) -> list[Endpoint]:
    known = InstanceEndpoints(proxy.consumers, proxy.peers)
    return [
        _create(proxy),
        _delete(proxy, known),
        *_subscription(proxy, known),
        *_assignments(known),
        *_positions(proxy, known),
        *consumer_records.endpoints(proxy, known),
    ]


def _create(proxy: Proxy) -> Endpoint:
    async def create(call: Call) -> Response:
        group = call.segment("group")
        body = await call.read(CreateConsumer) if await call.body() else CreateConsumer()
        config = proxy.consumers.wanted(group, body)
        if config.is_named and await _is_elsewhere(proxy, call, config):
            raise already_exists()
        await proxy.consumers.create(config)
        base_uri = base_url(call, proxy.config) + path("consumers", group, "instances", config.name)
        return json_answer(ConsumerInstanceAnswer(config.name, base_uri))

    return Endpoint(
        "POST",
        "/consumers/{group}",
        create,
        "Creates a consumer instance in a group. `id` goes before `name`; without both a name is made up.",
        body=CreateConsumer,
        optional_body=True,
        answers={200: ConsumerInstanceAnswer},
        errors={
            40902: "The group has an instance of this name.",
            42204: "Invalid consumer configuration.",
            40001: "A setting breaks a rule of the proxy; the status is 422.",
            429: "There are too many instances.",
        },
        request_types=CONSUMER_REQUEST_TYPES,
        answer_types=CONSUMER_ANSWER_TYPES,
    )


async def _is_elsewhere(proxy: Proxy, call: Call, config: InstanceConfig) -> bool:
    if not proxy.peers.may_ask(call) or proxy.consumers.has(config.group, config.name):
        return False
    return await proxy.peers.own(config.group, config.name, call.headers.get("authorization"))


def _delete(proxy: Proxy, known: InstanceEndpoints) -> Endpoint:
    async def delete(_: Call, instance: ConsumerInstance) -> Response:
        await proxy.consumers.delete(instance.config.group, instance.config.name)
        return no_content()

    return instance_endpoint(known, "DELETE", "", delete, "Closes an instance; it leaves its group.", {204: None})


def _subscription(proxy: Proxy, known: InstanceEndpoints) -> list[Endpoint]:
    async def subscribe(call: Call, instance: ConsumerInstance) -> Response:
        body: Subscription = await call.read(Subscription)
        if body.topics is not None:
            await instance.subscribe(body.topics)
        elif body.topic_pattern is not None:
            await instance.subscribe_pattern(body.topic_pattern, await proxy.admin.topic_names())
        else:
            raise ApiError(422, 422, "A subscription names topics, or a topic_pattern.")
        return no_content()

    async def subscription(_: Call, instance: ConsumerInstance) -> Response:
        return json_answer(SubscriptionAnswer(instance.subscription))

    async def unsubscribe(_: Call, instance: ConsumerInstance) -> Response:
        await instance.unsubscribe()
        return no_content()

    where = "/subscription"
    return [
        instance_endpoint(
            known, "POST", where, subscribe, "Subscribes to topics or a pattern.", {204: None}, Subscription, _STATE
        ),
        instance_endpoint(known, "GET", where, subscription, "The topics subscribed to.", {200: SubscriptionAnswer}),
        instance_endpoint(known, "DELETE", where, unsubscribe, "Ends the subscription.", {204: None}),
    ]


def _assignments(known: InstanceEndpoints) -> list[Endpoint]:
    async def assign(call: Call, instance: ConsumerInstance) -> Response:
        body: Partitions = await call.read(Partitions)
        await instance.assign([partition.key for partition in body.partitions])
        return no_content()

    async def assignment(_: Call, instance: ConsumerInstance) -> Response:
        return json_answer(Partitions([PartitionName(*partition) for partition in instance.assignment]))

    where = "/assignments"
    return [
        instance_endpoint(known, "POST", where, assign, "Assigns partitions.", {204: None}, Partitions, _STATE),
        instance_endpoint(known, "GET", where, assignment, "The partitions assigned.", {200: Partitions}),
    ]


def _positions(proxy: Proxy, known: InstanceEndpoints) -> list[Endpoint]:
    async def seek(call: Call, instance: ConsumerInstance) -> Response:
        body: Positions = await call.read(Positions)
        targets: dict[Partition, int] = {entry.key: entry.offset for entry in body.offsets}
        times = {entry.key: OffsetSpec.for_timestamp(entry.timestamp_ms) for entry in body.timestamps}
        found = {key: each.offset for key, each in (await proxy.admin.offsets(times)).items()}
        # Where no record is as late as that: the end.
        ends = await proxy.admin.offsets({key: LATEST for key, offset in found.items() if offset < 0})
        await instance.seek(targets | found | {key: each.offset for key, each in ends.items()})
        return no_content()

    def seek_to(spec: OffsetSpec) -> Callable[[Call, ConsumerInstance], Awaitable[Response]]:
        async def handler(call: Call, instance: ConsumerInstance) -> Response:
            body: Partitions = await call.read(Partitions)
            keys = [partition.key for partition in body.partitions]
            # Before Kafka is asked about them.
            await instance.check_assigned(keys)
            found = await proxy.admin.offsets(dict.fromkeys(keys, spec))
            await instance.seek({key: each.offset for key, each in found.items()})
            return no_content()

        return handler

    where = "/positions"
    done = {204: None}
    to_beginning, to_end = seek_to(EARLIEST), seek_to(LATEST)
    return [
        instance_endpoint(known, "POST", where, seek, "Moves to offsets or points in time.", done, Positions, _STATE),
        instance_endpoint(
            known, "POST", where + "/beginning", to_beginning, "Moves to the beginning.", done, Partitions, _STATE
        ),
        instance_endpoint(known, "POST", where + "/end", to_end, "Moves to the end.", done, Partitions, _STATE),
    ]
