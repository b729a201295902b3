"""What is asked of the cluster, and changed in it: confluent-kafka's AdminClient for the event loop.

Every call has a time limit, and what Kafka refuses is an ApiError already. The cluster's id and brokers, which nearly
every call needs, are remembered for a second, and asked for once by all who wait. Topics are not: whoever has created
one and asks for it wants to see it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any, Final, TypeVar

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # it exports them without saying so
    AclBinding,
    AclBindingFilter,
    AdminClient,
    ConfigEntry,
    ConfigResource,
    ConsumerGroupDescription,
    ConsumerGroupListing,
    DescribeClusterResult,
    ListOffsetsResultInfo,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    TopicDescription,
)

from riacho.client.configs import alter_resources
from riacho.client.groups import CommittedOffset
from riacho.client.reassignments import Move, list_reassignments
from riacho.metadata.image.config_resource import ResourceType
from riacho.rest_proxy.group_offsets import committed_offsets
from riacho.rest_proxy.kafka_errors import api_error
from riacho.rest_proxy.own_client import OwnClient
from riacho.web.errors import ApiError

T = TypeVar("T")
Partition = tuple[str, int]
logger = logging.getLogger(__name__)

_REMEMBERED_S = 1.0
_THREADS = 4
# Callers hang up after half a minute or so; better they get the reason.
_TIMEOUT_S_MAX = 20.0
# Room for librdkafka's own limit to speak first: it knows more about what is missing.
_GRACE_S = 2.0


EARLIEST: Final[OffsetSpec] = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
LATEST: Final[OffsetSpec] = OffsetSpec.latest()  # type: ignore[no-untyped-call]


class Admin:
    def __init__(self, settings: Mapping[str, Any], *, timeout_s: float = 15.0) -> None:
        self._settings = {"log_level": 3, **settings}
        self._client = AdminClient(self._settings)
        self._timeout_s = min(timeout_s, _TIMEOUT_S_MAX)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="rest-proxy-admin")
        self._cluster_id: str | None = None
        self._cluster = _Remembered(self._describe_cluster)
        self._own = OwnClient(settings, self._timeout_s)

    async def close(self) -> None:
        self._own.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    # The cluster

    async def cluster_id(self) -> str:
        if self._cluster_id is None:
            self._cluster_id = str((await self.cluster()).cluster_id)
        return self._cluster_id

    async def cluster(self) -> DescribeClusterResult:
        found: DescribeClusterResult = await self._cluster.get()
        return found

    async def _describe_cluster(self) -> Any:
        return await self._one(lambda limit: self._client.describe_cluster(request_timeout=limit))

    # Topics

    async def topic_names(self) -> list[str]:
        """Sorted."""
        metadata = await self._in_thread(lambda: self._client.list_topics(timeout=self._timeout_s))
        return sorted(metadata.topics)

    async def topics(self, names: Sequence[str], *, with_operations: bool = False) -> list[TopicDescription]:
        """Those that are (still) there, sorted by name."""
        if not names:
            return []
        asked = self._many(
            lambda limit: self._client.describe_topics(
                TopicCollection(list(names)), include_authorized_operations=with_operations, request_timeout=limit
            )
        )
        found = await asyncio.gather(*asked.values(), return_exceptions=True)
        kept: list[TopicDescription] = []
        for each in found:
            if isinstance(each, ApiError) and each.status in (404, 403) and len(names) > 1:
                continue
            if isinstance(each, BaseException):
                raise each
            kept.append(each)
        return sorted(kept, key=lambda topic: str(topic.name))

    async def topic(self, name: str, *, with_operations: bool = False) -> TopicDescription:
        """ApiError 404, 40403 when there is none."""
        if not name or len(name) > 249:
            raise ApiError(404, 40403, "This server does not host this topic-partition.")
        (found,) = await self.topics([name], with_operations=with_operations)
        return found

    async def create_topic(self, topic: NewTopic, *, validate_only: bool = False) -> None:
        await self._all(
            lambda limit: self._client.create_topics([topic], request_timeout=limit, validate_only=validate_only)
        )

    async def create_partitions(self, topic: str, count: int) -> None:
        wanted = [NewPartitions(topic, count)]
        await self._all(lambda limit: self._client.create_partitions(wanted, request_timeout=limit))

    async def delete_topic(self, topic: str) -> None:
        await self._all(lambda limit: self._client.delete_topics([topic], request_timeout=limit))

    async def offsets(
        self, wanted: Mapping[Partition, OffsetSpec], *, missing_ok: bool = False
    ) -> dict[Partition, ListOffsetsResultInfo]:
        """With `missing_ok` partitions that are no more are left out."""
        if not wanted:
            return {}
        asked = self._many(
            lambda limit: self._client.list_offsets(
                {TopicPartition(*partition): spec for partition, spec in wanted.items()}, request_timeout=limit
            )
        )
        answers = await asyncio.gather(*asked.values(), return_exceptions=True)
        found: dict[Partition, ListOffsetsResultInfo] = {}
        for partition, answer in zip(asked, answers, strict=True):
            if isinstance(answer, ApiError) and answer.status == 404 and missing_ok:
                continue
            if isinstance(answer, BaseException):
                raise answer
            found[partition.topic, partition.partition] = answer
        return found

    # Configs

    async def configs(self, resources: Iterable[ConfigResource]) -> list[dict[str, ConfigEntry]]:
        wanted = list(resources)
        if not wanted:
            return []
        asked = self._many(lambda limit: self._client.describe_configs(wanted, request_timeout=limit))
        return [await asked[resource] for resource in wanted]

    async def alter_configs(self, resources: Sequence[ConfigResource], *, validate_only: bool = False) -> None:
        await self._all(
            lambda limit: self._client.incremental_alter_configs(
                list(resources), request_timeout=limit, validate_only=validate_only
            )
        )

    async def alter_cluster_configs(self, changes: Mapping[str, str | None], *, validate_only: bool = False) -> None:
        """What holds for all brokers; librdkafka has no name for that resource."""
        self._check_own_login("set configs of all brokers", "kafka-configs")
        await self._own.ask(
            lambda cluster: alter_resources(cluster, ResourceType.BROKER, {"": changes}, validate_only=validate_only)
        )

    # Reassignments

    async def reassignments(self, partitions: Sequence[Partition] | None = None) -> dict[Partition, Move]:
        """Those under way, of these partitions or of all; librdkafka has no such question."""
        self._check_own_login("ask for reassignments", "kafka-reassign-partitions")
        return await self._own.ask(lambda cluster: list_reassignments(cluster, partitions))

    def _check_own_login(self, what: str, tool: str) -> None:
        if not self._own.knows_login:
            raise ApiError(400, 40002, f"The proxy cannot {what} with the login that it has; use {tool}.")

    # Access rules

    async def acls(self, wanted: AclBindingFilter) -> list[AclBinding]:
        return list(await self._one(lambda limit: self._client.describe_acls(wanted, request_timeout=limit)))

    async def create_acls(self, acls: Sequence[AclBinding]) -> None:
        await self._all(lambda limit: self._client.create_acls(list(acls), request_timeout=limit))

    async def delete_acls(self, wanted: AclBindingFilter) -> list[AclBinding]:
        (deleted,) = await self._all(lambda limit: self._client.delete_acls([wanted], request_timeout=limit))
        return list(deleted)

    # Groups

    async def groups(self) -> list[ConsumerGroupListing]:
        """Sorted. A coordinator that does not answer takes only its own groups away."""
        listed = await self._one(lambda limit: self._client.list_consumer_groups(request_timeout=limit))
        if not listed.valid and listed.errors:
            raise api_error(listed.errors[0])
        return sorted(listed.valid, key=lambda group: str(group.group_id))

    async def describe_groups(self, groups: Sequence[str]) -> list[ConsumerGroupDescription]:
        if not groups:
            return []
        found = await self._at_coordinators(
            lambda limit: self._client.describe_consumer_groups(list(groups), request_timeout=limit)
        )
        return [found[group] for group in groups]

    async def group_offsets(self, group: str) -> dict[Partition, CommittedOffset]:
        """Everything that the group has committed."""
        if self._own.knows_login:
            return await self._own.ask(lambda cluster: committed_offsets(cluster, group))
        found = await self._at_coordinators(
            lambda limit: self._client.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(group)], request_timeout=limit
            )
        )
        (answer,) = found.values()
        return {
            (each.topic, each.partition): CommittedOffset(each.offset, -1, each.metadata or "")
            for each in answer.topic_partitions or ()
            if each.offset >= 0
        }

    async def _at_coordinators(self, ask: Callable[[float], Mapping[Any, Any]]) -> dict[Any, Any]:
        """librdkafka's client remembers a group's coordinator for good; where that has moved, a new client finds it."""
        client = self._client
        try:
            # It may wait for a broker that is no more: time must be left to ask again.
            return await self._each(lambda limit: ask(limit / 4))
        except ApiError as error:
            if error.status < 500:
                raise
        if self._client is client:
            self._client = AdminClient(self._settings)
            # It ends where its last thread does, which may take a moment.
            self._threads.submit([client].clear)
        del client
        return await self._each(ask)

    # Inside

    async def _one(self, ask: Callable[[float], Any]) -> Any:
        return await self._answer(self._asked(ask))

    def _many(self, ask: Callable[[float], Mapping[Any, Any]]) -> dict[Any, Awaitable[Any]]:
        loop = asyncio.get_running_loop()
        return {key: loop.create_task(self._answer(future)) for key, future in self._asked(ask).items()}

    async def _all(self, ask: Callable[[float], Mapping[Any, Any]]) -> list[Any]:
        return list((await self._each(ask)).values())

    async def _each(self, ask: Callable[[float], Mapping[Any, Any]]) -> dict[Any, Any]:
        """Of several the first failure is answered."""
        answers = self._many(ask)
        done = await asyncio.gather(*answers.values(), return_exceptions=True)
        for each in done:
            if isinstance(each, BaseException):
                raise each
        return dict(zip(answers, done, strict=True))

    def _asked(self, ask: Callable[[float], T]) -> T:
        try:
            return ask(self._timeout_s)
        except KafkaException as error:
            raise api_error(error) from None
        except (ValueError, TypeError) as error:
            # What the client's own checks refuse, such as a topic's empty name.
            raise ApiError(400, 40002, f"{error}") from None

    async def _answer(self, future: Future[T]) -> T:
        try:
            async with asyncio.timeout(self._timeout_s + _GRACE_S):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise _silent() from None
        except KafkaException as error:
            raise api_error(error) from None

    async def _in_thread(self, act: Callable[[], T]) -> T:
        try:
            async with asyncio.timeout(self._timeout_s + _GRACE_S):
                return await asyncio.get_running_loop().run_in_executor(self._threads, act)
        except TimeoutError:
            raise _silent() from None
        except KafkaException as error:
            raise api_error(error) from None


def _silent() -> ApiError:
    return ApiError(503, 50302, "Kafka did not answer in time.")


class _Remembered:
    """One answer for a second; while it is asked for, all who want it wait for the same one."""

    def __init__(self, ask: Callable[[], Awaitable[Any]]) -> None:
        self._ask = ask
        self._asking: asyncio.Future[Any] | None = None
        self._until = 0.0

    async def get(self) -> Any:
        asking = self._asking
        if asking is None or (asking.done() and (monotonic() >= self._until or asking.exception() is not None)):
            asking = self._asking = asyncio.ensure_future(self._ask())
            asking.add_done_callback(self._answered)
        # Shielded: a caller that goes away does not take the answer from the others.
        return await asyncio.shield(asking)

    def _answered(self, future: asyncio.Future[Any]) -> None:
        self._until = monotonic() + _REMEMBERED_S
        if not future.cancelled():
            future.exception()
