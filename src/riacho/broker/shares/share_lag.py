"""Where partitions end, wherever their leaders are: what the lag of a share group is measured from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.visibility import CONSUMER, visible_end
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.peers.node_peers import NodePeers
    from riacho.broker.quorum.metadata_cache import MetadataCache

_LATEST = -1
_READ_UNCOMMITTED = 0
_TIMEOUT_MS = 5_000


class ShareLag:
    def __init__(self, replicas: Replicas, metadata: MetadataCache, peers: NodePeers) -> None:
        self._replicas = replicas
        self._metadata = metadata
        self._peers = peers

    async def end_offset(self, topic: str, index: int) -> int:
        """KafkaError when its leader does not say."""
        partition = self._metadata.image.partition(topic, index)
        if partition is None:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if partition.leader < 0:
            raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE)
        if partition.leader == self._replicas.node_id:
            return visible_end(self._replicas.find(topic, index).log, CONSUMER, _READ_UNCOMMITTED)
        asked = ListOffsetsPartition(partition_index=index, timestamp=_LATEST)
        request = ListOffsetsRequest(replica_id=CONSUMER, topics=[ListOffsetsTopic(name=topic, partitions=[asked])])
        answer = await self._peers.get(partition.leader).send(request, timeout_ms=_TIMEOUT_MS)
        found = answer.topics[0].partitions[0]
        if found.error_code:
            raise KafkaError(ErrorCode(found.error_code))
        offset: int = found.offset
        return offset

    def close(self) -> None:
        self._peers.close()
