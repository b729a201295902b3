"""Changes to a schema, each with what keeps the new one from reading the old one's data, and the other way round.

`old` and `new` are bodies of proto3's `message M` unless they start with `syntax`, `|` parts what comes after the
message. Reasons are kinds with the path below `#/`.
"""

from __future__ import annotations

from typing import NamedTuple


class Evolution(NamedTuple):
    name: str
    old: str
    new: str
    backward: tuple[str, ...] = ()  # why new cannot read old
    forward: tuple[str, ...] = ()  # why old cannot read new


P2 = 'syntax = "proto2"; '
P3 = 'syntax = "proto3"; '


def text(body: str) -> str:
    if body.startswith("syntax"):
        return body
    inside, _, after = body.partition("|")
    return f'syntax = "proto3"; package p; message M {{ {inside} }} {after}'


FIELDS = [
    Evolution("field added", "int32 a = 1;", "int32 a = 1; string b = 2;"),
    Evolution("field renamed", "int32 a = 1;", "int32 z = 1;"),
    Evolution("field renumbered", "int32 a = 1;", "int32 a = 2;"),
    Evolution("field's place changed", "int32 a = 1; string b = 2;", "string b = 2; int32 a = 1;"),
    Evolution("all fields removed", "int32 a = 1; string b = 2;", ""),
    Evolution(
        "number given to another type", "int32 a = 1;", "string b = 1;", *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2
    ),
    Evolution(
        "scalar to message",
        "int32 a = 1;",
        "N a = 1; | message N {}",
        ("FIELD_KIND_CHANGED M/1",),
        ("MESSAGE_REMOVED N", "FIELD_KIND_CHANGED M/1"),
    ),
    Evolution(
        "string to message",
        "string a = 1;",
        "N a = 1; | message N {}",
        ("FIELD_KIND_CHANGED M/1",),
        ("MESSAGE_REMOVED N", "FIELD_KIND_CHANGED M/1"),
    ),
    Evolution(
        "message to another",
        "N a = 1; | message N {} message O {}",
        "O a = 1; | message N {} message O {}",
        *[("FIELD_NAMED_TYPE_CHANGED M/1",)] * 2,
    ),
    Evolution("message to itself under its full name", "N a = 1; | message N {}", "p.N a = 1; | message N {}"),
    Evolution("message to itself under its absolute name", "N a = 1; | message N {}", ".p.N a = 1; | message N {}"),
    Evolution(
        "message to a nested one of that name",
        "N a = 1; | message N {}",
        "N a = 1; message N {} | message N {}",
        ("FIELD_NAMED_TYPE_CHANGED M/1",),
        ("FIELD_NAMED_TYPE_CHANGED M/1", "MESSAGE_REMOVED M/N"),
    ),
    Evolution("scalar to map", "int32 a = 1;", "map<string, int32> a = 1;", *[("FIELD_KIND_CHANGED M/1",)] * 2),
    Evolution(
        "message to map",
        "N a = 1; | message N {}",
        "map<string, N> a = 1; | message N {}",
        *[("FIELD_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution("option added", "int32 a = 1;", "int32 a = 1 [deprecated = true];"),
    Evolution("json_name changed", 'int32 a = 1 [json_name = "x"];', 'int32 a = 1 [json_name = "y"];'),
    Evolution("number reserved", "int32 a = 1;", "reserved 2, 5 to 9; int32 a = 1;"),
    Evolution("field reserved when removed", "int32 a = 1; int32 b = 2;", 'reserved 2; reserved "b"; int32 a = 1;'),
    Evolution("type changed in a nested message", "message N { int32 a = 1; }", "message N { bool a = 1; }"),
    Evolution(
        "type changed badly in a nested message",
        "message N { int32 a = 1; }",
        "message N { float a = 1; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/N/1",)] * 2,
    ),
    Evolution(
        "type changed badly far within",
        "message N { message O { int32 a = 1; } }",
        "message N { message O { sint32 a = 1; } }",
        *[("FIELD_SCALAR_KIND_CHANGED M/N/O/1",)] * 2,
    ),
    Evolution(
        "two fields changed badly",
        "int32 a = 1; int32 b = 2;",
        "string a = 1; double b = 2;",
        *[("FIELD_SCALAR_KIND_CHANGED M/1", "FIELD_SCALAR_KIND_CHANGED M/2")] * 2,
    ),
]

LABELS = [
    Evolution("proto3 field to optional", "int32 a = 1;", "optional int32 a = 1;"),
    Evolution("proto3 field to repeated", "int32 a = 1;", "repeated int32 a = 1;"),
    Evolution(
        "optional number to repeated",
        "optional int32 a = 1;",
        "repeated int32 a = 1;",
        *[("FIELD_NUMERIC_LABEL_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "optional bool to repeated",
        "optional bool a = 1;",
        "repeated bool a = 1;",
        *[("FIELD_NUMERIC_LABEL_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "optional double to repeated",
        "optional double a = 1;",
        "repeated double a = 1;",
        *[("FIELD_NUMERIC_LABEL_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "optional enum to repeated",
        "optional E a = 1; enum E { Z = 0; }",
        "repeated E a = 1; enum E { Z = 0; }",
        *[("FIELD_NUMERIC_LABEL_CHANGED M/1",)] * 2,
    ),
    Evolution("optional string to repeated", "optional string a = 1;", "repeated string a = 1;"),
    Evolution("optional bytes to repeated", "optional bytes a = 1;", "repeated bytes a = 1;"),
    Evolution("optional string to repeated bytes", "optional string a = 1;", "repeated bytes a = 1;"),
    Evolution("optional message to repeated", "optional N a = 1; message N {}", "repeated N a = 1; message N {}"),
    Evolution(
        "number and label", "optional int32 a = 1;", "repeated string a = 1;", *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2
    ),
    Evolution(
        "required added",
        P2 + "message M {}",
        P2 + "message M { required int32 a = 1; }",
        ("REQUIRED_FIELD_ADDED M/1",),
        ("REQUIRED_FIELD_REMOVED M/1",),
    ),
    Evolution("optional added in proto2", P2 + "message M {}", P2 + "message M { optional int32 a = 1; }"),
    Evolution(
        "required number to optional",
        P2 + "message M { required int32 a = 1; }",
        P2 + "message M { optional int32 a = 1; }",
        *[("FIELD_NUMERIC_LABEL_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "required string to optional",
        P2 + "message M { required string a = 1; }",
        P2 + "message M { optional string a = 1; }",
    ),
    Evolution(
        "required message to optional", P2 + "message M { required M a = 1; }", P2 + "message M { optional M a = 1; }"
    ),
    Evolution(
        "required moved to another number",
        P2 + "message M { required int32 a = 1; }",
        P2 + "message M { required int32 a = 2; }",
        *[
            ("REQUIRED_FIELD_REMOVED M/1", "REQUIRED_FIELD_ADDED M/2"),
            ("REQUIRED_FIELD_ADDED M/1", "REQUIRED_FIELD_REMOVED M/2"),
        ],
    ),
    Evolution(
        "default added",
        P2 + "message M { optional int32 a = 1; }",
        P2 + "message M { optional int32 a = 1 [default = 5]; }",
    ),
    Evolution("proto2 to proto3", P2 + "message M { optional int32 a = 1; }", P3 + "message M { int32 a = 1; }"),
    Evolution(
        "required within a nested message",
        P2 + "message M { message N {} }",
        P2 + "message M { message N { required int32 a = 1; } }",
        ("REQUIRED_FIELD_ADDED M/N/1",),
        ("REQUIRED_FIELD_REMOVED M/N/1",),
    ),
]

ONEOFS = [
    Evolution("oneof added", "", "oneof o { int32 a = 1; }", (), ()),
    Evolution("one field into a new oneof", "int32 a = 1;", "oneof o { int32 a = 1; }"),
    Evolution(
        "one field into a new oneof with others",
        "int32 a = 1;",
        "oneof o { int32 a = 1; int32 b = 2; }",
        (),
        ("ONEOF_FIELD_REMOVED M/o/2",),
    ),
    Evolution(
        "two fields into a new oneof",
        "int32 a = 1; int32 b = 2;",
        "oneof o { int32 a = 1; int32 b = 2; }",
        ("MULTIPLE_FIELDS_MOVED_TO_ONEOF M/o",),
    ),
    Evolution(
        "one field into an old oneof",
        "int32 a = 1; oneof o { int32 b = 2; }",
        "oneof o { int32 a = 1; int32 b = 2; }",
        ("FIELD_MOVED_TO_EXISTING_ONEOF M/o",),
    ),
    Evolution(
        "two fields into an old oneof",
        "int32 a = 1; int32 c = 3; oneof o { int32 b = 2; }",
        "oneof o { int32 a = 1; int32 b = 2; int32 c = 3; }",
        ("MULTIPLE_FIELDS_MOVED_TO_ONEOF M/o",),
    ),
    Evolution(
        "field added to a oneof",
        "oneof o { int32 a = 1; }",
        "oneof o { int32 a = 1; int32 b = 2; }",
        (),
        ("ONEOF_FIELD_REMOVED M/o/2",),
    ),
    Evolution("oneof renamed", "oneof o { int32 a = 1; int32 b = 2; }", "oneof x { int32 a = 1; int32 b = 2; }"),
    Evolution(
        "oneof renamed and a field lost",
        "oneof o { int32 a = 1; int32 b = 2; }",
        "oneof x { int32 a = 1; }",
        ("ONEOF_FIELD_REMOVED M/o/2",),
    ),
    Evolution(
        "oneof removed with all its fields", "int32 z = 9; oneof o { int32 a = 1; int32 b = 2; }", "int32 z = 9;"
    ),
    Evolution(
        "oneof dissolved",
        "oneof o { int32 a = 1; int32 b = 2; }",
        "int32 a = 1; int32 b = 2;",
        (),
        ("MULTIPLE_FIELDS_MOVED_TO_ONEOF M/o",),
    ),
    Evolution(
        "oneof dissolved and a field lost",
        "oneof o { int32 a = 1; int32 b = 2; }",
        "int32 a = 1;",
        ("ONEOF_FIELD_REMOVED M/o/2",),
        (),
    ),
    Evolution(
        "field out of a oneof",
        "oneof o { int32 a = 1; int32 b = 2; }",
        "oneof o { int32 a = 1; } int32 b = 2;",
        (),
        ("FIELD_MOVED_TO_EXISTING_ONEOF M/o",),
    ),
    Evolution(
        "two oneofs joined",
        "oneof o { int32 a = 1; } oneof q { int32 b = 2; }",
        "oneof o { int32 a = 1; int32 b = 2; }",
        ("FIELD_MOVED_TO_EXISTING_ONEOF M/o",),
    ),
    Evolution(
        "field to another oneof",
        "oneof o { int32 a = 1; int32 c = 3; } oneof q { int32 b = 2; }",
        "oneof o { int32 c = 3; } oneof q { int32 b = 2; int32 a = 1; }",
        ("FIELD_MOVED_TO_EXISTING_ONEOF M/q",),
        ("FIELD_MOVED_TO_EXISTING_ONEOF M/o",),
    ),
    Evolution(
        "oneofs change names",
        "oneof o { int32 a = 1; } oneof q { int32 b = 2; }",
        "oneof q { int32 a = 1; } oneof o { int32 b = 2; }",
    ),
    Evolution(
        "type changed in a oneof",
        "oneof o { int32 a = 1; }",
        "oneof o { string a = 1; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/o/1",)] * 2,
    ),
    Evolution("type changed well in a oneof", "oneof o { int32 a = 1; }", "oneof o { uint64 a = 1; }"),
    Evolution(
        "type changed on the way into a oneof",
        "int32 a = 1;",
        "oneof o { string a = 1; }",
        ("FIELD_SCALAR_KIND_CHANGED M/o/1",),
        ("FIELD_SCALAR_KIND_CHANGED M/1",),
    ),
    Evolution(
        "type changed in a renamed oneof",
        "oneof o { int32 a = 1; }",
        "oneof x { float a = 1; }",
        ("FIELD_SCALAR_KIND_CHANGED M/x/1",),
        ("FIELD_SCALAR_KIND_CHANGED M/o/1",),
    ),
    Evolution(
        "message in a oneof changed",
        "oneof o { N a = 1; } message N {} message X {}",
        "oneof o { X a = 1; } message N {} message X {}",
        *[("FIELD_NAMED_TYPE_CHANGED M/o/1",)] * 2,
    ),
    Evolution("field renamed in a oneof", "oneof o { int32 a = 1; }", "oneof o { int32 b = 1; }"),
]
