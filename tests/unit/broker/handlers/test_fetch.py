"""Who may read what from whom: followers up to the log end, consumers from leaders and followers, and where else they
are sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.fetch.replica_selector import selector_for
from riacho.broker.handlers import fetch
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.requests.later import Later
from riacho.metadata.image.brokers import Broker, Endpoint
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from riacho.wire.messages.fetch_response import PartitionData
from support.broker_fakes import HandLoop
from support.log_files import append
from support.replication_world import FOLLOWER, LEADER, TOPIC_ID, Node, World, state, write
from support.virtual_time import VirtualClock

LISTENER = "PLAINTEXT"


def _node(path: Path, node_id: int = LEADER) -> Node:
    node = Node(path, node_id, VirtualClock())
    node.broker.loop = HandLoop()
    return node


def _fetch(
    node: Node,
    offset: int,
    *,
    replica: int = -1,
    version: int = 17,
    epoch: int = -1,
    last_epoch: int = -1,
    wait_ms: int = 0,
    rack: str = "",
    broker_epoch: int = 7,
    isolation: int = 0,
) -> Any:
    request = FetchRequest(
        replica_state=ReplicaState(replica_id=replica, replica_epoch=broker_epoch if replica >= 0 else -1),
        max_wait_ms=wait_ms,
        min_bytes=1,
        max_bytes=1 << 20,
        isolation_level=isolation,
        rack_id=rack,
        topics=[
            FetchTopic(
                topic="t",
                topic_id=TOPIC_ID,
                partitions=[
                    FetchPartition(
                        partition=0,
                        current_leader_epoch=epoch,
                        fetch_offset=offset,
                        last_fetched_epoch=last_epoch,
                        partition_max_bytes=1 << 20,
                    )
                ],
            )
        ],
    )
    if version < 15:
        request.replica_id = replica
    ctx = node.broker.context(version)
    return fetch.handle(ctx, request)


def _one(response: Any) -> PartitionData:
    assert not isinstance(response, Later)
    assert response.error_code == 0
    found: PartitionData = response.responses[0].partitions[0]
    return found


def _size(answer: PartitionData) -> int:
    return getattr(answer.records, "size", 0)


def _broker(
    node_id: int, rack: str | None, *, epoch: int = 7, is_fenced: bool = False, listener: str = LISTENER
) -> Broker:
    return Broker(
        id=node_id,
        epoch=epoch,
        incarnation_id=b"i" * 16,
        endpoints=(Endpoint(listener, "host", 9092),),
        features={},
        rack=rack,
        is_fenced=is_fenced,
        in_controlled_shutdown=False,
        log_dirs=(),
    )


def test_a_follower_reads_to_the_end_a_consumer_to_the_high_watermark(tmp_path: Path) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 0))
    write(hosted, b"a")
    assert hosted.log.high_watermark == 0
    assert _size(_one(_fetch(node, 0))) == 0
    assert _size(_one(_fetch(node, 0, replica=FOLLOWER, epoch=0))) == hosted.log.size_bytes
    # Asking for 1 says that it has 0.
    _fetch(node, 1, replica=FOLLOWER, epoch=0)
    assert hosted.log.high_watermark == 1
    assert _size(_one(_fetch(node, 0))) == hosted.log.size_bytes


@pytest.mark.parametrize("version", [12, 14, 15, 18])
def test_the_followers_id_is_where_its_version_has_it(tmp_path: Path, version: int) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 0))
    write(hosted, b"a")
    _fetch(node, 1, replica=FOLLOWER, epoch=0, version=version)
    assert hosted.log.high_watermark == 1


def test_a_diverging_follower_does_not_move_the_high_watermark(tmp_path: Path) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 3))
    write(hosted, b"a")
    answer = _one(_fetch(node, 1, replica=FOLLOWER, epoch=3, last_epoch=2))
    assert (answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset) == (2, 0)
    assert hosted.log.high_watermark == 0


def test_a_leader_that_wrote_nothing_in_its_epoch_still_tells_where_the_logs_part(tmp_path: Path) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 0, isr=(LEADER,)))
    append(hosted.log, b"a", epoch=0)
    hosted.leader_epoch = 5
    answer = _one(_fetch(node, 3, replica=FOLLOWER, epoch=5, last_epoch=4))
    assert (answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset) == (0, 1)


@pytest.mark.parametrize(
    ("offset", "replica", "epoch", "broker_epoch", "code"),
    [
        (5, FOLLOWER, 2, 7, ErrorCode.OFFSET_OUT_OF_RANGE),
        (0, FOLLOWER, 1, 7, ErrorCode.FENCED_LEADER_EPOCH),
        (0, FOLLOWER, 3, 7, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (0, 9, 2, 7, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (0, 9, -1, 7, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (0, FOLLOWER, 2, 6, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_followers_that_are_refused(
    tmp_path: Path, offset: int, replica: int, epoch: int, broker_epoch: int, code: ErrorCode
) -> None:
    node = _node(tmp_path)
    node.host(0, state(LEADER, 2))
    node.broker.metadata.image.brokers[FOLLOWER] = _broker(FOLLOWER, None, epoch=7)
    answer = _one(_fetch(node, offset, replica=replica, epoch=epoch, broker_epoch=broker_epoch))
    assert answer.error_code == code


def test_a_follower_is_no_leader_for_other_followers(tmp_path: Path) -> None:
    node = _node(tmp_path, FOLLOWER)
    node.host(0, state(LEADER, 2))
    answer = _one(_fetch(node, 0, replica=3, epoch=2))
    assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert answer.current_leader.leader_id == LEADER


def _following(tmp_path: Path) -> tuple[Node, HostedPartition]:
    node = _node(tmp_path, FOLLOWER)
    hosted = node.host(0, state(LEADER, 2))
    append(hosted.log, b"a", epoch=2)
    append(hosted.log, b"b", epoch=2)
    hosted.log.high_watermark = 1
    return node, hosted


def test_a_consumer_reads_from_a_follower_what_is_committed(tmp_path: Path) -> None:
    node, hosted = _following(tmp_path)
    answer = _one(_fetch(node, 0, epoch=2))
    assert 0 < _size(answer) < hosted.log.size_bytes
    assert (answer.high_watermark, answer.log_start_offset) == (1, 0)
    # Above what it knows to be committed there is nothing yet; that is no error.
    beyond = _one(_fetch(node, 2, epoch=2))
    assert (beyond.error_code, _size(beyond)) == (0, 0)


@pytest.mark.parametrize(
    ("offset", "epoch", "version", "code"),
    [
        (3, 2, 12, ErrorCode.OFFSET_OUT_OF_RANGE),
        (0, 1, 12, ErrorCode.FENCED_LEADER_EPOCH),
        (0, 3, 12, ErrorCode.UNKNOWN_LEADER_EPOCH),
        # Versions that do not know of reading from followers.
        (0, 2, 10, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_consumers_that_a_follower_refuses(
    tmp_path: Path, offset: int, epoch: int, version: int, code: ErrorCode
) -> None:
    node, _ = _following(tmp_path)
    assert _one(_fetch(node, offset, epoch=epoch, version=version)).error_code == code


def test_a_consumer_that_waits_at_a_follower_is_woken_by_its_high_watermark(tmp_path: Path) -> None:
    node, hosted = _following(tmp_path)
    parked = _fetch(node, 1, wait_ms=500)
    answers: list[Any] = []
    parked.then(answers.append)
    hosted.append_fetched(b"", 2, 0, 1_000)
    node.broker.loop.turn()
    assert _size(_one(answers[0])) > 0


def _rack_world(tmp_path: Path) -> tuple[Node, HostedPartition]:
    node = _node(tmp_path)
    node.broker.replica_selector = selector_for("org.apache.kafka.common.replica.RackAwareReplicaSelector")
    node.broker.metadata.image.brokers.update({LEADER: _broker(LEADER, "a"), FOLLOWER: _broker(FOLLOWER, "b")})
    hosted = node.host(0, state(LEADER, 0))
    write(hosted, b"a")
    _fetch(node, 1, replica=FOLLOWER, epoch=0)
    return node, hosted


def test_a_consumer_is_sent_to_the_replica_of_its_rack(tmp_path: Path) -> None:
    node, _ = _rack_world(tmp_path)
    answer = _one(_fetch(node, 0, rack="b"))
    assert (answer.preferred_read_replica, _size(answer)) == (FOLLOWER, 0)
    for rack in ("a", "c", ""):
        answer = _one(_fetch(node, 0, rack=rack))
        assert (answer.preferred_read_replica, _size(answer) > 0) == (-1, True)


def test_it_is_answered_at_once_where_to_go(tmp_path: Path) -> None:
    node, _ = _rack_world(tmp_path)
    assert _one(_fetch(node, 1, rack="b", wait_ms=10_000)).preferred_read_replica == FOLLOWER


@pytest.mark.parametrize("why", ["not in sync", "behind", "fenced", "another listener", "gone", "started later"])
def test_it_stays_where_the_replica_of_its_rack_cannot_serve_it(tmp_path: Path, why: str) -> None:
    node, hosted = _rack_world(tmp_path)
    brokers, offset = node.broker.metadata.image.brokers, 0
    leadership = hosted.leadership
    assert leadership is not None
    follower = leadership.follower(FOLLOWER)
    assert follower is not None
    if why == "not in sync":
        leadership.isr = (LEADER,)
    elif why == "behind":
        write(hosted, b"b")
        hosted.log.high_watermark = 2
        offset = 2
    elif why == "fenced":
        brokers[FOLLOWER] = _broker(FOLLOWER, "b", is_fenced=True)
    elif why == "another listener":
        brokers[FOLLOWER] = _broker(FOLLOWER, "b", listener="OTHER")
    elif why == "gone":
        del brokers[FOLLOWER]
    else:
        follower.log_start_offset = 1
    assert _one(_fetch(node, offset, rack="b")).preferred_read_replica == -1


def test_a_session_of_a_follower_is_let_go_with_its_watches(tmp_path: Path) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 0))
    cache = node.broker.sessions
    request = FetchRequest(
        replica_state=ReplicaState(replica_id=FOLLOWER, replica_epoch=7),
        session_epoch=0,
        max_wait_ms=500,
        min_bytes=1,
        topics=[FetchTopic(topic_id=TOPIC_ID, partitions=[FetchPartition(partition=0, partition_max_bytes=100)])],
    )
    ctx = node.broker.context(17)
    opened = fetch.handle(ctx, request)
    assert len(hosted.tailing) == 1
    request.session_id = opened.session_id
    again = fetch.handle(ctx, request)
    assert again.session_id != opened.session_id
    assert (len(cache), len(hosted.tailing)) == (1, 1)
    closing = FetchRequest(replica_state=request.replica_state, session_id=again.session_id, session_epoch=-1)
    fetch.handle(ctx, closing)
    assert (len(cache), len(hosted.tailing), len(hosted.waiting)) == (0, 0, 0)


def test_a_followers_session_finds_a_place_where_a_consumers_does_not(tmp_path: Path) -> None:
    node = _node(tmp_path)
    node.host(0, state(LEADER, 0))
    cache = node.broker.sessions
    cache._slots = 2
    ctx = node.broker.context(17)

    def opened(replica: int) -> int:
        request = FetchRequest(
            replica_state=ReplicaState(replica_id=replica, replica_epoch=7),
            session_epoch=0,
            topics=[FetchTopic(topic_id=TOPIC_ID, partitions=[FetchPartition(partition=0)])],
        )
        session_id: int = fetch.handle(ctx, request).session_id
        return session_id

    assert opened(-1)
    assert opened(-1)
    assert opened(-1) == 0
    assert opened(FOLLOWER)
    assert opened(FOLLOWER)
    assert opened(FOLLOWER) == 0, "followers do not push each other out"
    assert opened(-1) == 0


def test_the_session_of_a_follower_that_died_goes_with_the_next_one(tmp_path: Path) -> None:
    node = _node(tmp_path)
    hosted = node.host(0, state(LEADER, 0))
    ctx = node.broker.context(17)
    request = FetchRequest(
        replica_state=ReplicaState(replica_id=FOLLOWER, replica_epoch=7),
        session_epoch=0,
        topics=[FetchTopic(topic_id=TOPIC_ID, partitions=[FetchPartition(partition=0)])],
    )
    fetch.handle(ctx, request)
    fetch.handle(ctx, request)
    assert (len(node.broker.sessions), len(hosted.tailing)) == (2, 2)
    node.clock.now_s += 61
    fetch.handle(ctx, request)
    assert (len(node.broker.sessions), len(hosted.tailing)) == (1, 1)


def test_a_quiet_follower_stays_in_sync(tmp_path: Path) -> None:
    """Its partitions are not named by its requests, and must not seem to lag."""
    world = World(tmp_path)

    async def main() -> None:
        leading, _ = world.follow()
        await asyncio.sleep(100)
        write(leading, b"just now")
        leading.isr_check(world.clock.monotonic_ms())
        assert world.leader.peers.proposals == []

    world.run(main())
