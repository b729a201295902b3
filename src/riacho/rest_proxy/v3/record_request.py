"""One record of a v3 produce call: what is asked, what goes to Kafka, and the receipt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from confluent_kafka import KafkaError, Message

from riacho.rest_proxy.embedded.encoders import Encoders, SchemaChoice, SubjectNameStrategy, encode
from riacho.rest_proxy.embedded.format import Format
from riacho.rest_proxy.embedded.plain import PLAIN
from riacho.rest_proxy.embedded.record_fields import RecordHeader, headers_of, time_text, timestamp_ms_of
from riacho.rest_proxy.kafka_errors import api_error
from riacho.rest_proxy.producing.record import ANY_PARTITION, NOW, Record
from riacho.schemas.registry_conversations import RegisteredSchema
from riacho.web.errors import ApiError

_NULL = msgspec.Raw(b"null")
_FORMATS = {format.name: format for format in Format}
_PARTITION_MAX = 0x7FFFFFFF
_OF_SCHEMA_TYPE = {format.schema_type: format for format in Format if format.schema_type is not None}


class RecordData(msgspec.Struct):
    """`type` is BINARY, JSON, STRING, AVRO, JSONSCHEMA or PROTOBUF; left out, the schema says it."""

    type: str | None = None
    subject: str | None = None
    subject_name_strategy: SubjectNameStrategy | None = None
    schema_id: int | None = None
    schema_version: int | None = None
    schema: str | None = None
    # Made by a factory: a default of this type has no form in the API's description.
    data: msgspec.Raw = msgspec.field(default_factory=_NULL.copy)


class RecordRequest(msgspec.Struct):
    partition_id: int | None = None
    headers: list[RecordHeader] | None = None
    key: RecordData | None = None
    value: RecordData | None = None
    timestamp: str | int | None = None


class DataReceipt(msgspec.Struct, omit_defaults=True):
    type: str
    size: int = -1
    subject: str | None = None
    schema_id: int | None = None
    schema_version: int | None = None


class Receipt(msgspec.Struct, omit_defaults=True):
    """`error_code` is 200 when the record is written; else there is nothing but it and `message`."""

    error_code: int
    message: str | None = None
    id: str | None = None
    cluster_id: str | None = None
    topic_name: str | None = None
    partition_id: int | None = None
    offset: int | None = None
    timestamp: str | None = None
    key: DataReceipt | None = None
    value: DataReceipt | None = None


@dataclass(slots=True)
class Prepared:
    """A record that is ready for the producer, and what its receipt will say of key and value."""

    record: Record
    key: DataReceipt | None
    value: DataReceipt | None


async def prepare(encoders: Encoders, topic: str, request: RecordRequest) -> Prepared:
    """ApiError when the record cannot be written as asked."""
    partition = ANY_PARTITION if request.partition_id is None else request.partition_id
    if request.partition_id is not None and not 0 <= partition <= _PARTITION_MAX:
        raise api_error(KafkaError(KafkaError._UNKNOWN_PARTITION))
    key, key_receipt = await _encoded(encoders, topic, request.key, is_key=True)
    value, value_receipt = await _encoded(encoders, topic, request.value, is_key=False)
    record = Record(
        value,
        key,
        partition,
        NOW if request.timestamp is None else timestamp_ms_of(request.timestamp),
        headers_of(request.headers or ()),
    )
    return Prepared(record, key_receipt, value_receipt)


async def _encoded(
    encoders: Encoders, topic: str, data: RecordData | None, *, is_key: bool
) -> tuple[bytes | None, DataReceipt | None]:
    if data is None:
        return None, None
    format = _format(data.type)
    if format is not None and format.schema_type is None:
        _refuse_schema(format, data)
        payload = PLAIN[format](data.data)
        return payload, DataReceipt(format.name, len(payload or b""))
    choice = SchemaChoice(
        format,
        data.subject,
        data.subject_name_strategy or SubjectNameStrategy.TOPIC_NAME,
        data.schema_id,
        data.schema_version,
        data.schema,
    )
    schema = await encoders.schema(topic, is_key, choice)
    payload = encode(schema, data.data)
    return payload, _schema_receipt(schema, len(payload or b""))


def _format(name: str | None) -> Format | None:
    if name is None:
        return None
    format = _FORMATS.get(name.upper())
    if format is None:
        raise ApiError(400, 400, f"There is no type {name[:40]!r}; there are {', '.join(_FORMATS)}.")
    return format


def _refuse_schema(format: Format, data: RecordData) -> None:
    if (data.schema_id, data.schema_version, data.schema, data.subject) != (None, None, None, None):
        raise ApiError(400, 400, f"{format.name} does not support schemas.")


def _schema_receipt(schema: RegisteredSchema, size: int) -> DataReceipt:
    name = _OF_SCHEMA_TYPE[schema.parsed.schema_type].name
    return DataReceipt(name, size, schema.subject, schema.id, schema.version)


def receipt(cluster_id: str, topic: str, prepared: Prepared, outcome: Message | KafkaError) -> Receipt:
    if isinstance(outcome, KafkaError):
        return refusal(api_error(outcome))
    _, timestamp_ms = outcome.timestamp()
    return Receipt(
        200,
        cluster_id=cluster_id,
        topic_name=topic,
        partition_id=outcome.partition(),
        offset=outcome.offset(),
        timestamp=time_text(timestamp_ms),
        key=prepared.key,
        value=prepared.value,
    )


def refusal(error: ApiError) -> Receipt:
    return Receipt(error.error_code, error.message)


def read_request(text: bytes, kind: Any = RecordRequest) -> Any:
    """ApiError 400 when it is not of this form; DecodeError, which ends a stream, when it is no JSON."""
    try:
        text.decode()
        return msgspec.json.decode(text, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise ApiError(400, 400, f"The record does not fit: {error}") from None
    except RecursionError:
        raise ApiError(400, 400, "The record is nested too deeply.") from None
    except UnicodeDecodeError:
        raise msgspec.DecodeError("it is not UTF-8") from None
