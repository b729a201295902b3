"""Conversations of a metadata quorum, as text: see the `*.txt` beside this file.

Nodes are called by their ids; with this seed 2 is the first leader. After every `when` stand the changes of role in the
order in which they came, then what is committed where, and how the voters changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.raft.effects import AppendFetched, FinishSnapshot, KRaftVersionDecided, Truncate
from riacho.raft.events import KRaftVersionRequested, Resign
from riacho.raft.roles import Role
from riacho.raft.voters import VoterSet
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from support.conversation import replay
from support.raft_chaos import addition
from support.raft_invariants import all_invariants
from support.raft_world import CLUSTER_ID, Host, Silent, World, dynamic_voters, static_voters

FILES = sorted(Path(__file__).parent.glob("*.txt"))


class Conversation(Silent):
    def __init__(self) -> None:
        witnesses, _ = all_invariants()
        self.world = World(1, (*witnesses, self))
        self.lines: list[str] = []
        self.roles: dict[int, str] = {}
        self.committed: dict[int, int] = {}
        self.voters: dict[int, VoterSet] = {}
        self.voter_count = 0

    # What is told

    def stepped(self, host: Host) -> None:
        role = self.role_of(host)
        if self.roles.get(host.node_id) != role:
            self.roles[host.node_id] = role
            self.lines.append(f"{host.node_id} {role}")
        for effect in host.effects:
            match effect:
                case Truncate(offset):
                    self.lines.append(f"{host.node_id} cuts its log to {offset}")
                case FinishSnapshot(snapshot_id):
                    self.lines.append(f"{host.node_id} starts over at snapshot {snapshot_id.end_offset}")
                case KRaftVersionDecided(_, code):
                    self.lines.append(f"kraft.version {ErrorCode(code).name}")
                case AppendFetched() | _:
                    pass
        host.effects.clear()

    def role_of(self, host: Host) -> str:
        node = host.node
        match node.role:
            case Role.LEADER:
                return f"leads epoch {node.epoch}"
            case Role.FOLLOWER:
                return f"follows {node.leader_id} in epoch {node.epoch}"
            case Role.PROSPECTIVE:
                return f"asks who would vote for it in epoch {node.epoch}"
            case Role.CANDIDATE:
                return f"asks for votes in epoch {node.epoch}"
            case _:
                return f"is {node.role.value} in epoch {node.epoch}"

    def perform(self, keyword: str, text: str) -> list[str]:
        subject, _, rest = text.partition(" ")
        verb, _, what = rest.partition(" ")
        self.lines = []
        if keyword == "given":
            getattr(self, f"given_{subject}")(rest.split())
            return []
        if subject.isdigit():
            getattr(self, f"when_{verb}")(self.world.hosts[int(subject)], *what.split())
        else:
            getattr(self, f"{subject}_{verb}")(*what.split())
        return [*self.lines, *self.commits(), *self.changes()]

    def commits(self) -> list[str]:
        lines = []
        for host in self.world.up():
            offset = host.node.high_watermark
            if self.committed.get(host.node_id, 0) != offset:
                self.committed[host.node_id] = offset
                lines.append(f"{host.node_id} knows {offset} committed of {host.log.end_offset}")
        return lines

    def changes(self) -> list[str]:
        lines = []
        for host in self.world.up():
            voters = host.node.voters
            if self.voters.setdefault(host.node_id, host.voters) != voters:
                self.voters[host.node_id] = voters
                named = [f"{voter.node_id}{chr(39) * voter.directory_id[2]}" for voter in voters]
                lines.append(f"{host.node_id} takes {' '.join(named) or 'nobody'} for the voters")
        return lines

    # given

    def given_voters(self, ids: list[str]) -> None:
        for node_id in ids:
            self.world.add(int(node_id), static_voters(len(ids)))
        self.voter_count = len(ids)

    def given_dynamic(self, ids: list[str]) -> None:
        for node_id in ids:
            self.world.add(int(node_id), dynamic_voters(len(ids)), 1)
        self.voter_count = len(ids)

    def given_observer(self, ids: list[str]) -> None:
        self.world.add(int(ids[0]), static_voters(self.voter_count), can_vote=False)

    def given_controller(self, ids: list[str]) -> None:
        self.world.add(int(ids[0]), VoterSet(), 1)

    def given_running(self, _: list[str]) -> None:
        """All started, a leader elected."""
        self.all_start()
        self.world.run(600)
        self.commits()
        self.changes()

    # when

    def all_start(self) -> None:
        for host in self.world.hosts.values():
            self.world.start(host)

    def time_passes(self, duration_ms: str) -> None:
        self.world.run(int(duration_ms))

    def when_starts(self, host: Host) -> None:
        self.world.start(host)

    def when_crashes(self, host: Host) -> None:
        """Killed: every connection breaks, its port refuses."""
        host.raft = None
        request_ids, host.request_ids = host.request_ids, {}
        for _, answer in request_ids.values():
            answer(None)

    def when_loses(self, host: Host, *_: str) -> None:
        self.world.wipe(host)

    def when_is(self, host: Host, *how: str) -> None:
        """`is cut off from 1 2`, `is deaf to 1 2`: packets from it are lost, or those to it, or both."""
        others = [int(node_id) for node_id in how[-1].split(",")]
        for other in others:
            self.world.weather.cut.add((other, host.node_id))
            if how[0] == "cut":
                self.world.weather.cut.add((host.node_id, other))

    def network_heals(self) -> None:
        self.world.weather.cut.clear()

    def when_writes(self, host: Host, *values: str) -> None:
        for value in values:
            self.world.append(host, value)

    def when_resigns(self, host: Host) -> None:
        self.world.step(host, Resign())

    def when_snapshots(self, host: Host) -> None:
        self.world.snapshot(host, is_cutting=True)

    def when_adds(self, host: Host, node_id: str) -> None:
        self.ask(host, addition(self.world.hosts[int(node_id)]), f"adding {node_id}")

    def when_removes(self, host: Host, node_id: str) -> None:
        voter = host.node.voters.get(int(node_id))
        directory_id = voter.directory_id if voter else bytes(16)
        request = RemoveRaftVoterRequest(cluster_id=CLUSTER_ID, voter_id=int(node_id), voter_directory_id=directory_id)
        self.ask(host, request, f"removing {node_id}")

    def when_raises(self, host: Host, _: str, version: str) -> None:
        self.world.step(host, KRaftVersionRequested(-1, int(version)))

    def when_describes(self, host: Host) -> None:
        request = DescribeQuorumRequest(
            topics=[TopicData(topic_name="__cluster_metadata", partitions=[PartitionData()])]
        )

        def show(response: Any) -> None:
            partition = response.topics[0].partitions[0]
            if partition.error_code:
                self.lines.append(f"describing {ErrorCode(partition.error_code).name}")
            for kind, states in (("voter", partition.current_voters), ("observer", partition.observers)):
                self.lines.extend(f"{kind} {each.replica_id} has {each.log_end_offset}" for each in states)

        self.world.request(host, request, show)

    def ask(self, host: Host, request: Any, what: str) -> None:
        def show(response: Any) -> None:
            if response is not None:
                self.lines.append(f"{what} {ErrorCode(response.error_code).name}")

        self.world.request(host, request, show)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_conversation(path: Path, rewrite: bool) -> None:
    replay(path, Conversation().perform, rewrite)


def test_there_are_conversations() -> None:
    assert len(FILES) >= 8
