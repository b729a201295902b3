"""The metadata quorum in a running node: feeds the raft core with what happens, and does what it says.

Theory of operation. Everything that happens (a request of another node, an answer, a silence, a timer) becomes an event
of the core; what the core returns is performed in order, on the spot, before the next event is looked at. So a vote is
on disk before it is sent, and the log is written before it is spoken of. Requests to other nodes go out by two
connections each: one for fetches, which wait at the leader, one for everything else, which must not wait behind them.

What comes of it is for the driver's `RaftListener`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar, assert_never

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.logged_voters import voter_history
from riacho.broker.quorum.unstored import may_be_stored_later, may_pass, unstored
from riacho.broker.requests.later import Later, Outcome, settled
from riacho.client.client_security import ClientSecurity
from riacho.client.peer.peer import Peer, PeerRefused
from riacho.client.tasks import Tasks
from riacho.raft import effects, events
from riacho.raft.control_records import build_control_batch
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.base.ports import Clock, Network
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_log import MetadataLog
    from riacho.broker.quorum.raft_listener import RaftListener
    from riacho.raft.effects import Destination, Effect
    from riacho.raft.events import Event
    from riacho.raft.log_view import SnapshotId
    from riacho.raft.node import RaftNode
    from riacho.wire.messages.fetch_snapshot_response import FetchSnapshotResponse

M = TypeVar("M", bound=Message)
T = TypeVar("T")
_Reply: TypeAlias = Message | KafkaError

# How long a leader that stops waits for the others to hear of it.
_RESIGN_S = 0.5
# The second is what an authorizer says that has no metadata yet, and so knows nobody but its super users.
_DENIALS = (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, ErrorCode.UNKNOWN_SERVER_ERROR)
# How often a node whose disk is full looks whether it still is.
_ROOM_CHECK_S = 1.0


class RaftDriver:
    def __init__(
        self,
        node: RaftNode,
        log: MetadataLog,
        network: Network,
        clock: Clock,
        logs: Logs,
        client_id: str,
        security: ClientSecurity,
        listener: RaftListener,
    ) -> None:
        """`security`: how the other voters want to be spoken to."""
        self.node = node
        self.log = log
        self._network = network
        self._security = security
        self._listener = listener
        self._clock = clock
        self._logs = logs
        self._client_id = client_id
        self._loop: asyncio.AbstractEventLoop | None = None
        self._events: deque[Event] = deque()
        # What the last step wants done and is not yet; more than nothing between two steps only when the disk is full.
        self._effects: deque[Effect] = deque()
        self._is_stepping = False
        self.is_waiting_for_room = False
        self._pending: dict[int, Later[_Reply]] = {}
        self._next_request_id = 0
        self._peers: dict[tuple[str, int, bool], Peer] = {}
        self._sends: Tasks[None] = Tasks()
        # Who says that this node is of another cluster.
        self._refused_by: set[tuple[str, int]] = set()
        # Whose authorizer lets this node neither vote nor fetch, and in which words.
        self.denied_by: dict[str, ErrorCode] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        # Why this node cannot be of the quorum any more, when it cannot.
        self.broken: KafkaError | None = None

    @property
    def is_leader(self) -> bool:
        return self.node.is_leader and self.broken is None and not self.is_waiting_for_room

    @property
    def leader_id(self) -> int:
        return self.node.leader_id

    @property
    def _has_successors(self) -> bool:
        return len(self.node.voters.ids) > 1

    def start(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """A quorum of one needs no loop: it never waits."""
        self._loop = loop
        self.step(events.Tick())

    async def close(self, is_graceful: bool = True) -> None:
        """Hand the leadership over where there is somebody to take it, and go."""
        if is_graceful and self.is_leader and self._has_successors:
            self.step(events.Resign())
            await self._sends.wait(_RESIGN_S)
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._sends.cancel()
        self._refuse_waiting()
        for peer in self._peers.values():
            peer.close()

    # What happens

    def append(self, batch: bytearray) -> int:
        """As the leader: write a batch of records; the offset after it. Commit comes later, or at once when alone."""
        if self.is_waiting_for_room:
            raise _waits()
        try:
            end_offset = self.log.append(batch, self.node.epoch, self._clock.now_ms())
        except KafkaError as error:
            if self.log.is_broken:
                self._break(error)
            elif may_pass(error) and self._has_successors:
                self._logs.error.warning("this node resigns as the metadata quorum's leader reason=%s", error)
                self.step(events.Resign())
            raise
        self.step(events.Appended())
        return end_offset

    def ask(self, request: Message, version: int, response_class: type[M]) -> Outcome[M]:
        """Another node's request: its response, of this class."""
        return self._requested(
            lambda id: events.Requested(id, request, version), lambda reply: _response(reply, response_class)
        )

    def request_kraft_version(self, level: int, is_validate_only: bool) -> Outcome[None]:
        """Raise kraft.version; KafkaError when that cannot be. Later when others must agree."""
        return self._requested(lambda id: events.KRaftVersionRequested(id, level, is_validate_only), _check)

    def snapshot_written(self) -> None:
        self.step(events.SnapshotWritten())

    def leader_address(self) -> tuple[str, int] | None:
        """Where the leader is reached; None when there is none, or it is this node."""
        endpoint = self.node.leader_endpoint()
        return None if endpoint is None or self.node.is_leader else (endpoint.host, endpoint.port)

    def _requested(self, event: Callable[[int], Event], read: Callable[[_Reply], T]) -> Outcome[T]:
        """What `read` makes of the reply. It raises what the reply says is wrong, now or when it comes."""
        if self._is_closed:
            raise _stops()
        if self.is_waiting_for_room:
            raise _waits()
        self._next_request_id = request_id = self._next_request_id + 1
        deferred: Later[_Reply] = Later(on_abandon=lambda: self._abandon(request_id))
        self._pending[request_id] = deferred
        self.step(event(request_id))
        reply = deferred.now()
        return Later.of(_settled(deferred, read)) if type(reply) is Later else read(reply)

    def _abandon(self, request_id: int) -> None:
        if self._pending.pop(request_id, None) is not None and not self._is_closed:
            self.step(events.Abandoned(request_id))

    def step(self, event: Event) -> None:
        self._events.append(event)
        if not (self._is_stepping or self._is_closed or self.is_waiting_for_room):
            self._run()

    def _run(self) -> None:
        self._is_stepping = True
        effects_left = self._effects
        try:
            while effects_left or self._events:
                if not effects_left:
                    effects_left.extend(self.node.step(self._events.popleft(), self._clock.monotonic_ms()))
                while effects_left:
                    self._perform(effects_left[0])
                    if effects_left:
                        effects_left.popleft()
        except (KafkaError, OSError) as error:
            problem = unstored(error)
            if self._loop and effects_left and not self.log.is_broken and may_be_stored_later(effects_left[0], error):
                self._wait_for_room(problem)
            else:
                self._break(problem)
        except Exception as error:
            # Half a step is done and nobody knows which: a node that lived on would be deaf to the metadata, and keep
            # what it leads.
            self._logs.error.exception("metadata quorum failed")
            self._break(KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, repr(error)))
        finally:
            self._is_stepping = False
        self._schedule()

    def _wait_for_room(self, problem: KafkaError) -> None:
        """To the others this node is as one that is paused: it gives no vote and leads nobody until it can write."""
        assert self._loop is not None
        if not self.is_waiting_for_room:
            self.is_waiting_for_room = True
            self._logs.error.error(
                "this node takes no part in the metadata quorum until there is room on its disk reason=%s", problem
            )
        self._loop.call_later(_ROOM_CHECK_S, self._look_for_room)

    def _look_for_room(self) -> None:
        if self._is_closed:
            return
        self._run()
        if not self._effects and not self._is_closed:
            self.is_waiting_for_room = False
            self._logs.error.info("there is room on the disk: this node takes part in the metadata quorum again")
            self._schedule()

    def _break(self, problem: KafkaError) -> None:
        """A quorum member whose log cannot be written must not go on as if it could, nor let anybody wait for it."""
        if self.broken is not None:
            return
        self._logs.error.error("metadata cannot be kept error=%s", problem)
        self.broken = problem
        self._is_closed = True
        self._events.clear()
        self._effects.clear()
        self._refuse_waiting()
        self._listener.on_leader_changed(-1, self.node.epoch)
        self._listener.on_broken(problem)

    def _refuse_waiting(self) -> None:
        pending, self._pending = self._pending, {}
        for deferred in pending.values():
            deferred.resolve(_stops())

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_ms = self.node.next_deadline_ms()
        is_deaf = self._is_closed or self.is_waiting_for_room
        if due_ms is not None and self._loop is not None and not is_deaf:
            delay_ms = max(due_ms - self._clock.monotonic_ms(), 0)
            self._timer = self._loop.call_later(delay_ms / 1000, self.step, events.Tick())

    # What is to be done

    def _perform(self, effect: Effect) -> None:
        now_ms = self._clock.now_ms()
        match effect:
            case effects.PersistState(state):
                self.log.save_state(state, self.node.voters.ids, self.node.kraft_version)
            case effects.AppendControl(records):
                batch = build_control_batch(records, base_offset=0, leader_epoch=self.node.epoch, timestamp_ms=now_ms)
                self.log.append(batch, self.node.epoch, now_ms)
                self._events.append(events.Appended())
            case effects.Truncate(offset):
                self._logs.error.info("metadata log truncated offset=%d end_offset=%d", offset, self.log.end_offset)
                self.log.truncate_to(offset, now_ms)
                self._events.append(events.LogChanged())
            case effects.AppendFetched(records):
                self._listener.check_fetched(records, self.node.leader_high_watermark)
                self.log.append_fetched(records, now_ms)
                self._events.append(events.LogChanged())
            case effects.StoreSnapshotChunk(snapshot_id, position, data):
                self.log.store_chunk(snapshot_id, position, data)
            case effects.FinishSnapshot(snapshot_id):
                self.log.finish_snapshot(snapshot_id, now_ms)
                self._logs.error.info("metadata snapshot fetched end_offset=%d", snapshot_id.end_offset)
                self._events.append(events.VotersSeen(voter_history(self.log)))
                self._events.append(events.LogChanged())
                self._listener.on_snapshot()
            case effects.Send(to, request, timeout_ms):
                self._send(to, request, timeout_ms)
            case effects.Reply(request_id, response):
                self._reply(request_id, response)
            case effects.ReplyFetch(request_id, response, offset, size_bytes_max):
                response.responses[0].partitions[0].records = self.log.read(offset, size_bytes_max)
                self._reply(request_id, response)
            case effects.ReplySnapshot(request_id, response, snapshot_id, position, size_bytes_max):
                self._reply_snapshot(request_id, response, snapshot_id, position, size_bytes_max)
            case effects.HighWatermark(offset):
                self._listener.on_committed(offset)
            case effects.BecameLeader(epoch):
                self._logs.error.info("leads the metadata quorum epoch=%d", epoch)
            case effects.LeaderChanged(leader_id, epoch):
                self._logs.error.info("metadata leader changed leader_id=%d epoch=%d", leader_id, epoch)
                self._listener.on_leader_changed(leader_id, epoch)
            case effects.KRaftVersionDecided(request_id, error_code, detail):
                self._reply(request_id, KafkaError(ErrorCode(error_code), detail))
            case _:
                assert_never(effect)

    def _reply_snapshot(
        self,
        request_id: int,
        response: FetchSnapshotResponse,
        snapshot_id: SnapshotId,
        position: int,
        size_bytes_max: int,
    ) -> None:
        partition = response.topics[0].partitions[0]
        try:
            data, size_bytes = self.log.snapshot_chunk(snapshot_id, position, size_bytes_max)
            if position >= size_bytes:
                raise KafkaError(ErrorCode.POSITION_OUT_OF_RANGE)
            partition.size, partition.unaligned_records = size_bytes, memoryview(data)
        except KafkaError as error:
            partition.error_code = error.code
        self._reply(request_id, response)

    def _reply(self, request_id: int, response: _Reply) -> None:
        deferred = self._pending.pop(request_id, None)
        if deferred is not None:
            deferred.resolve(response)

    # Sending

    def _send(self, to: Destination, request: Message, timeout_ms: int) -> None:
        assert self._loop is not None, "the first step comes with `start`"
        self._sends.add(self._loop.create_task(self._exchange(to, request, timeout_ms)))

    async def _exchange(self, to: Destination, request: Message, timeout_ms: int) -> None:
        try:
            response = await self._peer(to, request).send(request, timeout_ms=timeout_ms)
        except KafkaError as error:
            self.step(events.Failed(to, request, isinstance(error, PeerRefused)))
        else:
            self._check_cluster(to, response)
            self._check_rights(to, response)
            self.step(events.Answered(to, request, response))

    def _check_cluster(self, to: Destination, response: Message) -> None:
        """One voter that belongs elsewhere is its own trouble. When most say so of this node, it is the stranger."""
        if getattr(response, "error_code", 0) != ErrorCode.INCONSISTENT_CLUSTER_ID:
            self._refused_by.discard((to.host, to.port))
            return
        self._refused_by.add((to.host, to.port))
        if len(self._refused_by) > len(self.node.voters.ids) // 2:
            problem = f"{to.host}:{to.port} is of another cluster than this node: compare their cluster.id"
            self._break(KafkaError(ErrorCode.INCONSISTENT_CLUSTER_ID, problem))

    def _check_rights(self, to: Destination, response: Message) -> None:
        """Rights may still be given, so this node goes on asking; but it says why nothing comes of it."""
        address, code = f"{to.host}:{to.port}", getattr(response, "error_code", 0)
        if code not in _DENIALS:
            self.denied_by.pop(address, None)
        elif address not in self.denied_by:
            self.denied_by[address] = ErrorCode(code)
            self._logs.error.error("%s", denied_sentence(address, ErrorCode(code)))

    def _peer(self, to: Destination, request: Message) -> Peer:
        key = (to.host, to.port, isinstance(request, FetchRequest | FetchSnapshotRequest))
        peer = self._peers.get(key)
        if peer is None:
            peer = self._peers[key] = Peer(
                self._network, to.host, to.port, client_id=self._client_id, security=self._security
            )
        return peer


def denied_sentence(who: str, code: ErrorCode) -> str:
    return (
        f"{who} says {code.name}: its authorizer (authorizer.class.name) denies this node CLUSTER_ACTION; name the "
        "principal that this node comes as in super.users of every controller"
    )


def _stops() -> KafkaError:
    return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, "this node stops")


def _waits() -> KafkaError:
    return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, "the disk of this node is full")


async def _settled(deferred: Later[_Reply], read: Callable[[_Reply], T]) -> T:
    return read(await settled(deferred))


def _response(reply: _Reply, response_class: type[M]) -> M:
    if isinstance(reply, KafkaError):
        raise reply
    assert isinstance(reply, response_class), f"the answer is a {response_class.__name__}, not {reply!r}"
    return reply


def _check(reply: _Reply) -> None:
    if isinstance(reply, KafkaError) and reply.code is not ErrorCode.NONE:
        raise reply
