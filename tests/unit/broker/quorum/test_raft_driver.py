"""What the driver does with a core that says what the test wants, over a log that writes down what is done to it."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum import raft_driver
from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.broker.quorum.raft_listener import RaftListener
from riacho.broker.requests.later import settled
from riacho.client.client_security import ClientSecurity
from riacho.client.peer.peer import PeerRefused
from riacho.raft import effects, events
from riacho.raft.control_records import kraft_version_record
from riacho.raft.effects import Destination
from riacho.raft.log_view import SnapshotId
from riacho.raft.quorum_state import QuorumState
from riacho.raft.voters import VoterSet
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, PartitionData
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from riacho.wire.messages.fetch_snapshot_response import FetchSnapshotResponse, PartitionSnapshot, TopicSnapshot
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.messages.vote_response import VoteResponse
from support.broker_fakes import SetClock, recorded_logs

OTHER = Destination(2, "b.example", 9093)
STATE = QuorumState(leader_id=-1, leader_epoch=7, voted_id=2, voted_directory_id=bytes(16))
VOTE = VoteRequest()
SNAPSHOT = SnapshotId(10, 3)


class Core:
    """Answers each kind of event with the effects that the test gave for it, once."""

    def __init__(self, trace: list[Any]) -> None:
        self.trace = trace
        self.plans: dict[type[Any], list[list[Any]]] = {}
        self.epoch = 7
        self.leader_id = 2
        self.is_leader = False
        self.kraft_version = 0
        self.voters = VoterSet.parse("1@h:1,2@h:2,3@h:3")
        self.deadline_ms: int | None = None
        self.leader_high_watermark = -1
        self.endpoint: Destination | None = OTHER

    def on(self, kind: type[Any], *wanted: Any) -> None:
        self.plans.setdefault(kind, []).append(list(wanted))

    def step(self, event: Any, now_ms: int) -> list[Any]:
        self.trace.append(event)
        plans = self.plans.get(type(event))
        return plans.pop(0) if plans else []

    def next_deadline_ms(self) -> int | None:
        return self.deadline_ms

    def leader_endpoint(self) -> Destination | None:
        return self.endpoint


class Log:
    def __init__(self, trace: list[Any]) -> None:
        self.trace = trace
        self.end_offset = 20
        self.start_offset = 20
        self.is_broken = False
        self.refusal: Exception | None = None

    def _do(self, *what: Any) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.trace.append(what)

    def save_state(self, state: QuorumState, voter_ids: Any, kraft_version: int) -> None:
        self._do("save", state, tuple(voter_ids), kraft_version)

    def append(self, batch: bytearray, epoch: int, now_ms: int) -> int:
        self._do("append", epoch)
        self.end_offset += 1
        return self.end_offset

    def append_fetched(self, records: bytes, now_ms: int) -> int:
        self._do("fetched", bytes(records))
        return self.end_offset

    def truncate_to(self, offset: int, now_ms: int) -> None:
        self._do("truncate", offset)

    def store_chunk(self, snapshot: SnapshotId, position: int, data: bytes) -> None:
        self._do("chunk", snapshot, position, data)

    def finish_snapshot(self, snapshot: SnapshotId, now_ms: int) -> None:
        self._do("finish", snapshot)

    def read(self, offset: int, size_bytes_max: int) -> bytes:
        return b"batches from %d" % offset

    def snapshot_chunk(self, snapshot: SnapshotId, position: int, size_bytes_max: int) -> tuple[bytes, int]:
        if snapshot != SNAPSHOT:
            raise KafkaError(ErrorCode.SNAPSHOT_NOT_FOUND)
        return b"snapshot"[position : position + size_bytes_max], 8

    def latest_snapshot(self) -> SnapshotId | None:
        return None

    def batches(self, offset: int, end_offset: int) -> list[Any]:
        return []


class World:
    """`hearing` is what a listener does in place of writing to the trace."""

    def __init__(self, **hearing: Any) -> None:
        self.trace: list[Any] = []
        self.core, self.log = Core(self.trace), Log(self.trace)
        self.clock = SetClock()
        self.logs, _, self.lines = recorded_logs()
        core: Any = self.core
        log: Any = self.log
        network: Any = None
        heard: dict[str, Any] = {
            "on_broken": lambda error: self.trace.append(("broken", error.code)),
            "on_leader_changed": lambda leader, epoch: self.trace.append(("leader", leader, epoch)),
            "on_committed": lambda offset: self.trace.append(("committed", offset)),
            "on_snapshot": lambda: self.trace.append("snapshot"),
        }
        listener = RaftListener(**{**heard, **hearing})
        self.driver = RaftDriver(core, log, network, self.clock, self.logs, "raft-1", ClientSecurity(), listener)


class Peers:
    """In place of every connection: `answer` says what comes of a request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Any], Any]) -> None:
        self.made: list[tuple[str, int]] = []
        self.sent: list[tuple[int, Any, int]] = []
        self.closed = 0
        self._answer = answer
        monkeypatch.setattr(raft_driver, "Peer", self._make)

    def _make(self, network: Any, host: str, port: int, *, client_id: str, security: Any = None) -> AnsweredPeer:
        number = len(self.made)
        self.made.append((host, port))

        return AnsweredPeer(self, number)

    async def send(self, number: int, request: Any, timeout_ms: int) -> Any:
        self.sent.append((number, request, timeout_ms))
        answer = self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        return await answer if asyncio.iscoroutine(answer) else answer


class AnsweredPeer:
    """One connection of them, by its number."""

    def __init__(self, peers: Peers, number: int) -> None:
        self._peers = peers
        self._number = number

    async def send(self, request: Any, *, timeout_ms: int) -> Any:
        return await self._peers.send(self._number, request, timeout_ms)

    def close(self) -> None:
        self._peers.closed += 1


@pytest.fixture
def world() -> World:
    return World()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 10))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_effects_are_done_in_order_and_the_vote_is_on_disk_before_it_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = Peers(monkeypatch, lambda _: VoteResponse())
    world.core.on(
        events.Tick,
        effects.PersistState(STATE),
        effects.Send(OTHER, VOTE, 2_000),
        effects.LeaderChanged(-1, 7),
        effects.HighWatermark(15),
    )

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        assert peers.sent == [], "nothing leaves within the step"
        assert world.trace == [events.Tick(), ("save", STATE, (1, 2, 3), 0), ("leader", -1, 7), ("committed", 15)]
        await settle()
        assert peers.sent == [(0, VOTE, 2_000)]
        assert world.trace[-1] == events.Answered(OTHER, VOTE, VoteResponse())
        await world.driver.close()

    run(scenario())
    assert peers.closed == 1


def test_a_vote_that_cannot_be_kept_is_not_cast(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    peers = Peers(monkeypatch, lambda _: VoteResponse())
    world.core.on(events.Requested, effects.PersistState(STATE), effects.Reply(1, VoteResponse()))
    world.core.on(events.Tick, effects.Send(OTHER, VOTE, 2_000))
    world.log.refusal = OSError(5, "Input/output error")

    async def scenario() -> None:
        with pytest.raises(KafkaError) as raised:
            world.driver.ask(VOTE, 2, VoteResponse)
        assert raised.value.code is ErrorCode.BROKER_NOT_AVAILABLE
        world.driver.start(asyncio.get_running_loop())
        await settle()
        # Nothing is done any more, for anybody.
        with pytest.raises(KafkaError):
            world.driver.ask(VOTE, 2, VoteResponse)

    run(scenario())
    assert peers.sent == []
    assert world.trace == [events.Requested(1, VOTE, 2), ("leader", -1, 7), ("broken", ErrorCode.KAFKA_STORAGE_ERROR)]
    assert world.driver.broken is not None
    assert any("metadata cannot be kept" in line for line in world.lines)


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_on_a_full_disk_nothing_is_said_until_it_is_stored(
    world: World, monkeypatch: pytest.MonkeyPatch, is_wrapped: bool
) -> None:
    monkeypatch.setattr(raft_driver, "_ROOM_CHECK_S", 0)
    peers = Peers(monkeypatch, lambda _: VoteResponse())
    world.core.on(events.Tick, effects.PersistState(STATE), effects.Send(OTHER, VOTE, 2_000))
    refusal: Exception = OSError(errno.ENOSPC, "full")
    if is_wrapped:
        refusal = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "full")
        refusal.__cause__ = OSError(errno.EMFILE, "too many")
    world.log.refusal = refusal
    world.core.is_leader = True

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        await settle()
        assert world.trace == [events.Tick()], "nothing is done, nobody is told"
        assert not world.driver.is_leader
        for attempt in (lambda: world.driver.ask(VOTE, 2, VoteResponse), lambda: world.driver.append(bytearray())):
            with pytest.raises(KafkaError) as raised:
                attempt()
            assert raised.value.code is ErrorCode.BROKER_NOT_AVAILABLE
        world.driver.step(events.Tick())
        await settle()
        assert (world.trace, peers.sent) == ([events.Tick()], [])
        world.log.refusal = None
        await settle()
        assert world.trace[1:3] == [("save", STATE, (1, 2, 3), 0), events.Tick()]
        assert peers.sent == [(0, VOTE, 2_000)]
        assert world.driver.is_leader
        await world.driver.close()

    run(scenario())
    assert world.driver.broken is None
    waits = [line for line in world.lines if "until there is room on its disk" in line]
    assert len(waits) == 1


def test_a_sync_that_fails_is_not_waited_for(world: World) -> None:
    world.core.on(events.Tick, effects.PersistState(STATE))
    world.log.refusal = OSError(errno.ENOSPC, "full")
    world.log.is_broken = True

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        await settle()

    run(scenario())
    assert world.driver.broken is not None


def test_what_is_written_is_told_to_the_core_before_anything_else(world: World) -> None:
    world.core.on(
        events.Tick,
        effects.AppendControl([kraft_version_record(1)]),
        effects.Truncate(12),
        effects.AppendFetched(b"batch"),
        effects.StoreSnapshotChunk(SNAPSHOT, 0, b"piece"),
        effects.FinishSnapshot(SNAPSHOT),
        effects.BecameLeader(7),
    )
    world.driver.start(None)
    assert world.trace == [
        events.Tick(),
        ("append", 7),
        ("truncate", 12),
        ("fetched", b"batch"),
        ("chunk", SNAPSHOT, 0, b"piece"),
        ("finish", SNAPSHOT),
        "snapshot",
        events.Appended(),
        events.LogChanged(),
        events.LogChanged(),
        events.VotersSeen(()),
        events.LogChanged(),
    ]
    assert any("leads the metadata quorum epoch=7" in line for line in world.lines)


def test_batches_that_may_not_be_taken_are_not_stored() -> None:
    def refuse(records: bytes, leader_high_watermark: int) -> None:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, "too new")

    world = World(check_fetched=refuse)
    world.core.on(events.Tick, effects.AppendFetched(b"batch"))
    world.driver.step(events.Tick())
    assert ("fetched", b"batch") not in world.trace
    assert world.driver.broken is not None
    assert world.driver.broken.code is ErrorCode.UNSUPPORTED_VERSION


def test_events_within_a_step_wait_for_its_end() -> None:
    """Whoever hears of a commit may append at once; the core must not be entered twice."""

    def append_at_once(_offset: int) -> None:
        world.driver.snapshot_written()
        world.trace.append("heard")

    world = World(on_committed=append_at_once)
    world.core.on(events.Tick, effects.HighWatermark(5), effects.LeaderChanged(2, 7))
    world.driver.start(None)
    assert world.trace == [events.Tick(), "heard", ("leader", 2, 7), events.SnapshotWritten()]


def fetch_answer() -> FetchResponse:
    return FetchResponse(responses=[FetchableTopicResponse(partitions=[PartitionData()])])


def test_a_request_is_answered_at_once_or_later(world: World) -> None:
    now, later = fetch_answer(), fetch_answer()
    world.core.on(events.Requested, effects.ReplyFetch(1, now, 5, 1 << 20))
    world.core.on(events.Requested)
    world.core.on(events.Tick, effects.ReplyFetch(2, later, 9, 1 << 20))

    async def scenario() -> None:
        assert world.driver.ask(FetchRequest(), 17, FetchResponse) is now
        assert now.responses[0].partitions[0].records == b"batches from 5"
        waiting = asyncio.ensure_future(settled(world.driver.ask(FetchRequest(), 17, FetchResponse)))
        await settle()
        assert not waiting.done()
        world.driver.start(asyncio.get_running_loop())
        assert await waiting is later
        assert later.responses[0].partitions[0].records == b"batches from 9"

    run(scenario())
    assert not [event for event in world.trace if isinstance(event, events.Abandoned)]


def test_the_core_hears_of_those_who_leave(world: World) -> None:
    async def scenario() -> None:
        waiting = asyncio.ensure_future(settled(world.driver.ask(FetchRequest(), 17, FetchResponse)))
        await settle()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert world.trace[-1] == events.Abandoned(1)
        # An answer that comes too late goes nowhere.
        world.core.on(events.Tick, effects.Reply(1, fetch_answer()))
        world.driver.start(None)

    run(scenario())


def test_closing_answers_those_who_wait_and_asks_nothing_more(world: World) -> None:
    async def scenario() -> None:
        waiting = asyncio.ensure_future(settled(world.driver.ask(FetchRequest(), 17, FetchResponse)))
        await settle()
        await world.driver.close()
        with pytest.raises(KafkaError) as raised:
            await waiting
        assert raised.value.code is ErrorCode.BROKER_NOT_AVAILABLE

    run(scenario())
    before = list(world.trace)
    world.driver.step(events.Tick())
    assert world.trace == before


def test_a_leader_that_stops_lets_the_others_know(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    peers = Peers(monkeypatch, lambda _: VoteResponse())
    world.core.is_leader = True
    world.core.on(events.Resign, effects.Send(OTHER, VOTE, 2_000))

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        await world.driver.close()

    run(scenario())
    assert events.Resign() in world.trace
    assert len(peers.sent) == 1


@pytest.mark.parametrize(
    ("error", "is_refused"),
    [(PeerRefused("nobody"), True), (KafkaError(ErrorCode.NETWORK_EXCEPTION), False), (None, False)],
)
def test_a_request_without_an_answer_failed(
    world: World, monkeypatch: pytest.MonkeyPatch, error: KafkaError | None, is_refused: bool
) -> None:
    Peers(monkeypatch, lambda _: error or KafkaError(ErrorCode.REQUEST_TIMED_OUT))
    world.core.on(events.Tick, effects.Send(OTHER, VOTE, 2_000))

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        await settle()

    run(scenario())
    assert world.trace[-1] == events.Failed(OTHER, VOTE, is_refused)


def test_fetches_do_not_stand_in_the_way_of_votes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    peers = Peers(monkeypatch, lambda request: VoteResponse() if isinstance(request, VoteRequest) else never())
    sends = [effects.Send(OTHER, request, 500) for request in (FetchRequest(), VOTE, FetchSnapshotRequest(), VOTE)]
    world.core.on(events.Tick, *sends)

    async def scenario() -> None:
        world.driver.start(asyncio.get_running_loop())
        await settle()
        assert [number for number, _, _ in peers.sent] == [0, 1, 0, 1]
        assert len([event for event in world.trace if isinstance(event, events.Answered)]) == 2
        await world.driver.close()

    run(scenario())
    assert peers.made == [("b.example", 9093)] * 2


def test_the_timer_is_that_of_the_core(world: World) -> None:
    async def scenario() -> None:
        world.core.deadline_ms = world.clock.at_ms + 30
        world.driver.start(asyncio.get_running_loop())
        assert world.trace == [events.Tick()]
        world.core.deadline_ms = None
        while len(world.trace) < 2:
            await asyncio.sleep(0.005)
        assert world.trace == [events.Tick(), events.Tick()]

    run(scenario())


def test_a_piece_of_a_snapshot(world: World) -> None:
    def asked(snapshot: SnapshotId, position: int) -> PartitionSnapshot:
        response = FetchSnapshotResponse(topics=[TopicSnapshot(partitions=[PartitionSnapshot(position=position)])])
        request_id = world.driver._next_request_id + 1
        world.core.on(events.Requested, effects.ReplySnapshot(request_id, response, snapshot, position, 5))
        answer: Any = world.driver.ask(FetchSnapshotRequest(), 1, FetchSnapshotResponse)
        return answer.topics[0].partitions[0]

    first = asked(SNAPSHOT, 0)
    assert (first.error_code, first.size, bytes(first.unaligned_records)) == (0, 8, b"snaps")
    assert bytes(asked(SNAPSHOT, 5).unaligned_records) == b"hot"
    assert asked(SNAPSHOT, 8).error_code == ErrorCode.POSITION_OUT_OF_RANGE
    assert asked(SnapshotId(99, 3), 0).error_code == ErrorCode.SNAPSHOT_NOT_FOUND


def test_a_refused_kraft_version_is_raised_and_an_accepted_one_is_not(world: World) -> None:
    world.core.on(events.KRaftVersionRequested, effects.KRaftVersionDecided(1, ErrorCode.INVALID_UPDATE_VERSION, "no"))
    with pytest.raises(KafkaError, match="no"):
        world.driver.request_kraft_version(0, False)
    world.core.on(events.KRaftVersionRequested, effects.KRaftVersionDecided(2, ErrorCode.NONE))
    world.driver.request_kraft_version(1, False)


def test_a_leader_on_a_full_disk_resigns_where_others_may_lead(world: World) -> None:
    world.core.is_leader = True
    world.log.refusal = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "No space left on device")
    world.log.refusal.__cause__ = OSError(errno.ENOSPC, "full")
    world.core.voters = VoterSet.parse("1@h:1")
    with pytest.raises(KafkaError):
        world.driver.append(bytearray())
    assert world.trace == [], "nobody else could lead"
    world.core.voters = VoterSet.parse("1@h:1,2@h:2,3@h:3")
    with pytest.raises(KafkaError):
        world.driver.append(bytearray())
    assert world.trace == [events.Resign()]
    assert world.driver.broken is None
    [line] = [line for line in world.lines if "resigns" in line]
    assert "No space left" in line


def test_a_batch_that_is_refused_for_what_it_is_costs_no_office(world: World) -> None:
    world.core.is_leader = True
    world.log.refusal = KafkaError(ErrorCode.RECORD_LIST_TOO_LARGE, "too large")
    with pytest.raises(KafkaError):
        world.driver.append(bytearray())
    assert world.trace == []
    assert world.driver.is_leader


def test_a_leader_on_a_broken_disk_does_not_go_on(world: World) -> None:
    world.core.is_leader = True
    world.log.refusal = KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "Input/output error")
    world.log.is_broken = True
    with pytest.raises(KafkaError):
        world.driver.append(bytearray())
    assert world.driver.broken is world.log.refusal
    assert not world.driver.is_leader, "whatever the core says"
    assert world.trace == [("leader", -1, 7), ("broken", ErrorCode.KAFKA_STORAGE_ERROR)]


def test_the_leader_is_reached_where_the_core_says_unless_it_is_this_node(world: World) -> None:
    assert world.driver.leader_address() == ("b.example", 9093)
    world.core.is_leader = True
    assert world.driver.leader_address() is None
    world.core.is_leader, world.core.endpoint = False, None
    assert world.driver.leader_address() is None


def test_a_node_that_is_denied_goes_on_asking_and_says_by_whom(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [VoteResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)] * 2 + [VoteResponse()]
    Peers(monkeypatch, lambda _: answers.pop(0))

    async def story() -> None:
        world.driver.start(asyncio.get_running_loop())
        denied = []
        for _ in range(3):
            world.core.on(events.Tick, effects.Send(OTHER, VOTE, 1_000))
            world.driver.step(events.Tick())
            await settle()
            denied.append(dict(world.driver.denied_by))
        assert denied == [{"b.example:9093": ErrorCode.CLUSTER_AUTHORIZATION_FAILED}] * 2 + [{}]
        assert world.driver.broken is None
        await world.driver.close()

    run(story())
    (line,) = [line for line in world.lines if "super.users" in line]
    assert "b.example:9093 says CLUSTER_AUTHORIZATION_FAILED" in line


def test_a_node_that_most_voters_take_for_a_stranger_stops(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them may be the stranger itself."""
    Peers(monkeypatch, lambda _: VoteResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID))
    third = Destination(3, "c.example", 9093)

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        for _ in range(3):
            world.core.on(events.Tick, effects.Send(OTHER, VOTE, 500))
            world.driver.start(loop)
            await settle()
        assert world.driver.broken is None
        world.core.on(events.Tick, effects.Send(third, VOTE, 500))
        world.driver.start(loop)
        await settle()

    run(scenario())
    assert world.driver.broken is not None
    assert world.driver.broken.code is ErrorCode.INCONSISTENT_CLUSTER_ID
    assert "another cluster" in world.driver.broken.detail
