"""The topics of a cluster, as lists and one by one: all from the picture, but for a topic's own settings."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from contextlib import suppress
from operator import attrgetter
from typing import Any

import msgspec
from starlette.responses import Response

from riacho.client.cluster import Cluster
from riacho.client.configs import describe_configs
from riacho.console.api.configs import ConfigChange, ConfigRow, change_configs, note_change, read_configs
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.api.offset_count import Lag, Messages
from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.clusters.picture import TopicFacts
from riacho.console.clusters.watch import Seen
from riacho.console.parts import Parts
from riacho.console.rates import TopicRates
from riacho.metadata.image.config_resource import ConfigSource, ResourceType
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_SPARK_MAX = 30
_OVERRIDES_TIMEOUT_MS = 2_000
_FIELDS = {
    **fields_of(
        "name", "replication", "under_replicated", "offline", "messages", "size_bytes", "lag", "cleanup_policy",
        "retention_ms",
    ),
    "partitions": lambda topic: len(topic.partitions),
    "groups": lambda topic: len(topic.consumers),
}  # fmt: skip
_QUERY = (
    *PAGE_QUERY,
    Query("internal", bool, "Whether topics that clusters and services keep for themselves are listed.", False),
    Query("prefix", str, "Only topics whose names begin so."),
    Query("unwell", bool, "Only topics with partitions that lack a leader or replicas in sync.", False),
)


class TopicRow(msgspec.Struct):
    name: str
    is_internal: bool
    partitions: int
    replication: int
    under_replicated: int
    offline: int
    messages: Messages
    size_bytes: int | None
    bytes_in_per_s: float | None
    bytes_out_per_s: float | None
    groups: int
    lag: Lag
    cleanup_policy: str | None
    # -1: for good.
    retention_ms: int | None
    spark: list[float | None]


class TopicPage(TopicRow):
    topic_id: str
    under_min_isr: int | None
    # None: they cannot be asked for now.
    config_overrides: dict[str, str] | None
    as_of_ms: int
    stale_reason: str | None


class PartitionRow(msgspec.Struct):
    partition: int
    leader: int | None
    replicas: list[int]
    in_sync: list[int]
    offline_replicas: list[int]
    first_offset: int | None
    next_offset: int | None
    # Of the leader's replica.
    size_bytes: int | None


class ConsumerRow(msgspec.Struct):
    group: str
    state: str
    members: int | None
    lag: Lag


def endpoints(parts: Parts) -> list[Endpoint]:
    def row(cluster: ConsoleCluster, topic: TopicFacts) -> TopicRow:
        return topic_row(topic, parts.rates.of_topic(cluster.id, topic.name))

    async def get_all(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        found = cut(call, listed_topics(call, seen), attrgetter("name"), _FIELDS, "name")
        return json_answer(found.page_of([row(cluster, topic) for topic in found.rows], seen))

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        topic = topic_of(call, seen)
        overrides = None
        if cluster.watch.reason is None:
            # The rest is known without them.
            with suppress(ApiError):
                overrides = await cluster.kafka.ask(lambda c: config_overrides(c, topic.name), _OVERRIDES_TIMEOUT_MS)
        page = TopicPage(
            **msgspec.structs.asdict(row(cluster, topic)),
            topic_id=urlsafe_b64encode(topic.topic_id).rstrip(b"=").decode(),
            under_min_isr=topic.under_min_isr,
            config_overrides=overrides,
            as_of_ms=seen.picture.as_of_ms,
            stale_reason=seen.stale_reason,
        )
        return json_answer(page)

    async def get_partitions(call: Call) -> Response:
        topic = topic_of(call, await parts.clusters.of(call).watch.now())
        return json_answer([PartitionRow(**_listed(p._asdict())) for p in topic.partitions])

    async def get_consumers(call: Call) -> Response:
        seen = await parts.clusters.of(call).watch.now()
        groups = seen.picture.groups
        rows = [
            ConsumerRow(each.group, groups[each.group].state, groups[each.group].members, each.lag)
            for each in topic_of(call, seen).consumers
        ]
        return json_answer(rows)

    async def get_config(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        name, is_riacho = topic_of(call, seen).name, seen.picture.is_riacho
        return json_answer(
            await cluster.kafka.ask(lambda c: read_configs(c, ResourceType.TOPIC, name, is_riacho=is_riacho))
        )

    async def patch_config(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        name = topic_of(call, await cluster.watch.now()).name
        change: ConfigChange = await call.read(ConfigChange)
        note_change(call, change)
        await cluster.kafka.ask(lambda c: change_configs(c, ResourceType.TOPIC, name, change))
        await cluster.changed_topic(name)
        return no_content()

    base = "/api/v1/clusters/{c}/topics"
    one = base + "/{t}"
    return [
        Endpoint("GET", base, get_all, "The topics.", query=_QUERY,
                 tag="topics", errors=KAFKA_ERRORS, answers={200: Page[TopicRow]}),
        Endpoint("GET", one, get, "One topic.", tag="topics", errors=KAFKA_ERRORS, answers={200: TopicPage}),
        Endpoint("GET", one + "/partitions", get_partitions, "Its partitions.", tag="topics", errors=KAFKA_ERRORS,
                 answers={200: list[PartitionRow]}),
        Endpoint("GET", one + "/consumers", get_consumers, "The groups that read it.",
                 tag="topics", errors=KAFKA_ERRORS, answers={200: list[ConsumerRow]}),
        Endpoint("GET", one + "/config", get_config, "Its settings.",
                 tag="topics", errors=KAFKA_ERRORS, answers={200: list[ConfigRow]}),
        Endpoint("PATCH", one + "/config", patch_config, "Set and unset its settings.",
                 tag="topics", errors=KAFKA_ERRORS, body=ConfigChange, answers={204: None}),
    ]  # fmt: skip


def listed_topics(call: Call, seen: Seen) -> list[TopicFacts]:
    """Those that `internal`, `prefix` and `unwell` of the call leave."""
    prefix, with_internal, only_unwell = call.text("prefix") or "", call.flag("internal"), call.flag("unwell")
    return [
        topic
        for name, topic in seen.picture.topics.items()
        if (with_internal or not topic.is_internal)
        and name.startswith(prefix)
        and (not only_unwell or topic.offline or topic.under_replicated or topic.under_min_isr)
    ]


def topic_of(call: Call, seen: Seen) -> TopicFacts:
    """The one that `{t}` of the path names; ApiError 404."""
    found = seen.picture.topics.get(call.segment("t"))
    if found is None:
        raise ApiError(404, 40403, "There is no topic of that name.")
    return found


def topic_row(topic: TopicFacts, rates: TopicRates) -> TopicRow:
    return TopicRow(
        name=topic.name,
        is_internal=topic.is_internal,
        partitions=len(topic.partitions),
        replication=topic.replication,
        under_replicated=topic.under_replicated,
        offline=topic.offline,
        messages=topic.messages,
        size_bytes=topic.size_bytes,
        bytes_in_per_s=rates.bytes_in_per_s,
        bytes_out_per_s=rates.bytes_out_per_s,
        groups=len(topic.consumers),
        lag=topic.lag,
        cleanup_policy=topic.cleanup_policy,
        retention_ms=topic.retention_ms,
        spark=list(rates.spark)[-_SPARK_MAX:],
    )


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def config_overrides(cluster: Cluster, name: str) -> dict[str, str]:
    """What is set for the topic itself. Blocking."""
    told = describe_configs(cluster, ResourceType.TOPIC, [name])[name]
    return {e.name: e.value or "" for e in told if e.config_source == ConfigSource.DYNAMIC_TOPIC_CONFIG}
