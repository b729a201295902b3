"""GET /topics: the names. GET /topics/{topic}: its configs and partitions."""

from __future__ import annotations

import msgspec
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    ConfigResource,
    ResourceType,
)
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v2.media_types import ANSWER_TYPES
from riacho.rest_proxy.v2.partitions import TopicPartition, partitions_of, topic_of
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


class Topic(msgspec.Struct):
    name: str
    configs: dict[str, str | None]
    partitions: list[TopicPartition]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def topics(_: Call) -> Response:
        return json_answer(await admin.topic_names())

    async def topic(call: Call) -> Response:
        name = call.segment("topic")
        found = await topic_of(admin, name)
        (configs,) = await admin.configs([ConfigResource(ResourceType.TOPIC, name)])
        values = {entry.name: entry.value for entry in configs.values()}
        return json_answer(Topic(name, dict(sorted(values.items())), partitions_of(found)))

    return [
        Endpoint(
            "GET", "/topics", topics, "The names of the topics.", answers={200: list[str]}, answer_types=ANSWER_TYPES
        ),
        Endpoint(
            "GET",
            "/topics/{topic}",
            topic,
            "One topic, its configs and partitions.",
            answers={200: Topic},
            errors={40401: "Topic not found."},
            answer_types=ANSWER_TYPES,
        ),
    ]
