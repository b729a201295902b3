"""`kafka-consumer-groups --reset-offsets`: where a group's offsets are to go."""

from __future__ import annotations

import csv
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping

from riacho.base.errors import ErrorCode
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.text.sentences import words
from riacho.client.cluster import Cluster
from riacho.client.groups import fetch_offsets
from riacho.client.offsets import EARLIEST, LATEST, TopicPartition, list_offsets

SCENARIOS = (
    "to-offset", "shift-by", "to-datetime", "by-duration", "to-earliest", "to-latest", "from-file", "to-current",
)  # fmt: skip
Plan = dict[str, dict[TopicPartition, int]]

_DURATION = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<days>[+-]?\d+)D)?"
    r"(?:T(?:(?P<hours>[+-]?\d+)H)?(?:(?P<minutes>[+-]?\d+)M)?(?:(?P<seconds>[+-]?\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)


def new_offsets(
    cluster: Cluster, arguments: Arguments, group_id: str, plan: Plan, now_ms: int | None = None
) -> dict[TopicPartition, int]:
    if arguments.has("from-file"):
        wanted = plan.get(group_id, {})
        _check_exist(cluster, wanted)
        return _within_log(cluster, wanted)
    partitions = _partitions(cluster, arguments, group_id)
    _check_exist(cluster, partitions)
    if arguments.has("to-earliest"):
        return _at(cluster, partitions, EARLIEST)
    if arguments.has("to-latest"):
        return _at(cluster, partitions, LATEST)
    if arguments.has("to-offset"):
        return _within_log(cluster, dict.fromkeys(partitions, arguments.need_number("to-offset")))
    if arguments.has("to-datetime"):
        return _at(cluster, partitions, parse_datetime(arguments.need("to-datetime")))
    if arguments.has("by-duration"):
        now = int(time.time() * 1000) if now_ms is None else now_ms
        return _at(cluster, partitions, now - parse_duration(arguments.need("by-duration")))
    committed = {p: offset.offset for p, offset in fetch_offsets(cluster, group_id).items()}
    if arguments.has("shift-by"):
        missing = sorted(p for p in partitions if p not in committed)
        if missing:
            shown = f"{missing[0][0]}-{missing[0][1]}"
            raise ToolError(
                f"Error: Cannot shift offset for partition {shown} since there is no current committed offset"
            )
        shift = arguments.need_number("shift-by")
        return _within_log(cluster, {p: committed[p] + shift for p in partitions})
    known = {p: committed[p] for p in partitions if p in committed}
    return _within_log(cluster, known) | _at(cluster, [p for p in partitions if p not in committed], LATEST)


def at_scenario(
    cluster: Cluster, arguments: Arguments, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, int]:
    """Where `--to-earliest`, `--to-latest` and `--to-datetime` lead."""
    wanted = list(partitions)
    _check_exist(cluster, wanted)
    if arguments.has("to-datetime"):
        return _at(cluster, wanted, parse_datetime(arguments.need("to-datetime")))
    return _at(cluster, wanted, EARLIEST if arguments.has("to-earliest") else LATEST)


def _partitions(cluster: Cluster, arguments: Arguments, group_id: str) -> list[TopicPartition]:
    if arguments.has("all-topics"):
        return sorted(fetch_offsets(cluster, group_id))
    if not arguments.has("topic"):
        raise UsageError("One of the reset scopes should be defined: --all-topics, --topic.")
    return topic_partitions(cluster, arguments.all("topic"))


def topic_partitions(cluster: Cluster, texts: Iterable[str]) -> list[TopicPartition]:
    """`topic` stands for all of its partitions, `topic:0,2` for those."""
    found: list[TopicPartition] = []
    for text in texts:
        topic, colon, listed = text.partition(":")
        if not colon:
            partitions = cluster.retry(lambda t=topic: cluster.topics([t]))[topic].partitions  # type: ignore[misc]
            found += sorted((topic, p.partition_index) for p in partitions)
            continue
        try:
            found += [(topic, int(index)) for index in listed.split(",")]
        except ValueError:
            raise ToolError(f"Error: '{text}' is not a topic with partitions; write topic:0,1,2") from None
    return list(dict.fromkeys(found))


def _check_exist(cluster: Cluster, partitions: Iterable[TopicPartition]) -> None:
    wanted = list(partitions)
    if not wanted:
        return
    topics = {t.name: t for t in cluster.retry(lambda: cluster.metadata({topic for topic, _ in wanted})).topics}
    unknown = [
        f"{topic}-{index}"
        for topic, index in wanted
        if topics[topic].error_code or index not in {p.partition_index for p in topics[topic].partitions}
    ]
    if unknown:
        raise ToolError(f'Error: The partitions "{",".join(unknown)}" do not exist')


def _at(cluster: Cluster, partitions: Iterable[TopicPartition], at: int) -> dict[TopicPartition, int]:
    """The offset at a time; the end of the log where nothing is that young."""
    wanted = list(partitions)
    if not wanted:
        return {}
    offsets = _offsets(cluster, wanted, at)
    missing = [p for p, offset in offsets.items() if offset < 0]
    if missing:
        offsets |= _offsets(cluster, missing, LATEST)
        for topic, index in missing:
            print(f"Warning: {topic}-{index} has no record that young; going to its end.", file=sys.stderr)
    return offsets


def _offsets(cluster: Cluster, partitions: Iterable[TopicPartition], at: int) -> dict[TopicPartition, int]:
    found = list_offsets(cluster, dict.fromkeys(partitions, at))
    for (topic, index), offset in found.items():
        if offset.error is not ErrorCode.NONE:
            raise ToolError(f"Error: the offsets of {topic}-{index} cannot be read: {words(offset.error)}")
    return {p: offset.offset for p, offset in sorted(found.items())}


def _within_log(cluster: Cluster, wanted: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    """Offsets outside the log become its nearer end, with a notice."""
    if not wanted:
        return {}
    first, last = _offsets(cluster, wanted, EARLIEST), _offsets(cluster, wanted, LATEST)
    result = {}
    for partition, offset in wanted.items():
        shown = f"{partition[0]}-{partition[1]}"
        if offset > last[partition]:
            _warn(f"New offset ({offset}) is higher than latest offset for topic partition {shown}", last[partition])
        elif offset < first[partition]:
            _warn(f"New offset ({offset}) is lower than earliest offset for topic partition {shown}", first[partition])
        result[partition] = min(max(offset, first[partition]), last[partition])
    return result


def _warn(what: str, offset: int) -> None:
    print(f"WARN {what}. Value will be set to {offset}", file=sys.stderr)


def parse_datetime(text: str) -> int:
    """ISO 8601 in milliseconds since the epoch; UTC unless a zone is given."""
    from datetime import UTC, datetime

    if "T" not in text:
        raise ToolError(f"Error: '{text}' is not a time; write YYYY-MM-DDThh:mm:ss.sss")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(f"Error: '{text}' is not a time; write YYYY-MM-DDThh:mm:ss.sss") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def parse_duration(text: str) -> int:
    """ISO 8601 `PnDTnHnMnS` in milliseconds."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found[part] for part in ("days", "hours", "minutes", "seconds")):
        raise ToolError(f"Error: '{text}' is not a duration; write PnDTnHnMnS")
    factors = {"days": 86_400_000, "hours": 3_600_000, "minutes": 60_000, "seconds": 1000}
    total = sum(float(found[part] or 0) * factor for part, factor in factors.items())
    return round(-total if found["sign"] == "-" else total)


def load_plan(arguments: Arguments, read: Callable[[str], str]) -> Plan:
    """`--from-file`: topic,partition,offset for one group, or group,topic,partition,offset."""
    path = arguments.text("from-file")
    if path is None:
        return {}
    groups = arguments.all("group")
    plan: Plan = {}
    for row in csv.reader(line for line in read(path).splitlines() if line.strip()):
        if len(row) == 3 and len(groups) == 1:
            row = [groups[0], *row]
        try:
            group, topic, partition, offset = (cell.strip() for cell in row)
            plan.setdefault(group, {})[topic, int(partition)] = int(offset)
        except ValueError:
            raise ToolError(f"Error: '{','.join(row)}' in {path} is not [group,]topic,partition,offset") from None
    return plan
