"""Changes to what a file declares: enums, maps, messages. The form is that of evolutions.py."""

from __future__ import annotations

from unit.schemas.protobuf.evolutions import P3, Evolution

ENUMS = [
    Evolution("enum added", "", "enum E { Z = 0; }"),
    Evolution("enum at the top added", "", "| enum E { Z = 0; }"),
    Evolution("constant added", "enum E { Z = 0; }", "enum E { Z = 0; A = 1; }"),
    Evolution("constant renamed", "enum E { Z = 0; A = 1; }", "enum E { Z = 0; B = 1; }"),
    Evolution("constant renumbered", "enum E { Z = 0; A = 1; }", "enum E { Z = 0; A = 2; }"),
    Evolution("number to enum", "int32 a = 1; enum E { Z = 0; }", "E a = 1; enum E { Z = 0; }"),
    Evolution("bool to enum", "bool a = 1; enum E { Z = 0; }", "E a = 1; enum E { Z = 0; }"),
    Evolution(
        "string to enum",
        "string a = 1; enum E { Z = 0; }",
        "E a = 1; enum E { Z = 0; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "sint32 to enum",
        "sint32 a = 1; enum E { Z = 0; }",
        "E a = 1; enum E { Z = 0; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "fixed32 to enum",
        "fixed32 a = 1; enum E { Z = 0; }",
        "E a = 1; enum E { Z = 0; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "enum to another",
        "E a = 1; enum E { Z = 0; } enum F { Y = 0; }",
        "F a = 1; enum E { Z = 0; } enum F { Y = 0; }",
    ),
    Evolution(
        "enum to message",
        "E a = 1; enum E { Z = 0; } message N {}",
        "N a = 1; enum E { Z = 0; } message N {}",
        *[("FIELD_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "enum to message of its name",
        "E a = 1; enum E { Z = 0; }",
        "E a = 1; message E {}",
        ("FIELD_KIND_CHANGED M/1",),
        ("FIELD_KIND_CHANGED M/1", "MESSAGE_REMOVED M/E"),
    ),
    Evolution("constant reserved", "enum E { Z = 0; A = 1; }", 'enum E { reserved 1; reserved "A"; Z = 0; }'),
    Evolution("alias added", "enum E { Z = 0; A = 1; }", "enum E { option allow_alias = true; Z = 0; A = 1; B = 1; }"),
]

MAPS = [
    Evolution("map added", "", "map<string, int32> a = 1;"),
    Evolution("map's value well changed", "map<string, int32> a = 1;", "map<string, int64> a = 1;"),
    Evolution(
        "map's value badly changed",
        "map<string, int32> a = 1;",
        "map<string, float> a = 1;",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution("map's key well changed", "map<int32, int32> a = 1;", "map<uint64, int32> a = 1;"),
    Evolution(
        "map's key badly changed",
        "map<int32, int32> a = 1;",
        "map<string, int32> a = 1;",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "map's value to enum", "map<string, int32> a = 1; enum E { Z = 0; }", "map<string, E> a = 1; enum E { Z = 0; }"
    ),
    Evolution(
        "map's value to message",
        "map<string, int32> a = 1; message N {}",
        "map<string, N> a = 1; message N {}",
        *[("FIELD_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "map's message changed",
        "map<string, N> a = 1; message N {} message O {}",
        "map<string, O> a = 1; message N {} message O {}",
        *[("FIELD_NAMED_TYPE_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "map's message under its full name",
        "map<string, N> a = 1; message N {}",
        "map<string, p.M.N> a = 1; message N {}",
    ),
    Evolution(
        "map to its entries spelt out",
        "map<string, int32> a = 1;",
        "repeated AEntry a = 1; message AEntry { option map_entry = true; string key = 1; int32 value = 2; }",
    ),
    Evolution(
        "map to other entries spelt out",
        "map<string, int32> a = 1;",
        "repeated AEntry a = 1; message AEntry { option map_entry = true; string key = 1; string value = 2; }",
        *[("FIELD_SCALAR_KIND_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "map to repeated message",
        "map<string, int32> a = 1;",
        "repeated N a = 1; message N { string key = 1; int32 value = 2; }",
        ("FIELD_KIND_CHANGED M/1",),
        ("FIELD_KIND_CHANGED M/1", "MESSAGE_REMOVED M/N"),
    ),
    Evolution("map to string", "map<string, int32> a = 1;", "string a = 1;", *[("FIELD_KIND_CHANGED M/1",)] * 2),
]

MESSAGES = [
    Evolution("message added", "", "| message N {}", (), ("MESSAGE_REMOVED N",)),
    Evolution("nested message added", "", "message N {}", (), ("MESSAGE_REMOVED M/N",)),
    Evolution("message far within added", "message N {}", "message N { message O {} }", (), ("MESSAGE_REMOVED M/N/O",)),
    Evolution(
        "message renamed",
        P3 + "message A { int32 a = 1; }",
        P3 + "message B { int32 a = 1; }",
        ("MESSAGE_REMOVED A",),
        ("MESSAGE_REMOVED B",),
    ),
    Evolution("messages reordered", P3 + "message A {} message B {}", P3 + "message B {} message A {}"),
    Evolution("nested messages reordered", "message A {} message B {}", "message B {} message A {}"),
    Evolution(
        "message moved inside", "| message N {}", "message N {}", ("MESSAGE_REMOVED N",), ("MESSAGE_REMOVED M/N",)
    ),
    Evolution(
        "package changed", P3 + "package a; message M {}", P3 + "package b; message M {}", *[("PACKAGE_CHANGED ",)] * 2
    ),
    Evolution("package added", P3 + "message M {}", P3 + "package b; message M {}", *[("PACKAGE_CHANGED ",)] * 2),
    Evolution(
        "package changed and used",
        P3 + "package a; message M { .a.M m = 1; }",
        P3 + "package b; message M { .b.M m = 1; }",
        *[("PACKAGE_CHANGED ",)] * 2,
    ),
    Evolution("service added", "", "| service S { rpc R (M) returns (M); }"),
    Evolution("file option added", P3 + "message M {}", P3 + 'option java_package = "x"; message M {}'),
    Evolution("message that holds itself", "M m = 1;", "M m = 1; int32 a = 2;"),
    Evolution(
        "message that holds itself changed badly",
        "M m = 1; int32 a = 2;",
        "M m = 1; string a = 2;",
        *[("FIELD_SCALAR_KIND_CHANGED M/2",)] * 2,
    ),
    Evolution(
        "well-known type added",
        P3 + "message M {}",
        P3 + 'import "google/protobuf/timestamp.proto"; message M { google.protobuf.Timestamp t = 1; }',
    ),
    Evolution(
        "well-known type changed",
        P3 + 'import "google/protobuf/timestamp.proto"; message M { google.protobuf.Timestamp t = 1; }',
        P3 + 'import "google/protobuf/duration.proto"; message M { google.protobuf.Duration t = 1; }',
        *[("FIELD_NAMED_TYPE_CHANGED M/1",)] * 2,
    ),
    Evolution(
        "well-known type under another name",
        P3 + 'import "google/protobuf/struct.proto"; package google; message M { protobuf.Struct t = 1; }',
        P3 + 'import "google/protobuf/struct.proto"; package google; message M { .google.protobuf.Struct t = 1; }',
    ),
]
