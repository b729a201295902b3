"""kafka-reassign-partitions: plan, start, watch and cancel moves of replicas."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.checks import exactly_one, require
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import launch, sentence
from riacho.cli.kafka.reassignment_json import (
    BadPlan,
    check_plan,
    partition_name,
    plan_text,
    read_brokers,
    read_plan,
    read_topics,
)
from riacho.cli.kafka.reassignment_plan import propose
from riacho.cli.kafka.reassignment_progress import wait_for_moves
from riacho.cli.kafka.reassignment_states import directory_lines, is_moving, move_line, partition_lines
from riacho.cli.kafka.reassignment_throttles import clear_throttles, throttle_log_dirs, throttle_moves
from riacho.cli.kafka.text.sentences import words
from riacho.cli.kafka.text_file import read_text_file
from riacho.client.cluster import Cluster
from riacho.client.log_dirs import Replica, find_replicas, move_replicas
from riacho.client.offsets import TopicPartition
from riacho.client.reassignments import alter_reassignments, list_reassignments
from riacho.client.replication_throttles import transfers

_ACTIONS = ("generate", "execute", "verify", "cancel", "list")
_CONNECTION = ("bootstrap-server", "command-config")
_REQUIRED = {
    "generate": ("topics-to-move-json-file", "broker-list"),
    "execute": ("reassignment-json-file",),
    "verify": ("reassignment-json-file",),
    "cancel": ("reassignment-json-file",),
    "list": (),
}
_PERMITTED = {
    "generate": ("disable-rack-aware",),
    "execute": (
        "additional",
        "throttle",
        "replica-alter-log-dirs-throttle",
        "timeout",
        "disallow-replication-factor-change",
    ),
    "verify": ("preserve-throttles", "wait"),
    "cancel": ("bootstrap-controller", "preserve-throttles", "timeout"),
    "list": ("bootstrap-controller",),
}
_BUSY = (
    "Cannot execute because there is an existing partition assignment.  Use --additional to override this and create a "
    "new partition assignment in addition to the existing one. The --additional flag can also be used to change the "
    "throttle by resubmitting the current reassignment."
)
_RUN_VERIFY = (
    "Warning: You must run --verify periodically, until the reassignment completes, to ensure the throttle is removed."
)
_RETRY_PAUSE_S = 0.1


class Refused(Exception):
    """An outcome that is told as it is, without `Error:` before it."""


def main() -> None:
    launch("kafka-reassign-partitions", run)


def run(arguments: Arguments) -> int:
    action = _check(arguments)
    actions: dict[str, Callable[[Cluster, Arguments], None]] = {
        "generate": _generate,
        "execute": _execute,
        "verify": _verify,
        "cancel": _cancel,
        "list": _list,
    }
    try:
        with open_cluster(arguments, client_id="reassign-partitions-tool") as cluster:
            actions[action](cluster, arguments)
    except Refused as refused:
        # This tool tells its errors on stdout, and scripts read them there.
        print(refused)
        return 1
    except BadPlan as error:
        print(f"Error: {error}")
        return 1
    except OSError as error:
        print(f"Error: {error.filename}: {error.strerror}")
        return 1
    except KafkaError as error:
        print(f"Error: {sentence(error)}")
        return 1
    return 0


def _check(arguments: Arguments) -> str:
    listed = ", ".join(f"--{action}" for action in _ACTIONS)
    action = exactly_one(arguments, _ACTIONS, f"Command must include exactly one action: {listed}")
    if arguments.has("bootstrap-server") and arguments.has("bootstrap-controller"):
        raise UsageError("Please don't specify both --bootstrap-server and --bootstrap-controller")
    require(arguments, *_REQUIRED[action])
    allowed = {action, *_CONNECTION, *_REQUIRED[action], *_PERMITTED[action]}
    for name in arguments.values:
        if name not in allowed:
            raise UsageError(f'Option "[{name}]" can\'t be used with action "[{action}]"')
    return action


def _read(arguments: Arguments, flag: str) -> str:
    return read_text_file(arguments.need(flag))


def _assignments(cluster: Cluster, topics: Iterable[str], *, strict: bool) -> dict[TopicPartition, list[int]]:
    """The replicas of every partition of these topics; a topic that is not there is an error when `strict`."""
    wanted = sorted(set(topics))
    found: dict[TopicPartition, list[int]] = {}
    if not wanted:
        return found
    for topic in cluster.retry(lambda: cluster.metadata(wanted)).topics:
        if topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            if strict:
                raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic {topic.name} not found.")
            continue
        found |= {(topic.name or "", p.partition_index): p.replica_nodes for p in topic.partitions}
    return found


def _directories(cluster: Cluster, assignments: Mapping[TopicPartition, Sequence[int]]) -> dict[Replica, str]:
    """Where each replica lies. Brokers that are gone cannot tell: their replicas come back to any directory."""
    live = cluster.retry(cluster.live_brokers)
    replicas = [Replica(*partition, broker) for partition, brokers in assignments.items() for broker in brokers]
    places = find_replicas(cluster, [replica for replica in replicas if replica.broker in live])
    return {replica: place.current for replica, place in places.items() if place.current is not None}


def _generate(cluster: Cluster, arguments: Arguments) -> None:
    brokers = read_brokers(arguments.need("broker-list"))
    topics = read_topics(_read(arguments, "topics-to-move-json-file"))
    current = _assignments(cluster, topics, strict=True)
    told = {b.node_id: b.rack for b in cluster.retry(lambda: cluster.metadata([])).brokers if b.node_id in brokers}
    racks = dict.fromkeys(told) if arguments.has("disable-rack-aware") else told
    if any(racks.values()) and not all(racks.values()):
        raise BadPlan(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to make replica "
            "assignment without rack information."
        )
    proposed = propose(current, racks, random.randrange)
    print(f"Current partition replica assignment\n{plan_text(current, _directories(cluster, current))}\n")
    print(f"Proposed partition reassignment configuration\n{plan_text(proposed, {})}")


def _execute(cluster: Cluster, arguments: Arguments) -> None:
    plan = read_plan(_read(arguments, "reassignment-json-file"))
    proposed = check_plan(plan)
    under_way = list_reassignments(cluster)
    if under_way and not arguments.has("additional"):
        raise Refused(_BUSY)
    current = _current(cluster, proposed)
    print(
        f"Current partition replica assignment\n\n{plan_text(current, _directories(cluster, current))}\n\n"
        "Save this to use as the --reassignment-json-file option during rollback",
        flush=True,
    )
    rate, log_dir_rate = arguments.need_number("throttle"), arguments.need_number("replica-alter-log-dirs-throttle")
    if rate >= 0 or log_dir_rate >= 0:
        print(_RUN_VERIFY, flush=True)
    if rate >= 0:
        throttle_moves(cluster, transfers(under_way, proposed, current), rate)
    if log_dir_rate >= 0:
        throttle_log_dirs(cluster, (replica.broker for replica in plan.directories), log_dir_rate)
    keep_factor = arguments.has("disallow-replication-factor-change")
    errors = alter_reassignments(cluster, proposed, allow_replication_factor_change=not keep_factor)
    if errors:
        raise Refused(f"Error reassigning partition(s):\n{_errors(errors)}")
    print(f"Successfully started partition reassignment{_s(proposed)} for {_names(proposed)}", flush=True)
    _move_directories(cluster, plan.directories, arguments.need_number("timeout"))


def _current(cluster: Cluster, proposed: Mapping[TopicPartition, Sequence[int]]) -> dict[TopicPartition, list[int]]:
    """The replicas of the partitions to move, once it is known that they and the brokers named are there."""
    live = cluster.retry(cluster.live_brokers)
    unknown = sorted({broker for replicas in proposed.values() for broker in replicas} - set(live))
    if unknown:
        raise BadPlan(f"Unknown broker id {unknown[0]}")
    known = _assignments(cluster, (topic for topic, _ in proposed), strict=True)
    missing = sorted(set(proposed) - set(known))
    if missing:
        named = ", ".join(map(partition_name, missing))
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Unable to find partition: {named}")
    return {partition: known[partition] for partition in proposed}


def _move_directories(cluster: Cluster, targets: Mapping[Replica, str], timeout_ms: int) -> None:
    """Again and again until each move has begun: a replica that comes from another broker is not there at once."""
    pending = dict(targets)
    deadline = time.monotonic() + timeout_ms / 1000
    while pending:
        for replica, error in sorted(move_replicas(cluster, pending).items(), key=lambda item: _order(item[0])):
            if error is ErrorCode.NONE:
                where = f"replica {replica.topic}-{replica.partition} with broker {replica.broker}"
                # The space at the end is Kafka's.
                print(f"Successfully started moving log directory to {pending.pop(replica)} for {where} ", flush=True)
            elif error is not ErrorCode.REPLICA_NOT_AVAILABLE:
                raise KafkaError(error, f"Failed to alter dir for {replica}: {words(error)}")
        if pending and time.monotonic() >= deadline:
            named = ",".join(str(replica) for replica in sorted(pending, key=_order))
            raise Refused(f"Timed out before log directory move{_s(pending)} could be started for: {named}")
        if pending:
            time.sleep(_RETRY_PAUSE_S)


def _verify(cluster: Cluster, arguments: Arguments) -> None:
    plan = read_plan(_read(arguments, "reassignment-json-file"))
    if arguments.has("wait"):
        wait_for_moves(cluster, [partition for partition, _ in plan.partitions], plan.directories)
    under_way = list_reassignments(cluster)
    resting = [topic for (topic, partition), _ in plan.partitions if (topic, partition) not in under_way]
    current = _assignments(cluster, resting, strict=False)
    print("\n".join(partition_lines(plan.partitions, under_way, current)))
    places = find_replicas(cluster, plan.directories)
    print("\n".join(directory_lines(plan.directories, places)), flush=True)
    is_done = not under_way and not any(is_moving(place) for place in places.values())
    if is_done and not arguments.has("preserve-throttles"):
        clear_throttles(cluster, plan.partitions)


def _cancel(cluster: Cluster, arguments: Arguments) -> None:
    plan = read_plan(_read(arguments, "reassignment-json-file"))
    active = sorted(list_reassignments(cluster, [partition for partition, _ in plan.partitions]))
    if active:
        errors = alter_reassignments(cluster, dict.fromkeys(active))
        if errors:
            raise Refused(f"Error cancelling partition reassignment{_s(errors)} for:\n{_errors(errors)}")
        print(f"Successfully cancelled partition reassignment{_s(active)} for: {_names(active)}", flush=True)
    else:
        print("None of the specified partition reassignments are active.")
    places = find_replicas(cluster, plan.directories)
    back = {r: place.current for r, place in places.items() if place.current is not None and is_moving(place)}
    if back:
        _move_directories(cluster, back, arguments.need_number("timeout"))
    else:
        # Without an end of line, as in Kafka's tool.
        print("None of the specified partition moves are active.", end="")
    if not arguments.has("preserve-throttles"):
        clear_throttles(cluster, plan.partitions)


def _list(cluster: Cluster, arguments: Arguments) -> None:
    moves = list_reassignments(cluster)
    if moves:
        print("\n".join(["Current partition reassignments:", *(move_line(*item) for item in sorted(moves.items()))]))
    else:
        print("No partition reassignments found.")


def _order(replica: Replica) -> tuple[int, str, int]:
    return replica.broker, replica.topic, replica.partition


def _errors(errors: Mapping[TopicPartition, KafkaError]) -> str:
    return "\n".join(
        f"{partition_name(partition)}: {error.detail or words(error.code)}"
        for partition, error in sorted(errors.items(), key=lambda item: item[0])
    )


def _names(partitions: Iterable[TopicPartition]) -> str:
    return ",".join(map(partition_name, sorted(partitions)))


def _s(items: Sequence[object] | Mapping[TopicPartition, object] | Mapping[Replica, object]) -> str:
    return "" if len(items) == 1 else "s"
