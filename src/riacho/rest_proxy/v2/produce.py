"""POST /topics/{topic} and /topics/{topic}/partitions/{partition}: records in, where each was written out.

The content type names the embedded format; plain `application/json` is taken as json. What became of each record stands
in the answer, in order, and the status is 200 even where some failed. Beyond the original, a record may have `headers`
(`[{"name": ..., "value": base64}]`, as in v3) and a `timestamp` (milliseconds, or ISO 8601).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from confluent_kafka import KafkaError, Message
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.embedded.encoders import SchemaChoice, encode
from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.json_text import JsonError, check_text, has_space
from riacho.rest_proxy.embedded.plain import PLAIN, Encode, encode_compact_json
from riacho.rest_proxy.embedded.record_fields import RecordHeader, headers_of, timestamp_ms_of
from riacho.rest_proxy.kafka_errors import is_unknown_topic, record_error
from riacho.rest_proxy.producing.record import ANY_PARTITION, NOW, Record
from riacho.schemas.registry_conversations import RegisteredSchema
from riacho.web.answers import raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_NULL = msgspec.Raw(b"null")
_V2 = "application/vnd.kafka.v2+json"
_JSON = "application/json"
_FORMATS = {
    format.media_type: format
    for format in (Format.JSON, Format.BINARY, Format.AVRO, Format.JSONSCHEMA, Format.PROTOBUF)
} | {_JSON: Format.JSON, _V2: Format.JSON}
_SLICE_RECORDS = 500
_NO_KEY_SCHEMA = (42201, "keys")
_NO_VALUE_SCHEMA = (42202, "values")


class ProduceRecord(msgspec.Struct, forbid_unknown_fields=True):
    # Made by a factory: a default of this type has no form in the API's description.
    key: msgspec.Raw = msgspec.field(default_factory=_NULL.copy)
    value: msgspec.Raw = msgspec.field(default_factory=_NULL.copy)
    partition: int | None = None
    headers: list[RecordHeader] | None = None
    timestamp: int | str | None = None


class ProduceRequest(msgspec.Struct, forbid_unknown_fields=True):
    records: list[ProduceRecord] = []
    key_schema: str | None = None
    key_schema_id: int | None = None
    value_schema: str | None = None
    value_schema_id: int | None = None


class PartitionOffset(msgspec.Struct):
    """`error_code` is 50002 for an error of Kafka, 50003 for one that may be gone when the record is sent again."""

    partition: int | None
    offset: int | None
    error_code: int | None
    error: str | None


class ProduceAnswer(msgspec.Struct):
    offsets: list[PartitionOffset]
    key_schema_id: int | None
    value_schema_id: int | None


class _PlainRecord(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """What most records are."""

    key: msgspec.Raw = _NULL
    value: msgspec.Raw = _NULL


class _PlainRequest(msgspec.Struct, forbid_unknown_fields=True):
    records: list[_PlainRecord]


_NOTHING = ProduceRequest()
_decode_request = msgspec.json.Decoder(ProduceRequest).decode
_decode_plain_request = msgspec.json.Decoder(_PlainRequest).decode


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def to_topic(call: Call) -> Response:
        return await _produce(proxy, call, ANY_PARTITION)

    async def to_partition(call: Call) -> Response:
        partition = call.number("partition")
        if partition < 0:
            raise ApiError(404, 40402, "Partition not found.")
        return await _produce(proxy, call, partition)

    common: dict[str, Any] = {
        "body": ProduceRequest,
        "answers": {200: ProduceAnswer},
        "request_types": tuple(_FORMATS),
        "answer_types": (_V2, _JSON),
        "errors": _ERRORS,
    }
    return [
        Endpoint("POST", "/topics/{topic}", to_topic, "Write records to a topic.", **common),
        Endpoint(
            "POST",
            "/topics/{topic}/partitions/{partition}",
            to_partition,
            "Write records to a partition.",
            segments={"partition": int},
            **common,
        ),
    ]


async def _produce(proxy: Proxy, call: Call, partition: int) -> Response:
    topic = call.segment("topic")
    body = await call.body()
    format = _FORMATS[call.request_type or _JSON]
    plain = _plain_records(body) if format is Format.JSON else None
    request = _read(body) if plain is None else _NOTHING
    producer = proxy.producer
    producer.check_room(len(request.records if plain is None else plain), len(body))
    count = await proxy.topics.partition_count(topic, at_least=partition + 1)
    if count is None:
        raise ApiError(404, 40401, "Topic not found.")
    if partition >= count:
        raise ApiError(404, 40402, "Partition not found.")
    key_schema = value_schema = None
    if plain is not None:
        sending = await producer.send_values(topic, *_columns(plain), partition, len(body))
    else:
        key_schema = await _schema(proxy, topic, format, request.key_schema, request.key_schema_id, is_key=True)
        value_schema = await _schema(proxy, topic, format, request.value_schema, request.value_schema_id, is_key=False)
        encode_key, encode_value = _encoders(format, key_schema, value_schema)
        records = await _records(request.records, partition, encode_key, encode_value)
        # Others may have come while the registry was asked.
        producer.check_room(len(records), len(body))
        sending = await producer.send_many(topic, records, len(body))
    outcomes = await sending.wait()
    if sending.failures and is_unknown_topic(outcomes):
        proxy.topics.forget(topic)
    answer = raw_json(_answer(outcomes, sending.failures, key_schema, value_schema))
    producer.recycle(sending)
    return answer


def _plain_records(body: bytes) -> list[_PlainRecord] | None:
    """None where a record has more than key and value, where there is white space, or where something is wrong."""
    if has_space(body) or not body.isascii():
        return None
    try:
        return _decode_plain_request(body).records or None
    except (msgspec.MsgspecError, RecursionError):
        return None


def _columns(records: Sequence[_PlainRecord]) -> tuple[Sequence[bytes | None], Sequence[bytes | None]]:
    """Values and keys of records whose JSON has no white space."""
    values: list[bytes | None] = [bytes(record.value) for record in records]
    if b"null" in values:
        values = [None if value == b"null" else value for value in values]
    keys: list[bytes | None] = [None if record.key is _NULL else encode_compact_json(record.key) for record in records]
    return values, keys


def _read(body: bytes) -> ProduceRequest:
    if not body.strip():
        raise ApiError(422, 42206, "Payload error. Null input provided. Data is required.")
    try:
        check_text(body)
        request = _decode_request(body)
    except msgspec.ValidationError as error:
        raise ApiError(400, 400, f"The request does not fit: {error}") from None
    except (JsonError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ApiError(400, 400, f"The request body is not valid JSON: {error}") from None
    if not request.records:
        raise ApiError(422, 422, "records must not be empty")
    return request


async def _records(
    records: Sequence[ProduceRecord], partition: int, encode_key: Encode, encode_value: Encode
) -> list[Record]:
    ready = []
    for number, record in enumerate(records, 1):
        if number % _SLICE_RECORDS == 0:
            # The loop serves others: to fit data to a schema takes its time.
            await asyncio.sleep(0)
        key = record.key
        made = Record(encode_value(record.value), None if key is _NULL else encode_key(key), partition)
        if record.partition is not None:
            made.partition = _partition(record.partition, partition)
        if record.headers is not None:
            made.headers = headers_of(record.headers)
        if record.timestamp is not None:
            made.timestamp_ms = timestamp_ms_of(record.timestamp) if record.timestamp != NOW else NOW
        ready.append(made)
    return ready


def _partition(named: int, of_path: int) -> int:
    if of_path != ANY_PARTITION:
        raise ApiError(422, 422, "partition must not stand in a record that is sent to a partition")
    if not 0 <= named <= 0x7FFFFFFF:
        raise ApiError(422, 422, "partition must be greater than or equal to 0")
    return named


async def _schema(
    proxy: Proxy, topic: str, format: Format, text: str | None, schema_id: int | None, *, is_key: bool
) -> RegisteredSchema | None:
    if format.schema_type is None:
        return None
    if schema_id is not None:
        return await proxy.encoders.schema(topic, is_key, SchemaChoice(schema_id=schema_id))
    if text is not None:
        return await proxy.encoders.schema(topic, is_key, SchemaChoice(format=format, text=text))
    return None


def _encoders(
    format: Format, key_schema: RegisteredSchema | None, value_schema: RegisteredSchema | None
) -> tuple[Encode, Encode]:
    if format.schema_type is None:
        return PLAIN[format], PLAIN[format]
    return _encoder(key_schema, _NO_KEY_SCHEMA), _encoder(value_schema, _NO_VALUE_SCHEMA)


def _encoder(schema: RegisteredSchema | None, missing: tuple[int, str]) -> Encode:
    def with_schema(data: msgspec.Raw) -> bytes | None:
        assert schema is not None
        return encode(schema, data)

    def without(data: msgspec.Raw) -> bytes | None:
        if bytes(data) == b"null":
            return None
        code, what = missing
        wanted = "uses a format that requires schemas which were not included in the request"
        raise ApiError(422, code, f"Request includes {what} but {wanted}")

    return without if schema is None else with_schema


def _answer(
    outcomes: Sequence[Message | KafkaError],
    failures: int,
    key_schema: RegisteredSchema | None,
    value_schema: RegisteredSchema | None,
) -> bytes:
    """Written by hand: it is as long as the request, and nearly always all of one form."""
    if failures:
        offsets = ",".join([_failure(each) if isinstance(each, KafkaError) else _success(each) for each in outcomes])
    else:
        offsets = _successes(outcomes)  # type: ignore[arg-type]
    key_id = "null" if key_schema is None else key_schema.id
    value_id = "null" if value_schema is None else value_schema.id
    return f'{{"offsets":[{offsets}],"key_schema_id":{key_id},"value_schema_id":{value_id}}}'.encode()


def _successes(messages: Sequence[Message]) -> str:
    # As the reports say: what is known of the topic may be older than its newest partition.
    partitions = {message.partition() for message in messages}
    if len(partitions) > 1:
        return ",".join([_success(message) for message in messages])
    begin, end = f'{{"partition":{partitions.pop()},"offset":', ',"error_code":null,"error":null}'
    return begin + f"{end},{begin}".join([str(message.offset()) for message in messages]) + end


def _success(message: Message) -> str:
    return f'{{"partition":{message.partition()},"offset":{message.offset()},"error_code":null,"error":null}}'


def _failure(error: KafkaError) -> str:
    code, message = record_error(error)
    return msgspec.json.encode(PartitionOffset(None, None, code, message)).decode()


_ERRORS = {
    400: "The body is not JSON, or not of this form.",
    40002: "The topic's name is not one.",
    40301: "Not allowed.",
    40401: "There is no such topic.",
    40402: "There is no such partition.",
    40801: "The schema registry does not answer.",
    413: "The request is too large.",
    422: "There are no records, or a partition stands where none may.",
    42201: "There are keys, and no schema for them.",
    42202: "There are values, and no schema for them.",
    42203: "Data does not fit its schema.",
    42205: "The schema is not valid.",
    42206: "There is no body, or base64 is not base64.",
    42207: "The schema registry refused.",
    429: "Too much is on its way to Kafka; try again later.",
    50302: "Kafka cannot be reached.",
}
