"""The tables of `kafka-consumer-groups --describe`."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from riacho.base.errors import ErrorCode
from riacho.client.group_description import GroupDescription, Member
from riacho.client.groups import CommittedOffset
from riacho.client.offsets import FoundOffset, TopicPartition

MISSING = "-"
_REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")


def warn_of_state(group: GroupDescription) -> None:
    """What a reader of the table ought to know first, on stderr so that stdout stays a table."""
    if group.state == "Empty":
        print(f"\nConsumer group '{group.group_id}' has no active members.", file=sys.stderr)
    elif group.state in _REBALANCING:
        print(f"\nWarning: Consumer group '{group.group_id}' is rebalancing.", file=sys.stderr)


def offset_rows(
    group: GroupDescription,
    committed: Mapping[TopicPartition, CommittedOffset],
    ends: Mapping[TopicPartition, FoundOffset],
) -> list[list[str]]:
    """Members with the most partitions first, then partitions that nobody reads."""
    rows = []
    assigned: set[TopicPartition] = set()
    for member in sorted((m for m in group.members if m.assignment), key=lambda m: -len(m.assignment)):
        assigned.update(member.assignment)
        for partition in member.assignment:
            rows.append(_offset_row(group, partition, committed, ends, member))
    for partition in sorted(set(committed) - assigned):
        rows.append(_offset_row(group, partition, committed, ends, None))
    return rows


def _offset_row(
    group: GroupDescription,
    partition: TopicPartition,
    committed: Mapping[TopicPartition, CommittedOffset],
    ends: Mapping[TopicPartition, FoundOffset],
    member: Member | None,
) -> list[str]:
    offset, end = committed.get(partition), ends.get(partition)
    log_end = end.offset if end is not None and end.error is ErrorCode.NONE else None
    lag = log_end - offset.offset if offset is not None and log_end is not None else None
    epoch = offset.leader_epoch if offset is not None and offset.leader_epoch >= 0 else None
    return [
        group.group_id,
        partition[0],
        str(partition[1]),
        _shown(epoch),
        _shown(None if offset is None else offset.offset),
        _shown(log_end),
        _shown(lag),
        member.member_id if member else MISSING,
        member.host if member else MISSING,
        member.client_id if member else MISSING,
    ]


def _shown(value: object) -> str:
    return MISSING if value is None else str(value)


def print_offsets(rows: list[list[str]], verbose: bool) -> None:
    header = [
        "GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID",
        "HOST", "CLIENT-ID",
    ]  # fmt: skip
    widths = [15, 15, 10, 15, 15, 15, 15, 15, 15, 0]
    for column in (0, 1, 7, 8):
        widths[column] = max([widths[column], *(len(row[column]) for row in rows)])
    columns = [c for c in range(len(header)) if verbose or c != 3]
    for row in (header, *rows):
        print("\n" + " ".join(row[c].ljust(widths[c]) for c in columns), end="")
    print()


def print_members(group: GroupDescription, verbose: bool) -> None:
    """Java leaves a blank after #PARTITIONS, where the verbose columns would go on."""
    header = ["GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS"]
    rows = [
        [group.group_id, m.member_id, m.instance_id or "", m.host, m.client_id, str(len(m.assignment))]
        for m in group.members
    ]
    widths = [15, 15, 17, 15, 15, 15]
    for column in range(5):
        widths[column] = max([widths[column], *(len(row[column]) for row in rows)])
    static = any(m.instance_id for m in group.members)
    columns = [c for c in range(6) if static or c != 2]
    details = _member_details(group) if verbose else []
    print()
    for index, row in enumerate((header, *rows)):
        line = " ".join(row[c].ljust(widths[c]) for c in columns) + " "
        print(line + (details[index] if verbose else ""))


def _member_details(group: GroupDescription) -> list[str]:
    rows = [["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT", "UPGRADED"]]
    for m in group.members:
        current, target = assignment_text(m.assignment), assignment_text(m.target)
        upgraded = MISSING if m.upgraded is None else str(m.upgraded).lower()
        rows.append([_shown(m.epoch), current, _shown(group.assignment_epoch), target, upgraded])
    current_width, target_width = (max([20, *(len(row[c]) for row in rows[1:])]) for c in (1, 3))
    kinds = {m.upgraded for m in group.members}
    widths = [15, current_width, 15, target_width]
    if {True, False} <= kinds:
        widths.append(0)
    return [" ".join(text.ljust(width) for text, width in zip(row, widths, strict=False)) for row in rows]


def assignment_text(partitions: list[TopicPartition]) -> str:
    """`topic:0,1;other:2`, sorted."""
    topics: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        topics.setdefault(topic, []).append(partition)
    return ";".join(f"{topic}:{','.join(map(str, indexes))}" for topic, indexes in topics.items()) or MISSING


def print_state(group: GroupDescription, verbose: bool) -> None:
    host, port = group.coordinator
    coordinator = f"{host}:{port}  ({group.coordinator_id})"
    rows = [
        [
            "GROUP",
            "COORDINATOR (ID)",
            "ASSIGNMENT-STRATEGY",
            "STATE",
            "GROUP-EPOCH",
            "TARGET-ASSIGNMENT-EPOCH",
            "#MEMBERS",
        ],
        [
            group.group_id,
            coordinator,
            group.assignor or MISSING,
            group.state,
            _shown(group.group_epoch),
            _shown(group.assignment_epoch),
            str(len(group.members)),
        ],
    ]
    widths = [max(15, len(group.group_id)), max(25, len(coordinator)), 20, 20, 15, 25, 0]
    columns = [c for c in range(7) if verbose or c not in (4, 5)]
    for row in rows:
        print("\n" + " ".join(row[c].ljust(widths[c]) for c in columns), end="")
    print()
