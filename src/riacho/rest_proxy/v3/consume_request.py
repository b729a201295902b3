"""What a call for a stream of records asks for: where to begin, when to end, in which form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined]

from riacho.rest_proxy.admin import LATEST, Admin
from riacho.rest_proxy.consumers.buffer import Partition
from riacho.rest_proxy.embedded.format import Format
from riacho.web.call import Call
from riacho.web.endpoint import Query
from riacho.web.errors import ApiError

QUERY: Final = (
    Query("partition", list, "Only these partitions; repeated, or with commas."),
    Query("offset", int, "Where to begin, in the one partition that is named."),
    Query("from", str, "Where to begin: `earliest`, `latest`, or a time (ISO 8601, or milliseconds).", "earliest"),
    Query("max_records", int, "Ends after so many."),
    Query("timeout_ms", int, "Ends after so long; without `follow` that is 10 s."),
    Query("follow", bool, "Goes on with records as they come; else it ends where the partitions end.", False),
    Query("format", str, "BINARY, JSON, STRING, AVRO, JSONSCHEMA, PROTOBUF; or AUTO, which looks at each.", "AUTO"),
)
_TIMEOUT_MS: Final = 10_000
_COUNT_MAX: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class ConsumeRequest:
    """`format` None is AUTO."""

    starts: Mapping[Partition, int]
    records_max: int
    timeout_ms: int
    is_following: bool
    format: Format | None


async def consume_request(call: Call, admin: Admin, topic: str, duration_ms_max: int) -> ConsumeRequest:
    known = sorted(each.id for each in (await admin.topic(topic)).partitions)
    wanted = _partitions(call, known)
    is_following = call.flag("follow")
    timeout_ms = call.integer("timeout_ms", duration_ms_max if is_following else _TIMEOUT_MS)
    records_max = call.integer("max_records", _COUNT_MAX)
    if timeout_ms < 0 or records_max < 0:
        raise _bad("max_records and timeout_ms cannot be negative.")
    starts = await _starts(call, admin, topic, wanted)
    return ConsumeRequest(starts, records_max, min(timeout_ms, duration_ms_max), is_following, _format(call))


def _partitions(call: Call, known: list[int]) -> list[int]:
    texts = [part.strip() for text in call.texts("partition") for part in text.split(",") if part.strip()]
    if not texts:
        return known
    wanted = sorted({int(text) if text.isascii() and text.isdecimal() and len(text) < 11 else -1 for text in texts})
    if not set(wanted) <= set(known):
        raise ApiError(404, 40402, "Partition not found.")
    return wanted


async def _starts(call: Call, admin: Admin, topic: str, wanted: list[int]) -> dict[Partition, int]:
    partitions = [(topic, number) for number in wanted]
    resumed = _resumed(call.headers.get("last-event-id"))
    if resumed:
        return {partition: resumed.get(partition[1], OFFSET_BEGINNING) for partition in partitions}
    if call.text("offset") is not None:
        return await _from_offset(call, admin, partitions)
    origin = call.text("from") or "earliest"
    if origin.lower() in ("earliest", "latest"):
        return dict.fromkeys(partitions, OFFSET_BEGINNING if origin.lower() == "earliest" else OFFSET_END)
    spec = OffsetSpec.for_timestamp(_milliseconds(origin))
    found = await admin.offsets(dict.fromkeys(partitions, spec))
    return {partition: each.offset if each.offset >= 0 else OFFSET_END for partition, each in found.items()}


async def _from_offset(call: Call, admin: Admin, partitions: list[Partition]) -> dict[Partition, int]:
    offset = call.integer("offset", -1)
    if len(partitions) != 1 or offset < 0:
        raise _bad("offset is a number from 0 on, and takes one partition.")
    end = (await admin.offsets({partitions[0]: LATEST}))[partitions[0]].offset
    if offset > end:
        raise _bad(f"offset {offset} is behind the end of the partition, {end}.")
    return {partitions[0]: offset}


def _resumed(text: str | None) -> dict[int, int]:
    """`0:15,1:7`, the id of an event: the next offset by partition. Anything else is not ours, and means nothing."""
    found = {}
    for pair in (text or "")[:65_536].split(","):
        partition, _, offset = pair.partition(":")
        if not (partition.isascii() and partition.isdecimal() and offset.isascii() and offset.isdecimal()):
            return {}
        if len(partition) > 10 or len(offset) > 18:
            return {}
        found[int(partition)] = int(offset)
    return found


def _milliseconds(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 15:
        return int(text)
    try:
        moment = datetime.fromisoformat(text)
        return max(0, int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        raise _bad("from is earliest, latest, or a time in ISO 8601 or milliseconds.") from None


def _format(call: Call) -> Format | None:
    name = (call.text("format") or "AUTO").lower()
    if name == "auto":
        return None
    try:
        return Format(name)
    except ValueError:
        raise _bad("format is AUTO, BINARY, JSON, STRING, AVRO, JSONSCHEMA or PROTOBUF.") from None


def _bad(message: str) -> ApiError:
    return ApiError(400, 400, message)
