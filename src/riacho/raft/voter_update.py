"""A controller that tells the leader about itself: UpdateRaftVoter when its endpoints or directory differ from what the
voter set has, AddRaftVoter when it is to join by itself (KIP-853, KIP-1186).

With kraft.version 0 voters tell it once an epoch: the leader keeps it in memory, for the day the version rises.
"""

from __future__ import annotations

from riacho.raft.core import Core
from riacho.raft.roles import Follower, Observed
from riacho.wire.messages import add_raft_voter_request as add
from riacho.wire.messages import update_raft_voter_request as update
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from riacho.wire.schema import Message

KRAFT_VERSION_MIN = 0
KRAFT_VERSION_MAX = 1


def advance(core: Core, source: Follower | Observed) -> None:
    """After a successful fetch: the leader is known to be there."""
    if source.update is not None or source.update_at_ms > core.now_ms or not core.own_endpoints or not core.can_vote:
        return
    if isinstance(source, Observed) and core.is_voter:
        # First the others get its epoch: the leader of that one gets the update.
        return
    request = _wanted(core)
    if request is not None:
        source.update = request
        core.send(source.leader, request)


def _wanted(core: Core) -> Message | None:
    own = core.voters.get(core.key.node_id)
    if core.is_voter and own is not None:
        is_news = core.kraft_version == 0 or own.endpoints != core.own_endpoints
        return _update_request(core) if is_news else None
    if not core.config.is_auto_joining or core.kraft_version == 0 or len(core.voters) == 0:
        return None
    if own is not None:
        # It lost its disk: the voter it was goes before the one that it is comes.
        return RemoveRaftVoterRequest(
            cluster_id=core.cluster_id, voter_id=own.node_id, voter_directory_id=own.directory_id
        )
    return AddRaftVoterRequest(
        cluster_id=core.cluster_id,
        timeout_ms=core.config.request_timeout_ms,
        voter_id=core.key.node_id,
        voter_directory_id=core.key.directory_id,
        listeners=[add.Listener(name=e.name, host=e.host, port=e.port) for e in core.own_endpoints],
        ack_when_committed=False,
    )


def _update_request(core: Core) -> UpdateRaftVoterRequest:
    return UpdateRaftVoterRequest(
        cluster_id=core.cluster_id,
        current_leader_epoch=core.epoch,
        voter_id=core.key.node_id,
        voter_directory_id=core.key.directory_id,
        listeners=[update.Listener(name=e.name, host=e.host, port=e.port) for e in core.own_endpoints],
        kraft_version_feature=update.KRaftVersionFeature(
            min_supported_version=KRAFT_VERSION_MIN, max_supported_version=KRAFT_VERSION_MAX
        ),
    )


def ended(core: Core, request: Message, error_code: int | None) -> None:
    """Answered, or failed (None). One with kraft.version 0 that went well is not repeated in this epoch."""
    source = core.source
    if source is None or source.update is not request:
        return
    source.update = None
    is_done = error_code == 0 and core.kraft_version == 0
    source.update_at_ms = (1 << 62) if is_done else core.now_ms + core.config.fetch_timeout_ms
