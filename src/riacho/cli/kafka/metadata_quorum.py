"""kafka-metadata-quorum: the controllers' quorum, shown and changed."""

from __future__ import annotations

import time

from riacho.base.ids import ZERO_UUID, uuid_from_text, uuid_text
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.text.tables import print_table
from riacho.client.cluster import Cluster
from riacho.client.cluster_description import BROKERS, CONTROLLERS, describe_cluster
from riacho.client.quorum import Quorum, add_voter, describe_quorum, remove_voter
from riacho.wire.messages.describe_quorum_response import ReplicaState

_COLUMNS = ("NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp", "Status")
_UNKNOWN = -1


def main() -> None:
    launch("kafka-metadata-quorum", run)


def run(arguments: Arguments) -> int:
    if arguments.command == "describe":
        _check_describe(arguments)
    elif arguments.command == "add-controller" and not arguments.has("command-config"):
        raise ToolError(
            "You must supply the configuration file of the controller you are adding when using add-controller."
        )
    with open_cluster(arguments) as cluster:
        match arguments.command:
            case "describe" if arguments.has("status"):
                print(status_text(_cluster_id(cluster), describe_quorum(cluster)))
            case "describe":
                quorum = describe_quorum(cluster)
                now_ms = time.time_ns() // 1_000_000 if arguments.has("human-readable") else None
                print_table(_COLUMNS, replication_rows(quorum, now_ms))
            case "add-controller":
                _add(cluster, arguments)
            case _:
                _remove(cluster, arguments)
    return 0


def _check_describe(arguments: Arguments) -> None:
    status, replication = arguments.has("status"), arguments.has("replication")
    if status and replication:
        raise ToolError("Only one of --status or --replication should be specified with describe sub-command")
    if not status and not replication:
        raise ToolError("One of --status or --replication must be specified with describe sub-command")
    if status and arguments.has("human-readable"):
        raise ToolError("The option --human-readable is only supported along with --replication")


def _cluster_id(cluster: Cluster) -> str:
    kind = CONTROLLERS if cluster.settings.is_to_controllers else BROKERS
    return cluster.retry(lambda: describe_cluster(cluster, kind)).cluster_id


def status_text(cluster_id: str, quorum: Quorum) -> str:
    leader = quorum.leader
    slowest = min(quorum.voters, key=lambda voter: voter.log_end_offset)
    if slowest is leader:
        lag_ms = 0
    elif _UNKNOWN in (leader.last_caught_up_timestamp, slowest.last_caught_up_timestamp):
        lag_ms = _UNKNOWN
    else:
        lag_ms = leader.last_caught_up_timestamp - slowest.last_caught_up_timestamp
    fields = {
        "ClusterId": cluster_id,
        "LeaderId": quorum.leader_id,
        "LeaderEpoch": quorum.leader_epoch,
        "HighWatermark": quorum.high_watermark,
        "MaxFollowerLag": leader.log_end_offset - slowest.log_end_offset,
        "MaxFollowerLagTimeMs": lag_ms,
        "CurrentVoters": f"[{', '.join(_node(quorum, voter) for voter in quorum.voters)}]",
        "CurrentObservers": f"[{', '.join(_node(quorum, observer) for observer in quorum.observers)}]",
    }
    return "\n".join(f"{name + ':':<24}{value}" for name, value in fields.items())


def _node(quorum: Quorum, replica: ReplicaState) -> str:
    """Like JSON, but for the spaces. A static quorum has no directory ids; observers have no endpoints."""
    parts = [f'"id": {replica.replica_id}']
    if replica.replica_directory_id != ZERO_UUID:
        parts.append(f'"directoryId": "{uuid_text(replica.replica_directory_id)}"')
    endpoints = quorum.endpoints.get(replica.replica_id)
    if endpoints:
        listed = ", ".join(f'"{endpoint}"' for endpoint in endpoints)
        parts.append(f'"endpoints": [{listed}]')
    return "{" + ", ".join(parts) + "}"


def replication_rows(quorum: Quorum, now_ms: int | None) -> list[list[str]]:
    """The leader first, then the other voters, then observers. Times are relative where `now_ms` is given."""
    leader = quorum.leader
    ordered = [(leader, "Leader")]
    ordered += [(voter, "Follower") for voter in quorum.voters if voter is not leader]
    ordered += [(observer, "Observer") for observer in quorum.observers]
    return [
        [
            str(replica.replica_id),
            uuid_text(replica.replica_directory_id),
            str(replica.log_end_offset),
            str(leader.log_end_offset - replica.log_end_offset),
            _time(replica.last_fetch_timestamp, now_ms, "last fetch"),
            _time(replica.last_caught_up_timestamp, now_ms, "last caught up"),
            status,
        ]
        for replica, status in ordered
    ]


def _time(timestamp_ms: int, now_ms: int | None, what: str) -> str:
    if timestamp_ms == _UNKNOWN or now_ms is None:
        return str(timestamp_ms)
    if not 0 < timestamp_ms <= now_ms:
        raise ToolError(
            "Error while computing relative time, possible drift in system clock.\n"
            f"Current timestamp is {now_ms}, {what} timestamp is {timestamp_ms}"
        )
    return f"{now_ms - timestamp_ms} ms ago"


def _add(cluster: Cluster, arguments: Arguments) -> None:
    from riacho.cli.kafka.controller_properties import read_controller
    from riacho.cli.kafka.properties import load_properties

    controller = read_controller(load_properties(arguments.need("command-config")))
    if not arguments.has("dry-run"):
        add_voter(cluster, controller.node_id, controller.directory_id, controller.endpoints)
    done = "DRY RUN of adding" if arguments.has("dry-run") else "Added"
    print(
        f"{done} controller {controller.node_id} with directory id {uuid_text(controller.directory_id)} "
        f"and endpoints: {', '.join(map(str, controller.endpoints))}"
    )


def _remove(cluster: Cluster, arguments: Arguments) -> None:
    node_id, text = arguments.need_number("controller-id"), arguments.need("controller-directory-id")
    if node_id < 0:
        raise ToolError(f"Invalid negative --controller-id: {node_id}")
    try:
        directory_id = uuid_from_text(text)
    except ValueError:
        raise ToolError(f"Failed to parse --controller-directory-id: '{text}' is not a uuid of 22 characters") from None
    if not arguments.has("dry-run"):
        remove_voter(cluster, node_id, directory_id)
    # The two spaces are Kafka's.
    done = "DRY RUN of removing " if arguments.has("dry-run") else "Removed "
    print(f"{done} KRaft controller {node_id} with directory id {uuid_text(directory_id)}")
