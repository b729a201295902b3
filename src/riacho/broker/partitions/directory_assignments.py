"""Telling the controller in which log directory each replica of this broker is (KIP-858).

The broker chooses when it makes a replica, and the controller must know, or it could not tell which replicas a broken
directory takes along, nor let a replica lead that came back on a new disk. What differs from the metadata is gathered,
sent, and gone when the metadata agree.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.wire.messages.assign_replicas_to_dirs_request import (
    AssignReplicasToDirsRequest,
    DirectoryData,
    PartitionData,
    TopicData,
)

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.controller_channel import ControllerChannel
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.log.directories import LogDirectories
    from riacho.metadata.image.image import MetadataImage

_RETRY_MS = 500
_PARTITIONS_PER_REQUEST = 2_000


class DirectoryAssignments:
    def __init__(
        self,
        node_id: int,
        directories: LogDirectories,
        replicas: Replicas,
        metadata: MetadataCache,
        channel: ControllerChannel,
        lifecycle: BrokerLifecycle,
        logs: Logs,
    ) -> None:
        self._node_id = node_id
        self._directories = directories
        self._replicas = replicas
        self._metadata = metadata
        self._channel = channel
        self._lifecycle = lifecycle
        self._logs = logs
        self._pending: dict[tuple[bytes, int], HostedPartition] = {}
        self._task: asyncio.Task[None] | None = None

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        if new.topics is not old.topics:
            for name, topic in new.topics.items():
                if topic is not old.topics.get(name):
                    for hosted in self._replicas.by_name.get(name, {}).values():
                        self.hosted(hosted)

    def hosted(self, hosted: HostedPartition) -> None:
        """This replica is here, perhaps in another directory than the metadata say."""
        if self._unknown(hosted) is not None:
            self._pending[(hosted.topic_id, hosted.index)] = hosted
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _unknown(self, hosted: HostedPartition) -> bytes | None:
        """The directory that the controller does not know this replica to be in."""
        state = self._metadata.image.partition(hosted.topic, hosted.index)
        actual = self._directories.id_of(hosted.topic, hosted.index)
        if state is None or actual is None or self._node_id not in state.replicas:
            return None
        at = state.replicas.index(self._node_id)
        known = state.directories[at] if at < len(state.directories) else None
        return None if known == actual else actual

    async def _run(self) -> None:
        try:
            while self._pending:
                # Those of the same turn go together.
                await asyncio.sleep(0)
                try:
                    await self._channel.send(self._request())
                except KafkaError as error:
                    self._logs.error.info("directories not told error=%s", error)
                # The metadata follow the answer by a moment.
                await self._metadata.until(self._agrees, _RETRY_MS)
                self._pending = {key: each for key, each in self._pending.items() if self._unknown(each) is not None}
        finally:
            self._task = None

    def _agrees(self, _image: MetadataImage) -> bool:
        return not any(self._unknown(each) is not None for each in self._pending.values())

    def _request(self) -> AssignReplicasToDirsRequest:
        directories: dict[bytes, dict[bytes, TopicData]] = {}
        for hosted in list(self._pending.values())[:_PARTITIONS_PER_REQUEST]:
            directory = self._unknown(hosted)
            if directory is not None:
                topics = directories.setdefault(directory, {})
                topic = topics.setdefault(hosted.topic_id, TopicData(topic_id=hosted.topic_id, partitions=[]))
                topic.partitions.append(PartitionData(partition_index=hosted.index))
        return AssignReplicasToDirsRequest(
            broker_id=self._node_id,
            broker_epoch=self._lifecycle.epoch,
            directories=[DirectoryData(id=id, topics=list(topics.values())) for id, topics in directories.items()],
        )
