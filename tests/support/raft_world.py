"""A quorum in one process and in virtual time: nodes with disks that survive them, a network that loses, delays,
reorders, doubles and cuts one way, clocks that run apart. Everything follows from the seed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from riacho.base.errors import ErrorCode
from riacho.raft.config import RaftConfig
from riacho.raft.control_records import build_control_batch
from riacho.raft.effects import (
    AppendControl,
    AppendFetched,
    Destination,
    Effect,
    FinishSnapshot,
    HighWatermark,
    PersistState,
    Reply,
    ReplyFetch,
    ReplySnapshot,
    Send,
    StoreSnapshotChunk,
    Truncate,
)
from riacho.raft.events import (
    Answered,
    Appended,
    Event,
    Failed,
    LogChanged,
    Requested,
    SnapshotWritten,
    Tick,
    VotersSeen,
)
from riacho.raft.node import RaftNode
from riacho.raft.quorum_state import QuorumState
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire import codec
from riacho.wire.schema import Message
from support.raft_log import Batch, MemoryLog, data_batch

CLUSTER_ID = "simulated"
PORT = 9093
VERSIONS = {1: 18, 52: 2, 53: 1, 54: 1, 55: 2, 59: 1, 80: 1, 81: 0, 82: 0}


class Witness(Protocol):
    """An invariant: told of what happens, it asserts."""

    def stepped(self, host: Host) -> None: ...
    def appended(self, host: Host, batches: list[Batch]) -> None: ...
    def replied(self, host: Host, request: Message, response: Message) -> None: ...
    def wiped(self, host: Host) -> None: ...


class Silent:
    """What most invariants leave out."""

    def stepped(self, host: Host) -> None:
        return

    def appended(self, host: Host, batches: list[Batch]) -> None:
        return

    def replied(self, host: Host, request: Message, response: Message) -> None:
        return

    def wiped(self, host: Host) -> None:
        return


@dataclass
class Host:
    """A machine. `raft` is its process, None while it is down; the rest of the first lines is its disk."""

    node_id: int
    directory_id: bytes
    voters: VoterSet
    kraft_version: int
    can_vote: bool
    config: RaftConfig = field(default_factory=RaftConfig)
    log: MemoryLog = field(default_factory=MemoryLog)
    state: QuorumState | None = None
    raft: RaftNode | None = None
    incarnation: int = 0
    clock_offset_ms: float = 0
    clock_rate: float = 1.0
    alarm: int = 0
    alarm_due: Any = None
    request_ids: dict[int, tuple[Message, Callable[[Message | None], None]]] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)

    @property
    def node(self) -> RaftNode:
        assert self.raft is not None, f"node {self.node_id} is down"
        return self.raft

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint("CONTROLLER", f"host{self.node_id}", PORT)


@dataclass
class Weather:
    """How bad the network is."""

    loss: float = 0.0
    double: float = 0.0
    delay_ms: tuple[int, int] = (1, 5)
    cut: set[tuple[int, int]] = field(default_factory=set)


def directory(node_id: int, life: int = 0) -> bytes:
    return bytes([1, node_id, life]) + bytes(12) + b"\x07"


class World:
    def __init__(self, seed: int = 0, witnesses: tuple[Witness, ...] = (), is_on_the_wire: bool = False) -> None:
        self.random = Random(seed)
        self.witnesses = witnesses
        self.is_on_the_wire = is_on_the_wire
        self.now_ms = 0.0
        self.weather = Weather()
        self.hosts: dict[int, Host] = {}
        self.steps = 0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = 0
        self._request_ids = 0

    # Building

    def add(self, node_id: int, voters: VoterSet, kraft_version: int = 0, can_vote: bool = True, **config: Any) -> Host:
        host = Host(node_id, directory(node_id), voters, kraft_version, can_vote, RaftConfig(**config))
        self.hosts[node_id] = host
        return host

    def start(self, host: Host) -> None:
        host.incarnation += 1
        host.request_ids = {}
        others = tuple((other.endpoint.host, PORT) for other in self.hosts.values() if other is not host)
        random = Random(self.random.random())
        host.raft = RaftNode(
            host.node_id,
            host.directory_id,
            CLUSTER_ID,
            host.config,
            host.log,
            host.state,
            host.voters,
            host.kraft_version,
            bootstrap=others,
            can_vote=host.can_vote,
            own_endpoints=(host.endpoint,),
            rng=random.randrange,
            now_ms=self.clock_ms(host),
            history=host.log.voter_history(),
        )
        self.step(host, Tick())

    def crash(self, host: Host) -> None:
        """The process ends; whoever waited for an answer may see the connection break, or wait in vain."""
        host.raft = None
        request_ids, host.request_ids = host.request_ids, {}
        for _, answer in request_ids.values():
            if self.random.random() < 0.5:
                answer(None)

    def wipe(self, host: Host) -> None:
        """The disk is new: another directory id, and a controller that is told of no voters if they are dynamic."""
        assert host.raft is None
        host.log, host.state = MemoryLog(), None
        host.directory_id = directory(host.node_id, host.directory_id[2] + 1)
        if host.kraft_version:
            host.voters = VoterSet()
        for witness in self.witnesses:
            witness.wiped(host)

    # Time

    def clock_ms(self, host: Host) -> int:
        return int(host.clock_offset_ms + host.clock_rate * self.now_ms)

    def set_clock(self, host: Host, rate: float, jump_ms: float = 0) -> None:
        """Run at another rate from where it is, after a jump."""
        host.clock_offset_ms += (host.clock_rate - rate) * self.now_ms + jump_ms
        host.clock_rate = rate
        if host.raft is not None:
            self.step(host, Tick())

    def after(self, delay_ms: float, action: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._queue, (self.now_ms + delay_ms, self._sequence, action))

    def run(self, duration_ms: float, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass; True as soon as `until` holds."""
        end_ms = self.now_ms + duration_ms
        while self._queue and self._queue[0][0] <= end_ms:
            at_ms, _, action = heapq.heappop(self._queue)
            self.now_ms = max(self.now_ms, at_ms)
            action()
            if until is not None and until():
                return True
        self.now_ms = end_ms
        return until is not None and until()

    def _set_alarm(self, host: Host) -> None:
        deadline_ms = host.node.next_deadline_ms()
        # Whatever is due was done in the step: a driver that waits for the deadline never spins.
        assert deadline_ms is None or deadline_ms > self.clock_ms(host), f"node {host.node_id} left work undone"
        due = (deadline_ms, host.clock_rate, host.clock_offset_ms, host.incarnation)
        if due == host.alarm_due:
            return
        host.alarm += 1
        host.alarm_due = due
        if deadline_ms is None:
            return
        alarm, incarnation = host.alarm, host.incarnation

        def ring() -> None:
            if host.raft is not None and (host.alarm, host.incarnation) == (alarm, incarnation):
                host.alarm_due = None
                self.step(host, Tick())

        self.after(max(0.0, (deadline_ms - self.clock_ms(host)) / host.clock_rate) + 0.5, ring)

    # Stepping

    def step(self, host: Host, event: Event) -> None:
        if host.raft is None:
            return
        self.steps += 1
        effects = host.raft.step(event, self.clock_ms(host))
        host.effects += effects
        follow_up: list[Event] = []
        for effect in effects:
            follow_up += self._perform(host, effect)
        for each in follow_up:
            self.step(host, each)
        if not follow_up:
            for witness in self.witnesses:
                witness.stepped(host)
            self._set_alarm(host)

    def _perform(self, host: Host, effect: Effect) -> list[Event]:
        match effect:
            case PersistState(state):
                host.state = state
            case AppendControl(records):
                end, epoch = host.log.end_offset, host.node.epoch
                self._append(host, build_control_batch(records, base_offset=end, leader_epoch=epoch, timestamp_ms=0))
                return [Appended()]
            case AppendFetched(records):
                self._append(host, records)
                return [LogChanged()]
            case Truncate(offset):
                host.log.truncate(offset)
                return [LogChanged()]
            case StoreSnapshotChunk(_, position, data):
                host.log.store_chunk(position, data)
            case FinishSnapshot(snapshot_id):
                host.log.finish_snapshot(snapshot_id)
                return [VotersSeen(host.log.voter_history()), LogChanged()]
            case Send(to, request, timeout_ms):
                self._send(host, to, request, timeout_ms)
            case Reply(request_id, response):
                self._reply(host, request_id, response)
            case ReplyFetch(request_id, response, offset, size_bytes_max):
                response.responses[0].partitions[0].records = host.log.read(offset, size_bytes_max)
                self._reply(host, request_id, response)
            case ReplySnapshot(request_id, response, snapshot_id, position, size_bytes_max):
                partition = response.topics[0].partitions[0]
                snapshot = host.log.snapshot
                if snapshot is None or snapshot.snapshot_id != snapshot_id:
                    partition.error_code = ErrorCode.SNAPSHOT_NOT_FOUND
                else:
                    partition.size = len(snapshot.data)
                    partition.unaligned_records = snapshot.data[position : position + size_bytes_max]
                self._reply(host, request_id, response)
            case HighWatermark():
                pass
        return []

    def _append(self, host: Host, records: Any) -> None:
        batches = host.log.append(records)
        for witness in self.witnesses:
            witness.appended(host, batches)

    def append(self, host: Host, value: str) -> int:
        """As the controller of this leader; the offset."""
        assert host.node.is_leader
        offset = host.log.end_offset
        self._append(host, data_batch(value, offset, host.node.epoch))
        self.step(host, Appended())
        return offset

    def snapshot(self, host: Host, is_cutting: bool) -> None:
        offset = host.node.high_watermark
        host.log.write_snapshot(offset, host.node.voters_at(offset), is_cutting)
        self.step(host, SnapshotWritten())

    # The network

    def _send(self, host: Host, to: Destination, request: Message, timeout_ms: int) -> None:
        target = self.hosts.get(int(to.host.removeprefix("host")))
        incarnation = host.incarnation
        over: list[bool] = []

        def deliver(event: Event, is_last: bool = True) -> None:
            if host.incarnation == incarnation and host.raft is not None and not over:
                if is_last and self.weather.double <= self.random.random():
                    over.append(True)
                self.step(host, event)

        def arrive() -> None:
            if target is None or target.raft is None:
                if self.random.random() < 0.8 and self._passes(to.host, host):
                    self.after(self._delay_ms(), lambda: deliver(Failed(to, request, is_refused=True)))
                return
            self.request(target, self._through_the_wire(request), answer)

        def answer(response: Message | None) -> None:
            if target is None or not self._passes(target, host):
                return
            event = Failed(to, request) if response is None else Answered(to, request, self._answer(request, response))
            self.after(self._delay_ms(), lambda: deliver(event))

        if target is not None and self._passes(host, target):
            self.after(self._delay_ms(), arrive)
            if self.random.random() < self.weather.double:
                self.after(self._delay_ms() * 3, arrive)
        self.after(timeout_ms / host.clock_rate, lambda: None if over else deliver(Failed(to, request)))

    def _passes(self, source: Host | str, target: Host) -> bool:
        source_id = source.node_id if isinstance(source, Host) else int(source.removeprefix("host"))
        is_cut = (source_id, target.node_id) in self.weather.cut
        return not is_cut and self.random.random() >= self.weather.loss

    def _delay_ms(self) -> float:
        low, high = self.weather.delay_ms
        return low + (high - low) * self.random.random()

    def request(self, host: Host, request: Message, answer: Callable[[Message | None], None]) -> None:
        """A request comes in, from a node or from an administrator."""
        assert request.API_KEY is not None
        self._request_ids += 1
        request_id = self._request_ids
        host.request_ids[request_id] = (request, answer)
        self.step(host, Requested(request_id, request, VERSIONS[request.API_KEY]))

    def _reply(self, host: Host, request_id: int, response: Message) -> None:
        request, answer = host.request_ids.pop(request_id)
        for witness in self.witnesses:
            witness.replied(host, request, response)
        answer(response)

    def _through_the_wire(self, message: Message) -> Message:
        if not self.is_on_the_wire or message.API_KEY is None:
            return message
        version = VERSIONS[message.API_KEY]
        return codec.decode(type(message), version, codec.encode(message, version))

    def _answer(self, request: Message, response: Message) -> Message:
        return self._through_the_wire(response)

    # Asking around

    def leader(self) -> Host | None:
        """The leader of the highest epoch, if one is up."""
        leading = [host for host in self.hosts.values() if host.raft is not None and host.raft.is_leader]
        return max(leading, key=lambda host: host.node.epoch, default=None)

    def up(self) -> list[Host]:
        return [host for host in self.hosts.values() if host.raft is not None]


def static_voters(count: int) -> VoterSet:
    return VoterSet(Voter(n, endpoints=(Endpoint("CONTROLLER", f"host{n}", PORT),)) for n in range(1, count + 1))


def dynamic_voters(count: int) -> VoterSet:
    return VoterSet(Voter(n, directory(n), (Endpoint("CONTROLLER", f"host{n}", PORT),)) for n in range(1, count + 1))
