"""One node of a quorum on the bench: its disk is real, its time is yours, and what it sends waits for your answer."""

from __future__ import annotations

from typing import Any, TypeVar

from riacho.base.ids import METADATA_TOPIC_ID
from riacho.raft import answers
from riacho.raft.answers import LeaderInfo
from riacho.raft.effects import Destination, Effect, Send
from riacho.raft.events import Answered, Event, Failed, Requested
from riacho.raft.node import RaftNode
from riacho.raft.quorum_state import QuorumState
from riacho.raft.roles import Role
from riacho.raft.voters import VoterSet
from riacho.wire.messages import begin_quorum_epoch_request as begin
from riacho.wire.messages import fetch_request as fetch
from riacho.wire.messages import vote_request as vote
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.schema import Message
from support.raft_log import MemoryLog
from support.raft_world import CLUSTER_ID, PORT, VERSIONS, Host, World, directory, static_voters

M = TypeVar("M", bound=Message)
E = TypeVar("E")


class Bench(World):
    def __init__(
        self,
        voters: VoterSet | None = None,
        *,
        kraft_version: int = 0,
        can_vote: bool = True,
        state: QuorumState | None = None,
        log: MemoryLog | None = None,
        node_id: int = 1,
        **config: Any,
    ) -> None:
        super().__init__()
        self.sends: list[Send] = []
        self.replies: dict[int, Any] = {}
        self.host = self.add(node_id, static_voters(3) if voters is None else voters, kraft_version, can_vote, **config)
        self.host.state = state
        self.host.log = log or self.host.log
        self.start(self.host)

    @property
    def raft(self) -> RaftNode:
        return self.host.node

    @property
    def log(self) -> MemoryLog:
        return self.host.log

    def _send(self, host: Host, to: Destination, request: Message, timeout_ms: int) -> None:
        self.sends.append(Send(to, request, timeout_ms))

    def _reply(self, host: Host, request_id: int, response: Message) -> None:
        host.request_ids.pop(request_id, None)
        self.replies[request_id] = response

    # What happens to it

    def happen(self, event: Event) -> list[Effect]:
        """All effects, those of the steps that follow on the disk's included."""
        self.host.effects.clear()
        self.step(self.host, event)
        return list(self.host.effects)

    def wait(self, duration_ms: float) -> list[Effect]:
        self.host.effects.clear()
        self.run(duration_ms)
        return list(self.host.effects)

    def wait_for(self, role: Role, duration_ms: float = 10_000) -> None:
        assert self.run(duration_ms, lambda: self.raft.role is role), f"still {self.raft.role}"

    def ask(self, request: Message, version: int | None = None) -> Any:
        """The reply, or None while it waits."""
        assert request.API_KEY is not None
        self._request_ids += 1
        request_id = self._request_ids
        self.happen(Requested(request_id, request, VERSIONS[request.API_KEY] if version is None else version))
        return self.replies.get(request_id)

    @property
    def last_request_id(self) -> int:
        return self._request_ids

    def taken(self, kind: type[M]) -> list[tuple[Destination, M]]:
        """The requests of a kind that it sent since this was last asked."""
        found = [(send.to, send.request) for send in self.sends if isinstance(send.request, kind)]
        self.sends = [send for send in self.sends if not isinstance(send.request, kind)]
        return found

    def answer(self, to: Destination, request: Message, response: Message) -> list[Effect]:
        return self.happen(Answered(to, request, response))

    def fail(self, to: Destination, request: Message, is_refused: bool = False) -> list[Effect]:
        return self.happen(Failed(to, request, is_refused))

    # Whole passages

    def win_votes(self, *voter_ids: int) -> None:
        """Answer what it asks, before the election and in it, with yes."""
        for _ in range(2):
            for to, request in self.taken(VoteRequest):
                if to.node_id in voter_ids:
                    info = LeaderInfo(-1, request.topics[0].partitions[0].replica_epoch)
                    self.answer(to, request, answers.vote_response(info, 0, True))

    def lead(self) -> None:
        self.wait_for(Role.PROSPECTIVE)
        self.win_votes(2)
        assert self.raft.is_leader

    def follow(self, leader_id: int = 2, epoch: int = 1) -> None:
        """By the leader's own word; one that is not known as a voter has to be named by who is asked."""
        if self.raft.voters.get(leader_id) is None:
            to, request = Destination(3, "host3", PORT), fetch_request(1, epoch, 0, 0)
            self.answer(to, request, answers.fetch_response(LeaderInfo(leader_id, epoch, f"host{leader_id}", PORT), 6))
        else:
            self.ask(begin_request(leader_id, epoch, self.raft.node_id))
        assert self.raft.role is Role.FOLLOWER

    def fetched(self) -> tuple[Destination, fetch.FetchRequest]:
        """The fetch that it sent last."""
        return self.taken(fetch.FetchRequest)[-1]

    def replicate(self, replica_id: int, directory_id: bytes | None = None) -> Any:
        """A replica fetches at the end of the log: it has everything."""
        return self.ask(
            fetch_request(
                replica_id, self.raft.epoch, self.log.end_offset, self.log.latest_epoch, directory_id=directory_id
            )
        )


def vote_request(
    candidate_id: int,
    epoch: int,
    last_epoch: int = 0,
    last_offset: int = 0,
    *,
    is_pre_vote: bool = False,
    voter_id: int = 1,
    voter_directory_id: bytes = bytes(16),
    cluster_id: str = CLUSTER_ID,
) -> VoteRequest:
    partition = vote.PartitionData(
        replica_epoch=epoch,
        replica_id=candidate_id,
        replica_directory_id=directory(candidate_id),
        voter_directory_id=voter_directory_id,
        last_offset_epoch=last_epoch,
        last_offset=last_offset,
        pre_vote=is_pre_vote,
    )
    topic = vote.TopicData(topic_name=answers.TOPIC, partitions=[partition])
    return VoteRequest(cluster_id=cluster_id, voter_id=voter_id, topics=[topic])


def begin_request(leader_id: int, epoch: int, voter_id: int = 1) -> begin.BeginQuorumEpochRequest:
    partition = begin.PartitionData(leader_id=leader_id, leader_epoch=epoch)
    return begin.BeginQuorumEpochRequest(
        cluster_id=CLUSTER_ID,
        voter_id=voter_id,
        topics=[begin.TopicData(topic_name=answers.TOPIC, partitions=[partition])],
        leader_endpoints=[begin.LeaderEndpoint(name="CONTROLLER", host=f"host{leader_id}", port=PORT)],
    )


def fetch_request(
    replica_id: int,
    epoch: int,
    offset: int,
    last_epoch: int,
    *,
    directory_id: bytes | None = None,
    high_watermark: int = (1 << 63) - 1,
    max_wait_ms: int = 500,
) -> fetch.FetchRequest:
    partition = fetch.FetchPartition(
        current_leader_epoch=epoch,
        fetch_offset=offset,
        last_fetched_epoch=last_epoch,
        partition_max_bytes=1 << 20,
        replica_directory_id=directory(replica_id) if directory_id is None else directory_id,
        high_watermark=high_watermark,
    )
    return fetch.FetchRequest(
        cluster_id=CLUSTER_ID,
        replica_state=fetch.ReplicaState(replica_id=replica_id),
        max_wait_ms=max_wait_ms,
        topics=[fetch.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])],
    )


def of(effects: list[Effect], kind: type[E]) -> list[E]:
    return [effect for effect in effects if isinstance(effect, kind)]
