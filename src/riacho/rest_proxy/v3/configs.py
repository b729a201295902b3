"""Configs of topics, of brokers, and of all brokers together: read, set, reset, many at a time.

The three are one thing with three addresses (`ConfigLinks`). librdkafka has no name for what holds for all brokers: it
is read from what a broker says about where its values come from, and set by this project's own client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3 import config_alteration
from riacho.rest_proxy.v3.brokers import broker_of
from riacho.rest_proxy.v3.config_resource import (
    BrokerConfig,
    BrokerConfigList,
    ClusterConfig,
    ClusterConfigList,
    ConfigLinks,
    TopicConfig,
    TopicConfigList,
    broker_links,
    cluster_place,
    topic_links,
)
from riacho.rest_proxy.v3.resource import CLUSTER, NO_CLUSTER, NO_TOPIC, cluster_links
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

Find = Callable[[Call], Awaitable[ConfigLinks]]


@dataclass(frozen=True, slots=True)
class _Family:
    path: str
    find: Find
    one: type
    many: type
    about: str
    errors: dict[int, str]
    segments: dict[str, type]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def topic(call: Call) -> ConfigLinks:
        return topic_links(await cluster_links(proxy, call), call.segment("topic_name"))

    async def broker(call: Call) -> ConfigLinks:
        number = call.number("broker_id")
        links = await cluster_links(proxy, call)
        await broker_of(admin, number)
        return broker_links(links, number)

    async def cluster(call: Call) -> ConfigLinks:
        links = await cluster_links(proxy, call)
        return cluster_place(links, min(node.id for node in (await admin.cluster()).nodes))

    async def all_topics(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        resources = [topic_links(links, name) for name in await admin.topic_names()]
        entries = await admin.configs([each.resource for each in resources])
        data = [config for each, found in zip(resources, entries, strict=True) for config in each.configs(found)]
        metadata = links.list_metadata("topics", "-", "configs")
        return json_answer(TopicConfigList("KafkaTopicConfigList", metadata, data))

    async def all_brokers(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        data: list[BrokerConfig] = []
        for number in sorted(node.id for node in (await admin.cluster()).nodes):
            each = broker_links(links, number)
            # librdkafka asks one broker a call.
            (found,) = await admin.configs([each.resource])
            data += each.configs(found)
        metadata = links.list_metadata("brokers", "-", "configs")
        return json_answer(BrokerConfigList("KafkaBrokerConfigList", metadata, data))

    no_config = {404: "There is no such cluster, broker or config."}
    families = (
        _Family(TOPICS + "/{topic_name}/configs", topic, TopicConfig, TopicConfigList, "a topic", NO_TOPIC, {}),
        _Family(
            CLUSTER + "/brokers/{broker_id}/configs",
            broker,
            BrokerConfig,
            BrokerConfigList,
            "a broker",
            no_config,
            {"broker_id": int},
        ),
        _Family(CLUSTER + "/broker-configs", cluster, ClusterConfig, ClusterConfigList, "all brokers", no_config, {}),
    )
    return [
        Endpoint(
            "GET",
            TOPICS + "/-/configs",
            all_topics,
            "Configs of all topics.",
            answers={200: TopicConfigList},
            errors=NO_CLUSTER,
        ),
        Endpoint(
            "GET",
            CLUSTER + "/brokers/-/configs",
            all_brokers,
            "Configs of each broker.",
            answers={200: BrokerConfigList},
            errors=NO_CLUSTER,
        ),
        config_alteration.of_many_topics(proxy),
        *(endpoint for family in families for endpoint in _family(proxy, family)),
    ]


def _family(proxy: Proxy, family: _Family) -> list[Endpoint]:
    async def configs(call: Call) -> Response:
        links = await family.find(call)
        (found,) = await proxy.admin.configs([links.resource])
        return json_answer(family.many(f"{links.kind}List", links.list_metadata, links.configs(found)))

    async def config(call: Call) -> Response:
        links = await family.find(call)
        (found,) = await proxy.admin.configs([links.resource])
        name = call.segment("name")
        for each in links.configs(found):
            if each.name == name:
                return json_answer(each)
        raise ApiError(404, 404, f"Config {name} cannot be found for {links.shown}.")

    errors, segments = family.errors, family.segments
    return [
        Endpoint(
            "GET",
            family.path,
            configs,
            f"Configs of {family.about}.",
            answers={200: family.many},
            errors=errors,
            segments=segments,
        ),
        Endpoint(
            "GET",
            family.path + "/{name}",
            config,
            f"One config of {family.about}.",
            answers={200: family.one},
            errors=errors,
            segments=segments,
        ),
        *config_alteration.endpoints(proxy, family.path, family.find, family.about, errors, segments),
    ]
