"""The tables of `kafka-share-groups`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from riacho.cli.kafka.text.group_tables import MISSING, assignment_text
from riacho.client.offsets import TopicPartition
from riacho.client.share_groups import ShareGroupDescription, ShareOffset

_WIDTH_MIN = 15


def print_offsets(group_id: str, offsets: Mapping[TopicPartition, ShareOffset], verbose: bool) -> None:
    if not offsets:
        print(f"\nShare group '{group_id}' has no offset information.")
        return
    rows = [["GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "START-OFFSET", "LAG"]]
    for (topic, partition), offset in offsets.items():
        known = (offset.leader_epoch, offset.start_offset, offset.lag)
        rows.append([group_id, topic, str(partition), *(MISSING if n is None else str(n) for n in known)])
    _print(rows, [_WIDTH_MIN, _WIDTH_MIN, 10, 13, 13], growing=(0, 1), left_out=() if verbose else (3,))


def print_members(group: ShareGroupDescription, verbose: bool) -> None:
    warn_of_empty(group)
    if not group.members:
        return
    rows = [["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "MEMBER-EPOCH", "ASSIGNMENT"]]
    for member in group.members:
        # Java prints nothing for nothing.
        assigned = assignment_text(member.assignment) if member.assignment else ""
        count, epoch = str(len(member.assignment)), str(member.epoch)
        rows.append([group.group_id, member.member_id, member.host, member.client_id, count, epoch, assigned])
    widths = [_WIDTH_MIN, _WIDTH_MIN, _WIDTH_MIN, _WIDTH_MIN, 12, 13]
    _print(rows, widths, growing=(0, 1, 2, 3), left_out=() if verbose else (5,))


def print_state(group: ShareGroupDescription, verbose: bool) -> None:
    warn_of_empty(group)
    host, port = group.coordinator
    rows = [
        ["GROUP", "COORDINATOR (ID)", "STATE", "GROUP-EPOCH", "ASSIGNMENT-EPOCH", "#MEMBERS"],
        [
            group.group_id,
            f"{host}:{port}  ({group.coordinator_id})",
            group.state,
            str(group.group_epoch),
            str(group.assignment_epoch),
            str(len(group.members)),
        ],
    ]
    _print(rows, [_WIDTH_MIN, 25, 15, 12, 17], growing=(0, 1), left_out=() if verbose else (3, 4))


def print_topics(outcomes: Mapping[str, str]) -> None:
    """What became of each topic."""
    rows = [["TOPIC", "STATUS"], *([topic, status] for topic, status in sorted(outcomes.items()))]
    _print(rows, [_WIDTH_MIN], growing=(0,))


def warn_of_empty(group: ShareGroupDescription) -> None:
    """On stderr, so that stdout stays a table."""
    if group.state == "Empty":
        sys.stdout.flush()
        print(f"\nShare group '{group.group_id}' has no active members.", file=sys.stderr)


def _print(
    rows: Sequence[Sequence[str]], widths: Sequence[int], *, growing: Sequence[int], left_out: Sequence[int] = ()
) -> None:
    """The last column has no width; those of names grow with them."""
    shown = [*widths, 0]
    for column in growing:
        shown[column] = max([widths[column], *(len(row[column]) for row in rows[1:])])
    columns = [column for column in range(len(shown)) if column not in left_out]
    for row in rows:
        print("\n" + " ".join(row[column].ljust(shown[column]) for column in columns), end="")
    print()
