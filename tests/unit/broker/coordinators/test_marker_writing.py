"""Markers as a partition takes them: only of coordinator epochs that there are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.config import BrokerConfig
from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.coordinators.marker_writing import MarkerWriter
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.groups.config import GroupConfig
from riacho.log.directories import LogDirectories
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topic_names import TRANSACTION_STATE
from riacho.metadata.image.topics import Partition, Topic
from riacho.wire.messages.write_txn_markers_request import WritableTxnMarker, WritableTxnMarkerTopic
from support.broker_fakes import SetClock, recorded_logs
from support.group_runtime_world import FakeMetadata, no_share_state
from support.log_files import append

NONE, FENCED = ErrorCode.NONE, ErrorCode.TRANSACTION_COORDINATOR_FENCED
PRODUCER = 7
# Leader epochs of the coordinators' partitions.
EPOCHS = (3, 40, 12)


LED_HERE = Topic("t", b"t" * 16, (Partition((1,), (1,), 1, 0, 0),))


def image(*epochs: int) -> MetadataImage:
    """Topic t of one partition led here, and coordinators elsewhere."""
    topics = {"t": LED_HERE}
    if epochs:
        partitions = tuple(Partition((2,), (2,), 2, epoch, 0) for epoch in epochs)
        topics[TRANSACTION_STATE] = Topic(TRANSACTION_STATE, bytes(16), partitions)
    return MetadataImage(topics=topics, topics_by_id={topic.id: topic for topic in topics.values()})


class World:
    def __init__(self, path: Path) -> None:
        logs, _, self.lines = recorded_logs(logging.WARNING)
        clock = SetClock()
        self.metadata = MetadataCache(BrokerConfig({"log.dirs": str(path)}), image(*EPOCHS))
        self.directories = LogDirectories([str(path)], node_id=1, cluster_id="c", new_directory_id=lambda: b"d" * 16)
        replicas = Replicas(1, self.directories, self.metadata, clock, logs, BrokerMetrics(), 86_400_000)
        replicas.load()
        self.metadata.subscribe(replicas.image_changed)
        self.hosted = replicas.find("t", 0)
        groups = GroupRuntime(GroupConfig(), replicas, clock, FakeMetadata(), create_share_state=no_share_state)
        self.writer = MarkerWriter(replicas, groups, self.metadata, clock, logs)

    def begin(self, sequence: int) -> None:
        """A transaction of the producer."""
        append(
            self.hosted.log, b"v", producer_id=PRODUCER, producer_epoch=0, base_sequence=sequence, transactional=True
        )

    def end(self, *coordinator_epochs: int) -> list[int]:
        """What is answered to the markers of one request."""
        topics = [WritableTxnMarkerTopic(name="t", partition_indexes=[0])]
        markers = [
            WritableTxnMarker(producer_id=PRODUCER, producer_epoch=0, topics=topics, coordinator_epoch=epoch)
            for epoch in coordinator_epochs
        ]
        results = asyncio.run(self.writer.write(markers))
        return [result.topics[0].partitions[0].error_code for result in results]

    @property
    def is_open(self) -> bool:
        return self.hosted.log.producer_state.producers.has_transaction(PRODUCER, 0)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.directories.close(clean=False)


def test_an_epoch_that_no_coordinator_has_does_not_fence_the_true_one(world: World) -> None:
    world.begin(0)
    end_offset = world.hosted.log.log_end_offset
    assert world.end(2**31 - 1, 41 + 1_000) == [FENCED, FENCED]
    assert world.hosted.log.log_end_offset == end_offset
    assert world.is_open
    assert world.end(12) == [NONE]
    assert not world.is_open


def test_one_line_tells_of_a_request_that_was_refused(world: World) -> None:
    world.end(*[2**31 - 1] * 10)
    [line] = world.lines
    assert line.startswith("WARNING transaction markers refused reason=coordinator epoch 2147483647 is past 40")


def test_an_epoch_of_an_election_that_is_not_known_here_yet_is_tried_again(world: World) -> None:
    world.begin(0)
    assert world.end(41) == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert world.is_open
    assert world.lines == []
    world.metadata.publish(image(41, 40, 12))
    assert world.end(41) == [NONE]


def test_an_epoch_that_the_producer_had_is_taken_though_the_topic_was_made_anew(world: World) -> None:
    world.begin(0)
    assert world.end(40) == [NONE]
    world.metadata.publish(image(0))
    world.begin(1)
    assert world.end(39) == [FENCED]
    assert world.end(40) == [NONE]
    assert not world.is_open


def test_without_coordinators_a_transaction_that_hangs_is_ended_with_epoch_0(world: World) -> None:
    world.metadata.publish(image())
    world.begin(0)
    assert world.end(0) == [NONE]
    assert not world.is_open
