"""What an unasked word of another node may claim: which cluster it is of, who it is, and how far its epoch is ahead.

Whoever can reach the port of an unsecured controller can send Vote, BeginQuorumEpoch or EndQuorumEpoch. An epoch that
is taken is on disk for good, so one frame must not be able to use up all that there are.

- The cluster id must be there: every voter sends it.
- An epoch may be ahead by `EPOCHS_AHEAD_MAX`. A candidate asks before it stands (KIP-996), so a voter is seldom behind
  by more than a few. One that is, for it was away for long, learns the epoch from the answers to its own requests:
  they go to voters and bootstrap servers only, and this bound does not apply to them.
- A replica outside of the voter set may be one that joined while this node was not looking (KIP-853), so it may have a
  vote, though not while there is a leader: then nobody had reason to stand. And not of a node that is outside of the
  set itself: voters are added one at a time, so one of the two is known to the other; and in an epoch that the voters
  do not know it would be alone, as they do not listen to it. A leader outside of the set is not followed on its own
  word; the voters name it to whoever asks them.
- A node that was removed from the set, does not know it yet and has no leader may take a stranger's epoch all the same.
  The voters do not take it from that node: a stranger would have used it up for all of them. It finds out by reading
  their log in their epoch, without a part in it (`observing`; seeds 7919 and 9320 of the raft chaos).
- No epoch above `EPOCH_LAST` is taken from anybody, or stood for: with an election a second it is 68 years away, and
  behind it the numbers end.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.raft.core import EPOCH_LAST, Core
from riacho.raft.leader_state import Leader
from riacho.raft.roles import Follower
from riacho.raft.voters import ReplicaKey

EPOCHS_AHEAD_MAX = 1_000


def is_of_cluster(core: Core, cluster_id: str | None, replica_id: int = 0) -> bool:
    """A reader that claims to be no replica need not say which cluster it means."""
    return cluster_id == core.cluster_id or (cluster_id is None and replica_id < 0)


def serving_refusal(core: Core, epoch: int) -> int:
    """Why this node cannot serve what is asked of the leader of that epoch."""
    if epoch < core.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if epoch > core.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    return ErrorCode.NONE if isinstance(core.state, Leader) else ErrorCode.NOT_LEADER_OR_FOLLOWER


def epoch_refusal(core: Core, epoch: int) -> int:
    if epoch > min(core.epoch + EPOCHS_AHEAD_MAX, EPOCH_LAST):
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    return ErrorCode.NONE


def candidate_refusal(core: Core, candidate: ReplicaKey, epoch: int) -> int:
    is_disturbing = not core.is_voter or (epoch > core.epoch and _has_leader(core))
    if is_disturbing and not core.voters.has(candidate):
        return ErrorCode.INCONSISTENT_VOTER_SET
    return epoch_refusal(core, epoch)


def leader_refusal(core: Core, leader_id: int, epoch: int) -> int:
    if core.voters.get(leader_id) is None and leader_id != core.leader_id:
        return ErrorCode.INCONSISTENT_VOTER_SET
    return epoch_refusal(core, epoch)


def _has_leader(core: Core) -> bool:
    state = core.state
    is_read = core.observed is not None and core.observed.leader_high_watermark >= 0
    return is_read or isinstance(state, Leader) or (isinstance(state, Follower) and state.has_contact)
