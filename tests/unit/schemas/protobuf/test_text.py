"""The registry's text of a schema: what it looks like to the last space, and that it is its own text."""

from __future__ import annotations

from textwrap import dedent

import pytest

from riacho.schemas.parsed import SchemaSource
from riacho.schemas.protobuf.schema import parse

TEXTS = {
    "one message": (
        'syntax="proto3";message A{string a=1;}',
        'syntax = "proto3";\n\nmessage A {\n  string a = 1;\n}\n',
    ),
    "package": (
        'syntax = "proto3"; package a.b; message A {}',
        'syntax = "proto3";\npackage a.b;\n\nmessage A {}\n',
    ),
    "no syntax": ("message A {}", "\nmessage A {}\n"),
    "comments": (
        '// one\nsyntax = "proto3"; /* two */ message /* three */ A { // four\n int32 a = 1; // five\n}',
        'syntax = "proto3";\n\nmessage A {\n  int32 a = 1;\n}\n',
    ),
    "stray semicolons": (
        'syntax = "proto3";; message A { ; int32 a = 1;; } ;',
        'syntax = "proto3";\n\nmessage A {\n  int32 a = 1;\n}\n',
    ),
    "imports in their kinds": (
        'import public "google/protobuf/any.proto"; import "google/protobuf/empty.proto"; message A {}',
        '\nimport "google/protobuf/empty.proto";\nimport public "google/protobuf/any.proto";\n\nmessage A {}\n',
    ),
    "file options": (
        "option java_package = 'a.b'; option java_multiple_files = true; option optimize_for = SPEED; message A {}",
        '\noption java_package = "a.b";\noption java_multiple_files = true;\noption optimize_for = SPEED;\n'
        "\nmessage A {}\n",
    ),
    "messages before enums": (
        "enum E { A = 0; } message M {}",
        "\nmessage M {}\nenum E {\n  A = 0;\n}\n",
    ),
    "labels": (
        "message A { required int32 a = 1; optional int32 b = 2; repeated int32 c = 3; }",
        "\nmessage A {\n  required int32 a = 1;\n  optional int32 b = 2;\n  repeated int32 c = 3;\n}\n",
    ),
    "map": ("message A { map < string , .A > m = 1; }", "\nmessage A {\n  map<string, .A> m = 1;\n}\n"),
    "one option": (
        "message A { repeated int32 a = 1 [packed=true]; }",
        "\nmessage A {\n  repeated int32 a = 1 [packed = true];\n}\n",
    ),
    "default and json_name come last": (
        'message A { optional int32 a = 1 [json_name="x", default=7, deprecated=true]; }',
        "\nmessage A {\n  optional int32 a = 1 [\n    deprecated = true,\n    default = 7,\n"
        '    json_name = "x"\n  ];\n}\n',
    ),
    "reserved": (
        "message A { reserved 1, 3 to 5, 100 to max; reserved 'a', \"b\"; }",
        '\nmessage A {\n  reserved 1, 3 to 5, 100 to max;\n  reserved "a", "b";\n}\n',
    ),
    "hexadecimal and octal numbers": (
        "message A { optional int32 a = 0x10; optional int32 b = 010; }",
        "\nmessage A {\n  optional int32 a = 16;\n  optional int32 b = 8;\n}\n",
    ),
    "sections": (
        "message A { message B {} extensions 100 to 200; oneof o { int32 x = 1; } optional int32 a = 2;"
        " option deprecated = true; reserved 9; enum E { Z = 0; } extend A { optional int32 e = 100; }"
        " optional group G = 3 { optional int32 g = 1; } }",
        """
        message A {
          reserved 9;

          option deprecated = true;

          optional int32 a = 2;

          oneof o {
            int32 x = 1;
          }

          optional group G = 3 {
            optional int32 g = 1;
          }

          extensions 100 to 200;

          extend A {
            optional int32 e = 100;
          }

          message B {}
          enum E {
            Z = 0;
          }
        }
        """,
    ),
    "an empty line within a nested message is indented": (
        "message A { message B { optional int32 a = 1; message C {} } }",
        "\nmessage A {\n  message B {\n    optional int32 a = 1;\n  \n    message C {}\n  }\n}\n",
    ),
    "enum": (
        'enum E { option allow_alias = true; reserved 5 to 7, 9; reserved "X"; A = 0; '
        "B = 0 [deprecated = true]; C = -1; }",
        '\nenum E {\n  reserved 5 to 7, 9;\n  reserved "X";\n  option allow_alias = true;\n  A = 0;\n'
        "  B = 0 [deprecated = true];\n  C = -1;\n}\n",
    ),
    "service": (
        "message A {} service S { option deprecated = true; rpc One(A) returns(stream .A); rpc Two (stream A)"
        " returns (A) { option idempotency_level = NO_SIDE_EFFECTS; } }",
        "\nmessage A {}\n\nservice S {\n  option deprecated = true;\n\n  rpc One (A) returns (stream .A);\n"
        "  rpc Two (stream A) returns (A) {\n    option idempotency_level = NO_SIDE_EFFECTS;\n  };\n}\n",
    ),
    "aggregate": (
        'message A { optional int32 a = 1 [(o) = { b: 1 c: "x", d { e: [1, 2] } f: [ ] [x.y]: true }, (o).p.q = 2]; }',
        """
        message A {
          optional int32 a = 1 [
            (o) = {
              b: 1,
              c: "x",
              d: {
                e: [
                  1,
                  2
                ]
              },
              f: [
              ],
              [x.y]: true
            },
            (o).p.q = 2
          ];
        }
        """,
    ),
    "a name that comes again makes a list": (
        "option (o) = { a: 1 a: 2 }; message A {}",
        "\noption (o) = {\n  a: [\n    1,\n    2\n  ]\n};\n\nmessage A {}\n",
    ),
    "strings are put together": (
        'option (o) = "a" \'b\'\n"c"; message A {}',
        '\noption (o) = "abc";\n\nmessage A {}\n',
    ),
    "escapes": (
        r"""option (o) = "\a\b\f\n\r\t\v\\\'\"\x41\101\u00e9\U0001F600é"; message A {}""",
        '\noption (o) = "\\a\\b\\f\\n\\r\\t\\v\\\\\\\'\\"AAé😀é";\n\nmessage A {}\n',
    ),
    "bytes that are no text": (
        r'message A { optional bytes a = 1 [default = "\xff\0\303\251"]; }',
        '\nmessage A {\n  optional bytes a = 1 [default = "\\377\\000é"];\n}\n',
    ),
    "edition": (
        'edition = "2023"; message A { reserved foo, bar; int32 a = 1 [features.field_presence = IMPLICIT]; }',
        'edition = "2023";\n\nmessage A {\n  reserved foo, bar;\n\n'
        "  int32 a = 1 [features.field_presence = IMPLICIT];\n}\n",
    ),
    "names that are words of the language": (
        'syntax = "proto3"; message message { string message = 1; int32 reserved = 2; bool option = 3; '
        ".message syntax = 4; }",
        'syntax = "proto3";\n\nmessage message {\n  string message = 1;\n  int32 reserved = 2;\n  bool option = 3;\n'
        "  .message syntax = 4;\n}\n",
    ),
    "byte order mark": ('\ufeffsyntax = "proto3"; message A {}', 'syntax = "proto3";\n\nmessage A {}\n'),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str) -> None:
    written, expected = TEXTS[name]
    if expected.endswith("        "):
        expected = dedent(expected)
    assert parse(SchemaSource(written)).text == expected


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_its_own_text(name: str) -> None:
    text = parse(SchemaSource(TEXTS[name][0])).text
    assert parse(SchemaSource(text)).text == text


@pytest.mark.parametrize("name", TEXTS)
def test_the_normal_form_is_its_own_normal_form(name: str) -> None:
    normal = parse(SchemaSource(TEXTS[name][0])).normalized()
    assert parse(SchemaSource(normal.text)).normalized().text == normal.normalized().text == normal.text


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_says_the_same_as_what_was_written(name: str) -> None:
    schema = parse(SchemaSource(TEXTS[name][0]))
    assert parse(SchemaSource(schema.text)).formatted("serialized") == schema.formatted("serialized")
