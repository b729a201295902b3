"""Files of the same meaning have the same normal form."""

from __future__ import annotations

from textwrap import dedent

import pytest

from riacho.schemas.parsed import Reference, SchemaSource
from riacho.schemas.protobuf.schema import parse

P3 = 'syntax = "proto3"; '
OPTIONS = """
    syntax = "proto2"; package opt; import "google/protobuf/descriptor.proto";
    message Deep { optional int32 a = 1; repeated string s = 2; optional Deep d = 3; optional float f = 4; }
    extend google.protobuf.FieldOptions { optional Deep deep = 50001; repeated string tags = 50002; }
"""


def normal(text: str) -> str:
    return parse(SchemaSource(text, (), {"opt.proto": OPTIONS})).normalized().text


SAME = {
    "order of fields": ("message A { int32 a = 1; int32 b = 2; }", "message A { int32 b = 2; int32 a = 1; }"),
    "order of constants": ("enum E { A = 0; B = 1; C = 2; }", "enum E { A = 0; C = 2; B = 1; }"),
    "order of options": (
        "message A { int32 a = 1 [deprecated = true, jstype = JS_NORMAL]; }",
        "message A { int32 a = 1 [jstype = JS_NORMAL, deprecated = true]; }",
    ),
    "order of file options": (
        'option java_package = "a"; option go_package = "b"; message A {}',
        'option go_package = "b"; option java_package = "a"; message A {}',
    ),
    "order and number of imports": (
        'import "google/protobuf/any.proto"; import "google/protobuf/empty.proto"; message A {}',
        'import "google/protobuf/empty.proto"; import "google/protobuf/any.proto"; import "google/protobuf/any.proto";'
        "message A {}",
    ),
    "order of oneofs": (
        "message A { oneof x { int32 a = 1; int32 b = 2; } oneof y { int32 c = 3; } }",
        "message A { oneof y { int32 c = 3; } oneof x { int32 b = 2; int32 a = 1; } }",
    ),
    "reserved numbers together": (
        'message A { reserved 1; reserved 4 to 6; reserved "x"; }',
        'message A { reserved "x"; reserved 4 to 6, 1 to 1; }',
    ),
    "names of types": (
        "package p; message A { B b = 1; message B {} map<string, B> m = 2; }",
        "package p; message A { .p.A.B b = 1; message B {} map<string, A.B> m = 2; }",
    ),
    "names of types in services": (
        "package p; message A {} service S { rpc R (A) returns (p.A); }",
        "package p; message A {} service S { rpc R (.p.A) returns (.p.A); }",
    ),
    "map spelt out": (
        "message A { map<string, int32> m = 1; }",
        "message A { repeated MEntry m = 1;"
        " message MEntry { option map_entry = true; string key = 1; int32 value = 2; } }",
    ),
    "parts of an option": (
        'import "opt.proto"; message A { int32 a = 1 [(opt.deep) = { a: 1 s: "x" s: "y" d { a: 2 } }]; }',
        'import "opt.proto"; message A { int32 a = 1 '
        '[(opt.deep).s = "x", (.opt.deep).a = 1, (opt.deep).s = "y", (opt.deep).d.a = 2]; }',
    ),
    "an option under the package's name": (
        'import "opt.proto"; package opt.inner; message A { int32 a = 1 [(deep).a = 1]; }',
        'import "opt.proto"; package opt.inner; message A { int32 a = 1 [(opt.deep) = { a: 0x1 }]; }',
    ),
    "numbers": (
        'import "opt.proto"; message A { int32 a = 1 [(opt.deep) = { f: 0.5 a: 16 }]; }',
        'import "opt.proto"; message A { int32 a = 1 [(opt.deep) = { f: 5e-1 a: 0x10 s: [] }]; }',
    ),
    "a list of one": (
        'import "opt.proto"; message A { int32 a = 1 [(opt.deep) = { s: ["x"] }]; }',
        'import "opt.proto"; message A { int32 a = 1 [(opt.deep) = { s: "x" }]; }',
    ),
    "comments and spaces": ("message A { int32 a = 1; }", "/* x */ message A{int32 a=1;//y\n}"),
}

DIFFERENT = {
    "order of messages, which payloads count": ("message A {} message B {}", "message B {} message A {}"),
    "names of fields": ("message A { int32 a = 1; }", "message A { int32 b = 1; }"),
    "repeated options": (
        'import "opt.proto"; message A { int32 a = 1 [(opt.tags) = "x", (opt.tags) = "y"]; }',
        'import "opt.proto"; message A { int32 a = 1 [(opt.tags) = "y"]; }',
    ),
    "packages": ("package a; message A {}", "package b; message A {}"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same(name: str) -> None:
    one, other = SAME[name]
    assert normal(P3 + one) == normal(P3 + other)


@pytest.mark.parametrize("name", DIFFERENT)
def test_not_the_same(name: str) -> None:
    one, other = DIFFERENT[name]
    assert normal(P3 + one) != normal(P3 + other)


def test_the_form_itself() -> None:
    text = P3 + (
        'package p; import "google/protobuf/timestamp.proto"; import "google/protobuf/any.proto";'
        "message A { oneof o { B c = 3; }"
        'repeated google.protobuf.Timestamp b = 2 [json_name = "x", deprecated = true];'
        "B a = 1; reserved 9, 7; message B { enum E { Z = 0; N = -1; P = 1; } } }"
    )
    assert normal(text) == dedent("""\
        syntax = "proto3";
        package p;

        import "google/protobuf/any.proto";
        import "google/protobuf/timestamp.proto";

        message A {
          reserved 7;
          reserved 9;

          .p.A.B a = 1;
          repeated .google.protobuf.Timestamp b = 2 [
            deprecated = true,
            json_name = "x"
          ];

          oneof o {
            .p.A.B c = 3;
          }

          message B {
            enum E {
              Z = 0;
              N = -1;
              P = 1;
            }
          }
        }
        """)


def test_proto2_is_not_named() -> None:
    assert normal('syntax = "proto2"; message A {}') == "\nmessage A {}\n"


def test_extensions_of_one_message_stand_together() -> None:
    text = (
        "package p; message A { extensions 10 to 20; } extend A { optional int32 b = 12; } extend p.A "
        "{ optional A a = 11; }"
    )
    assert "extend .p.A {\n  optional .p.A a = 11;\n  optional int32 b = 12;\n}\n" in normal(text)


def test_references_are_sorted_and_named_once() -> None:
    text = P3 + 'import "a.proto"; message M {}'
    references = [Reference("b", "s", 1), Reference("a.proto", "s", 2), Reference("b", "s", 1)]
    schema = parse(SchemaSource(text, references, {"a.proto": P3 + "message A {}"}))
    assert schema.normalized().references == (Reference("a.proto", "s", 2), Reference("b", "s", 1))
    assert schema.references == tuple(references)


def test_the_normal_form_reads_and_writes_the_same_payloads() -> None:
    text = P3 + "message A { map<string, B> m = 2; int32 a = 1; message B { string b = 1; } }"
    schema = parse(SchemaSource(text))
    value = {"a": 1, "m": {"k": {"b": "x"}}}
    assert schema.normalized().codec().encode(value) == schema.codec().encode(value)
