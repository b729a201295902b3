"""A peer of a simulated quorum that is none: frames with wild epochs, from strangers and under the names of voters."""

from __future__ import annotations

from random import Random

from riacho.raft import answers
from riacho.wire.messages import end_quorum_epoch_request as end
from riacho.wire.messages import update_raft_voter_request as update
from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest, PartitionSnapshot, TopicSnapshot
from riacho.wire.schema import Message
from support.raft_bench import begin_request, fetch_request, vote_request
from support.raft_world import CLUSTER_ID, Host, directory

INT32_MAX = (1 << 31) - 1
STRANGER = 66


def hostile_frame(random: Random, host: Host) -> Message:
    """What it sends to this host. Under a voter's name it claims epochs only that no voter could be in: a claim that a
    voter could make is nothing that the protocol can tell from the truth."""
    epoch, offset = host.node.epoch, random.choice([0, host.log.end_offset, 1 << 40])
    near = min(epoch + random.randrange(4), INT32_MAX)
    far = random.choice([INT32_MAX, INT32_MAX - 1, 1 << 30, epoch + 1_001 + random.randrange(1 << 20)])
    sender, claimed = random.choice([(STRANGER, near), (STRANGER, far), (random.choice([1, 2, 3]), far)])
    claimed = min(claimed, INT32_MAX)
    kind = random.randrange(6)
    if kind == 0:
        return vote_request(sender, claimed, claimed, offset, voter_id=host.node_id)
    if kind == 1:
        return vote_request(sender, claimed, 0, offset, voter_id=host.node_id, is_pre_vote=True)
    if kind == 2:
        return begin_request(sender, claimed, host.node_id)
    if kind == 3:
        partition = end.PartitionData(leader_id=sender, leader_epoch=claimed)
        topic = end.TopicData(topic_name=answers.TOPIC, partitions=[partition])
        return end.EndQuorumEpochRequest(cluster_id=CLUSTER_ID, topics=[topic])
    if kind == 4:
        return random.choice([_snapshot(claimed), _update(sender, claimed)])
    return fetch_request(STRANGER, claimed, offset, random.choice([0, epoch, claimed]), max_wait_ms=0)


def _snapshot(epoch: int) -> FetchSnapshotRequest:
    partition = PartitionSnapshot(current_leader_epoch=epoch)
    return FetchSnapshotRequest(
        cluster_id=CLUSTER_ID, replica_id=STRANGER, topics=[TopicSnapshot(name=answers.TOPIC, partitions=[partition])]
    )


def _update(sender: int, epoch: int) -> update.UpdateRaftVoterRequest:
    return update.UpdateRaftVoterRequest(
        cluster_id=CLUSTER_ID,
        current_leader_epoch=epoch,
        voter_id=sender,
        voter_directory_id=directory(STRANGER),
        listeners=[update.Listener(name="CONTROLLER", host="host66", port=1)],
        kraft_version_feature=update.KRaftVersionFeature(min_supported_version=0, max_supported_version=1),
    )
