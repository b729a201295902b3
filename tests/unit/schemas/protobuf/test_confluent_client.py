"""confluent-kafka's own serializers against ours: the same bytes, and each reads what the other wrote."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.api import quota_pb2
from google.protobuf import descriptor_pb2, duration_pb2, json_format, timestamp_pb2, type_pb2
from google.rpc import error_details_pb2
from google.type import color_pb2, phone_number_pb2, postal_address_pb2

from riacho.schemas.parsed import Reference, SchemaSource
from riacho.schemas.protobuf.schema import ProtobufSchema, parse

CONTEXT = SerializationContext("topic", MessageField.VALUE)
HEADER = 5  # magic byte and schema id

TEXT = """
    syntax = "proto3"; package own; import "google/protobuf/timestamp.proto";
    message Outer {
      map<string, Inner> inners = 1; google.protobuf.Timestamp t = 2; optional sint64 z = 3; repeated double d = 4;
      message Other {} message Inner { bytes b = 1; Kind kind = 2; message Most { fixed32 f = 1; } }
      enum Kind { NONE = 0; SOME = 1; }
    }
    message Second { Outer outer = 200; }
"""
POOL = parse(SchemaSource(TEXT)).pool
OUTER = {"inners": {"k": {"b": b"\xff", "kind": 1}}, "z": -5, "d": [0.5, 1.5], "t": {"seconds": 1}}
OWN = {
    "built at run time": POOL.message_class("own.Outer")(**OUTER),
    "built at run time, second": POOL.message_class("own.Second")(outer=OUTER),
    "built at run time, nested": POOL.message_class("own.Outer.Inner")(b=b"x"),
    "built at run time, nested twice": POOL.message_class("own.Outer.Inner.Most")(f=7),
}
MESSAGES = {
    "timestamp": timestamp_pb2.Timestamp(seconds=1_700_000_000, nanos=5),
    "with enums and messages": type_pb2.Type(
        name="T", fields=[type_pb2.Field(name="f", kind=type_pb2.Field.TYPE_INT64, number=3)], oneofs=["o"]
    ),
    "second of its file": type_pb2.Field(name="f", json_name="g", packed=True),
    "nested": phone_number_pb2.PhoneNumber.ShortCode(region_code="DE", number="110"),
    "with a oneof": phone_number_pb2.PhoneNumber(e164_number="+49", extension="1"),
    "with an import": color_pb2.Color(red=0.5, alpha={"value": 0.25}),
    "repeated strings": postal_address_pb2.PostalAddress(revision=1, address_lines=["a", "b"]),
    "with a map": error_details_pb2.ErrorInfo(reason="R", metadata={"k": "v"}),
    "after a map": quota_pb2.QuotaLimit(name="n", values={"STANDARD": 5}),
    "nested twice": descriptor_pb2.DescriptorProto.ReservedRange(start=1, end=2),
    "of proto2": descriptor_pb2.FileDescriptorProto(name="x", dependency=["y"], public_dependency=[0]),
    "empty": duration_pb2.Duration(),
    **OWN,
}
# Its deserializer brings google.protobuf and most of google.type itself, and takes no schema that is one of them.
NOT_BUILT_IN = ["nested", "with a oneof", "with a map", "after a map", *OWN]


def registry() -> Any:
    return SchemaRegistryClient.new_client({"url": "mock://unit"})


def registered(client: Any) -> ProtobufSchema:
    """What the client registered, with all that it refers to."""

    def resolve(references: Any, into: dict[str, str]) -> dict[str, str]:
        for reference in references:
            schema = client.get_version(reference.subject, reference.version).schema
            resolve(schema.references, into)
            into[reference.name] = schema.schema_str
        return into

    schema = client.get_latest_version("topic-value").schema
    references = [Reference(each.name, each.subject, each.version) for each in schema.references]
    return parse(SchemaSource(schema.schema_str, references, resolve(schema.references, {})))


@pytest.mark.parametrize("name", MESSAGES)
def test_our_payload_is_theirs(name: str) -> None:
    message, client = MESSAGES[name], registry()
    payload = ProtobufSerializer(type(message), client)(message, CONTEXT)
    assert payload is not None
    schema = registered(client)
    value = json_format.MessageToDict(message, preserving_proto_field_name=True)
    assert schema.codec(message.DESCRIPTOR.full_name).encode(value) == payload[HEADER:]


@pytest.mark.parametrize("name", MESSAGES)
def test_we_read_their_payload(name: str) -> None:
    message, client = MESSAGES[name], registry()
    payload = ProtobufSerializer(type(message), client)(message, CONTEXT)
    assert payload is not None
    value = registered(client).codec().decode(payload[HEADER:])
    expected = json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    assert value == expected


@pytest.mark.parametrize("name", NOT_BUILT_IN)
def test_they_read_our_payload_with_our_descriptor(name: str) -> None:
    message, client = MESSAGES[name], registry()
    assert ProtobufSerializer(type(message), client)(message, CONTEXT) is not None
    schema = registered(client)
    # What the registry answers to format=serialized, under an id of its own.
    serialized = Schema(
        schema.formatted("serialized"), "PROTOBUF", client.get_latest_version("topic-value").schema.references
    )
    schema_id = client.register_schema("serialized-value", serialized)
    value = json_format.MessageToDict(message, preserving_proto_field_name=True)
    payload = b"\x00" + schema_id.to_bytes(4, "big") + schema.codec(message.DESCRIPTOR.full_name).encode(value)
    assert ProtobufDeserializer(type(message), {}, client)(payload, CONTEXT) == message


@pytest.mark.parametrize("name", MESSAGES)
def test_their_schema_is_stored_as_text_that_means_the_same(name: str) -> None:
    message, client = MESSAGES[name], registry()
    assert ProtobufSerializer(type(message), client)(message, CONTEXT) is not None
    schema = registered(client)
    again = parse(SchemaSource(schema.text, schema.references, schema.resolved))
    assert again.text == schema.text
    assert again.formatted("serialized") == schema.formatted("serialized")
    assert (
        schema.name == f"{message.DESCRIPTOR.file.package}.{next(iter(message.DESCRIPTOR.file.message_types_by_name))}"
    )
