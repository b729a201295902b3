"""The raft driver of a node that nobody started: it knows a leader and the voters, and does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.environment import SystemNetwork
from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.broker.quorum.raft_listener import RaftListener
from riacho.client.client_security import ClientSecurity
from riacho.raft.config import RaftConfig
from riacho.raft.node import RaftNode
from riacho.raft.quorum_state import QuorumState
from support.raft_log import MemoryLog

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.raft.voters import VoterSet


def deaf_listener() -> RaftListener:
    """For drivers of whose steps nobody needs to hear."""
    return RaftListener(lambda _: None, lambda: None, lambda _leader, _epoch: None, lambda _: None)


def idle_raft(node_id: int, leader_id: int, voters: VoterSet, clock: Clock, logs: Logs) -> RaftDriver:
    """Of a node that knows this leader, of epoch 9."""
    log, state = MemoryLog(), QuorumState(leader_id, 9)
    node = RaftNode(node_id, b"d" * 16, "c", RaftConfig(), log, state, voters, 0, can_vote=False)
    security, listener = ClientSecurity(), deaf_listener()
    return RaftDriver(node, log, SystemNetwork(), clock, logs, "raft", security, listener)  # type: ignore[arg-type]
