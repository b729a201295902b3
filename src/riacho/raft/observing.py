"""Reading the log of a leader whose epoch is below one's own, as an observer without a word in it.

A node may be in an epoch that nobody else will ever be in. It was removed from the voters, does not know it, had no
leader, and voted for somebody whom the voters do not know either. They do not listen to it, as it is no voter, and
their leader refuses its fetches, as its epoch is another; so it would not learn of the record that removed it. An
observer that asked such a node first is in the same place. In Kafka voters take a higher epoch from any replica
(KIP-853), which ends this with an election; here that would be a gift to strangers (`claims`).

So such a node reads along in the leader's epoch. The promise that its own epoch is stays on disk and is never taken
back: it votes and stands above it only. For Raft that is safe because

- nothing that it reads counts. A voter that has promised a later epoch must not help to commit in an earlier one, and
  it cannot know whether it is one: it may have been added again. So it fetches as no replica, with the id -1. It gives
  its name when it is no voter by its own log and the leader has said that all of it is committed: to acknowledge that
  commits nothing, and lets the leader see that it has caught up and may be added (KIP-853).
- nothing that is committed is cut off. Records of later epochs than the leader's are not given up for it, nor what is
  below the high watermark: then that leader is an old one.
- a candidate's log stays as its request to the voters named it.

Standing goes on beside it: a node that is a voter after all is heard, and its epoch becomes everybody's.
"""

from __future__ import annotations

from riacho.raft.core import Core
from riacho.raft.effects import Destination
from riacho.raft.quorum_state import NOBODY
from riacho.raft.roles import Fetching, Observed, Prospective, Unattached


def noticed(core: Core, leader: Destination, epoch: int) -> None:
    """Somebody who was asked names the leader of an epoch below one's own."""
    is_open = isinstance(core.state, Unattached | Prospective) and core.leader_id == NOBODY
    is_later = core.observed is None or core.observed.epoch < epoch
    if is_open and is_later and core.log.latest_epoch <= epoch < core.epoch and not core.is_log_pending:
        core.observe(Observed(leader, epoch, Fetching(core.now_ms)))


def fetch_epoch(core: Core) -> int:
    """The epoch whose log is read."""
    return core.epoch if core.observed is None else core.observed.epoch


def fetch_id(core: Core) -> int:
    """In whose name: -1 for nobody's."""
    observed = core.observed
    is_committed = observed is None or (not core.is_voter and core.log.end_offset <= observed.leader_high_watermark)
    return core.key.node_id if is_committed else NOBODY
