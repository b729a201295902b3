"""`/connectors/{connector}/offsets`: how far a connector has read, and moving that by hand (KIP-875); its topics."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.table import endpoint, name_of, read
from riacho.pipelines.connect.decisions.decisions import check_stopped, decide_offsets_changed
from riacho.pipelines.connect.stores.source_offsets import Pair
from riacho.web.answers import JsonAnswer, json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_ALTERED = "The offsets for this connector have been altered successfully"
_RESET = "The offsets for this connector have been reset successfully"
_BUSY = (
    "The offsets cannot be changed because the connector's tasks haven't stopped completely yet. If the connector is "
    "in a stopped state, this operation can be safely retried."
)


class OffsetPair(msgspec.Struct):
    partition: dict[str, Any] | None = None
    offset: dict[str, Any] | None = None


class Offsets(msgspec.Struct):
    offsets: list[OffsetPair] | None = None


class Message(msgspec.Struct):
    message: str


def endpoints(service: Service) -> list[Endpoint]:
    state = service.state

    async def get(call: Call) -> Response:
        name = name_of(call)

        async def act() -> Response:
            service.wanted(name)
            await service.status_writer.flush()
            if await service.type_of(name) == "sink":
                return json_answer({"offsets": await service.sink_offsets.of(name)})
            return json_answer({"offsets": service.source_offsets.of(name)})

        return await service.at_leader(call, act)

    async def alter(call: Call) -> Response:
        name = name_of(call)
        given: Offsets = await read(call, Offsets)
        if not given.offsets:
            raise errors.no_offsets_given()
        pairs: list[Pair] = [{"partition": pair.partition, "offset": pair.offset} for pair in given.offsets]

        async def act() -> Response:
            check_stopped(state, name)
            if await service.type_of(name) == "sink":
                _check_sink(pairs)
                await _begin(name)
                await service.sink_offsets.alter(name, pairs)
            else:
                _check_source(pairs)
                await service.catalog.check_offsets(service.wanted(name).config, pairs)
                await _begin(name)
                await service.status_writer.put_source_offsets(service.source_offsets.changes(name, pairs))
            return json_answer({"message": _ALTERED})

        return await service.at_leader(call, act)

    async def reset(call: Call) -> Response:
        name = name_of(call)

        async def act() -> Response:
            check_stopped(state, name)
            kind = await service.type_of(name)
            await _begin(name)
            if kind == "sink":
                await service.sink_offsets.reset(name)
            else:
                await service.status_writer.put_source_offsets(service.source_offsets.reset(name))
            return json_answer({"message": _RESET})

        return await service.at_leader(call, act)

    async def _begin(name: str) -> None:
        """From here on the old checkpoint does not count."""
        if not await service.supervisor.rests(name):
            raise errors.bad_request(_BUSY)
        await service.status_writer.let_go_of_offsets(name)
        await service.replicated_log.change(lambda: decide_offsets_changed(state, name))

    async def topics(call: Call) -> Response:
        if not service.is_tracking_topics:
            raise errors.topics_not_tracked()
        name = name_of(call)
        return json_answer({name: {"topics": sorted(service.statuses.topics.get(name, ()))}})

    async def reset_topics(call: Call) -> Response:
        if not service.is_tracking_topics:
            raise errors.topics_not_tracked()
        if not service.may_reset_topics:
            raise errors.topics_not_reset()
        name = name_of(call)

        async def act() -> Response:
            service.status_writer.reset_topics(name)
            return JsonAnswer(b"", 202)

        return await service.at_leader(call, act)

    path = "/connectors/{connector}/offsets"
    moved = (400, 409, 500)
    return [
        endpoint("GET", path, get, "How far the connector has read.", answers={200: Offsets}, codes=(409, 500)),
        endpoint("PATCH", path, alter, "Move some offsets of a stopped connector; null takes one away.",
                 body=Offsets, answers={200: Message}, codes=moved),
        endpoint("DELETE", path, reset, "Forget the offsets of a stopped connector.", answers={200: Message},
                 codes=moved),
        endpoint("GET", "/connectors/{connector}/topics", topics, "The topics that the connector has used.",
                 answers={200: dict[str, dict[str, list[str]]]}, codes=(403,)),
        endpoint("PUT", "/connectors/{connector}/topics/reset", reset_topics, "Forget them.", answers={202: None},
                 codes=(403, 409, 500)),
    ]  # fmt: skip


def _check_source(pairs: list[Pair]) -> None:
    if any(pair["partition"] is None for pair in pairs):
        raise errors.bad_request("The partition for a source connector offset cannot be null or missing")


def _check_sink(pairs: list[Pair]) -> None:
    for pair in pairs:
        partition, offset = pair["partition"], pair["offset"]
        if not partition:
            raise errors.bad_request("The partition for a sink connector offset cannot be null or missing")
        if "kafka_topic" not in partition or "kafka_partition" not in partition:
            keys = "'kafka_topic' and 'kafka_partition'"
            raise errors.bad_request(f"The partition for a sink connector offset must contain the keys {keys}")
        topic = partition["kafka_topic"]
        if not isinstance(topic, str) or not topic or "\0" in topic:
            raise errors.bad_request("Kafka topic names must be valid strings and may not be null")
        partition["kafka_partition"] = _number(partition["kafka_partition"], 31, "Partition values")
        if offset is None:
            continue
        if "kafka_offset" not in offset:
            text = "The offset for a sink connector should either be null or contain the key 'kafka_offset'"
            raise errors.bad_request(text)
        offset["kafka_offset"] = _number(offset["kafka_offset"], 63, "Offset values")


def _number(value: Any, bits: int, what: str) -> int:
    text = str(value)
    if (
        isinstance(value, bool)
        or not text.isascii()
        or not text.isdecimal()
        or len(text) > 19
        or int(text) >= 1 << bits
    ):
        raise errors.bad_request(f"{what} for sink connectors need to be integers; '{value}' is none")
    return int(text)
