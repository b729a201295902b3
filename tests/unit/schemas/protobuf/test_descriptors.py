"""Descriptors: the same as protoc's, and the same schema again when they are registered in its place."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, text_format, timestamp_pb2, type_pb2

from riacho.schemas.parsed import SchemaError, SchemaSource
from riacho.schemas.protobuf.builtin_texts import BUILTIN_TEXTS
from riacho.schemas.protobuf.schema import parse
from unit.schemas.protobuf.compiled import comparable, compiled, sources

P3 = 'syntax = "proto3"; '
SOURCES = sources()


def descriptor_of(text: str, resolved: dict[str, str] | None = None) -> Any:
    serialized = parse(SchemaSource(text, (), resolved)).formatted("serialized")
    return descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(serialized, validate=True))


def encoded(descriptor: Any) -> str:
    return base64.b64encode(descriptor.SerializeToString()).decode()


@pytest.mark.parametrize("path", SOURCES)
def test_protoc_makes_the_same_of_the_text(path: str) -> None:
    assert comparable(descriptor_of(SOURCES[path], SOURCES)) == comparable(compiled(path))


@pytest.mark.parametrize("path", SOURCES)
def test_a_compiled_file_is_the_same_schema_as_its_text(path: str) -> None:
    written = parse(SchemaSource(SOURCES[path], (), SOURCES))
    registered = parse(SchemaSource(encoded(compiled(path)), (), SOURCES))
    assert registered.differences(written) == written.differences(registered) == []
    assert registered.normalized().text == written.normalized().text
    assert parse(SchemaSource(registered.text, (), SOURCES)).text == registered.text


@pytest.mark.parametrize("path", [path for path in BUILTIN_TEXTS if path.startswith("google/type/")])
def test_the_built_in_files_are_those_of_google(path: str) -> None:
    ours, theirs = comparable(descriptor_of(BUILTIN_TEXTS[path])), comparable(compiled(path))
    for each in (ours, theirs):
        each.ClearField("options")
    assert ours == theirs


def test_the_built_in_files_of_confluent() -> None:
    from confluent_kafka.schema_registry.confluent import meta_pb2

    theirs = descriptor_pb2.FileDescriptorProto.FromString(meta_pb2.DESCRIPTOR.serialized_pb)
    ours = descriptor_of(BUILTIN_TEXTS["confluent/meta.proto"])
    theirs.ClearField("options")
    assert comparable(ours) == comparable(theirs)


def test_a_descriptor_in_full() -> None:
    text = """
        package p;
        message M {
          required int32 r = 1 [default = -0x5];
          optional string s = 2 [default = "h\\"\\351\\202\\270"];
          optional bytes b = 3 [default = "\\377\\000x'\\"\\\\\\n"];
          optional float f = 4 [default = 123456789];
          optional double d = 5 [default = -inf];
          optional E e = 6 [default = B];
          optional group Grp = 7 { optional int32 x = 1; }
          map<int64, M> my_map = 8;
          extensions 100 to 199, 1000 to max;
          reserved 50, 60 to 61; reserved "q";
          enum E { A = 1; B = -2; reserved 7, 9 to max; }
        }
    """
    expected = text_format.Parse(
        r"""
        name: "default" package: "p"
        message_type {
          name: "M"
          field { name: "r" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 default_value: "-5" }
          field { name: "s" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING default_value: "h\"\351\202\270" }
          field { name: "b" number: 3 label: LABEL_OPTIONAL type: TYPE_BYTES
                  default_value: "\\377\\000x\\'\\\"\\\\\\n" }
          field { name: "f" number: 4 label: LABEL_OPTIONAL type: TYPE_FLOAT default_value: "123456792" }
          field { name: "d" number: 5 label: LABEL_OPTIONAL type: TYPE_DOUBLE default_value: "-inf" }
          field { name: "e" number: 6 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".p.M.E" default_value: "B" }
          field { name: "my_map" number: 8 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M.MyMapEntry" }
          field { name: "grp" number: 7 label: LABEL_OPTIONAL type: TYPE_GROUP type_name: ".p.M.Grp" }
          nested_type {
            name: "MyMapEntry"
            field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT64 }
            field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" }
            options { map_entry: true }
          }
          nested_type {
            name: "Grp"
            field { name: "x" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
          }
          enum_type {
            name: "E"
            value { name: "A" number: 1 } value { name: "B" number: -2 }
            reserved_range { start: 7 end: 7 } reserved_range { start: 9 end: 2147483647 }
          }
          extension_range { start: 100 end: 200 } extension_range { start: 1000 end: 536870912 }
          reserved_range { start: 50 end: 51 } reserved_range { start: 60 end: 62 }
          reserved_name: "q"
        }
        """,
        descriptor_pb2.FileDescriptorProto(),
    )
    assert descriptor_of(text) == expected


def test_optional_fields_of_proto3_have_oneofs_of_their_own_after_the_others() -> None:
    message = descriptor_of(
        P3 + "message M { optional int32 a = 1; oneof o { int32 b = 2; } int32 _c = 3; optional int32 c = 4; }"
    )
    oneofs = [oneof.name for oneof in message.message_type[0].oneof_decl]
    assert oneofs == ["o", "_a", "X_c"]
    assert {f.name: oneofs[f.oneof_index] for f in message.message_type[0].field if f.proto3_optional} == {
        "a": "_a",
        "c": "X_c",
    }


def test_options_that_are_extensions_are_in_the_descriptor() -> None:
    text = P3 + (
        'import "confluent/meta.proto"; message M { option (confluent.message_meta).doc = "d";'
        'string a = 1 [(confluent.field_meta) = { tags: ["PII", "x"] params: [{ key: "k" value: "v" }] }]; }'
    )
    from confluent_kafka.schema_registry.confluent import meta_pb2

    message = descriptor_of(text).message_type[0]
    meta = message.field[0].options.Extensions[meta_pb2.field_meta]
    assert (list(meta.tags), dict(meta.params)) == (["PII", "x"], {"k": "v"})
    assert message.options.Extensions[meta_pb2.message_meta].doc == "d"


def test_options_that_are_extensions_come_back_from_a_descriptor() -> None:
    text = P3 + (
        'import "confluent/meta.proto"; message M { string a = 1 '
        '[deprecated = true, (confluent.field_meta) = { tags: "PII" params: [{ key: "k", value: "v" }] }]; }'
    )
    written = parse(SchemaSource(text))
    assert parse(SchemaSource(written.formatted("serialized"))).normalized().text == written.normalized().text


def test_options_that_nothing_declares_stay_in_the_text_only() -> None:
    schema = parse(
        SchemaSource(P3 + "message M { int32 a = 1 [(nobody.knows) = 5, new_in_2099 = true, deprecated = true]; }")
    )
    assert "(nobody.knows) = 5" in schema.text
    assert descriptor_of(schema.text).message_type[0].field[0].options == descriptor_pb2.FieldOptions(deprecated=True)


def test_an_option_of_the_wrong_type() -> None:
    with pytest.raises(SchemaError, match="An option cannot be read"):
        descriptor_of(P3 + "message M { int32 a = 1 [deprecated = 5]; }")


def test_the_text_of_a_registered_descriptor() -> None:
    schema = parse(SchemaSource(encoded(compiled("google/type/money.proto"))))
    assert schema.text.startswith(
        'syntax = "proto3";\npackage google.type;\n\noption java_package = "com.google.type";\n'
    )
    assert schema.text.endswith(
        "\nmessage Money {\n  string currency_code = 1;\n  int64 units = 2;\n  int32 nanos = 3;\n}\n"
    )
    assert schema.name == "google.type.Money"


def test_a_map_in_a_registered_descriptor_stays_spelt_out() -> None:
    text = P3 + "message M { map<string, int32> m = 1; }"
    schema = parse(SchemaSource(parse(SchemaSource(text)).formatted("serialized")))
    assert schema.text == (
        'syntax = "proto3";\n\nmessage M {\n  repeated .M.MEntry m = 1;\n\n  message MEntry {\n'
        "    option map_entry = true;\n  \n    string key = 1;\n    int32 value = 2;\n  }\n}\n"
    )
    assert schema.codec().encode({"m": {"a": 1}}) == parse(SchemaSource(text)).codec().encode({"m": {"a": 1}})


@pytest.mark.parametrize("module", [timestamp_pb2, type_pb2, descriptor_pb2])
def test_the_runtimes_own_files(module: Any) -> None:
    schema = parse(SchemaSource(base64.b64encode(module.DESCRIPTOR.serialized_pb).decode()))
    again = descriptor_of(schema.text)
    theirs = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
    assert comparable(again) == comparable(theirs)


@pytest.mark.parametrize("form", ["", " ", "nothing known", "SERIALIZED", "serialized", "ignore_extensions"])
def test_forms(form: str) -> None:
    schema = parse(SchemaSource(P3 + "message M { int32 a = 1; }"))
    if form.lower() == "serialized":
        assert base64.b64decode(schema.formatted(form)) == descriptor_of(schema.text).SerializeToString()
    else:
        assert schema.formatted(form) == schema.text


def test_without_extensions() -> None:
    text = (
        'import "google/protobuf/descriptor.proto"; message M { option (my) = 1; extensions 5 to 9; '
        "optional int32 a = 1 [(my) = 1, deprecated = true, (confluent.field_meta).doc = 'x']; "
        "extend M { optional int32 e = 5; } "
        "oneof o { option (my) = 1; int32 b = 2 [(my) = 1]; } enum E { option (my) = 1; Z = 0 [(my) = 1]; } } "
        "extend google.protobuf.FieldOptions { optional int32 my = 50000; } "
        "service S { option (my) = 1; rpc R (M) returns (M) { option (my) = 1; } }"
    )
    shown = parse(SchemaSource(text)).formatted("ignore_extensions")
    assert "(my)" not in shown
    assert "exten" not in shown
    assert '[\n    deprecated = true,\n    (confluent.field_meta).doc = "x"\n  ];' in shown
    assert parse(SchemaSource(shown)).text == shown


@pytest.mark.parametrize(
    "text",
    ["abcd", "AAAA", "CgVhLnB5", base64.b64encode(b"\x0a\x05a.pro").decode(), base64.b64encode(bytes(100)).decode()],
)
def test_base64_that_is_no_descriptor(text: str) -> None:
    with pytest.raises(SchemaError, match="Syntax error"):
        parse(SchemaSource(text))


@pytest.mark.parametrize("name", ["a b", "}", "1a", "", "ä", 'x"; message Y {'])
def test_a_descriptor_cannot_smuggle_text_in(name: str) -> None:
    descriptor = descriptor_pb2.FileDescriptorProto(name="x", syntax="proto3")
    descriptor.message_type.add(name=name)
    with pytest.raises(SchemaError):
        parse(SchemaSource(encoded(descriptor)))


def test_a_descriptor_without_padding() -> None:
    text = encoded(compiled("google/type/date.proto"))
    assert parse(SchemaSource(text.rstrip("="))).text == parse(SchemaSource(text)).text
