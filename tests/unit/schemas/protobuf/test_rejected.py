"""What is no schema, and what one cannot be made of: one sentence each, with the place where there is one."""

from __future__ import annotations

import pytest

from riacho.schemas.parsed import Reference, SchemaError, SchemaSource
from riacho.schemas.protobuf.schema import parse

P3 = 'syntax = "proto3"; '
SYNTAX = {
    "nothing": ("", "The schema is empty"),
    "only a comment": ("// nothing", "The schema is empty"),
    "no proto": ("hello", "line 1, column 1: unexpected 'hello'"),
    "JSON": ('{"type": "string"}', "line 1, column 1: expected a name but found '{'"),
    "unknown syntax": ('syntax = "proto4";', "unknown syntax 'proto4'"),
    "unknown edition": ('edition = "1999";', "unknown edition '1999'"),
    "syntax too late": ('message A {} syntax = "proto3";', "said before anything else"),
    "two packages": ("package a; package b;", "one package only"),
    "no end": ("message A {", "found the end of the file"),
    "comment without end": ("message A {} /* x", "a comment has no end"),
    "string without end": ('option a = "x', "a string has no end"),
    "string over two lines": ('option a = "x\ny";', "a string has no end"),
    "bad character": ("message A { int32 ä = 1; }", "column 19: unexpected character '\\xe4'"),
    "bad escape": (r'option a = "\q";', "unknown escape"),
    "escape beyond Unicode": (r'option a = "\UFFFFFFFF";', "does not exist"),
    "no semicolon": (P3 + "message A { int32 a = 1 }", "expected ';' but found '}'"),
    "no number": (P3 + "message A { int32 a; }", "expected '=' but found ';'"),
    "number is a word": (P3 + "message A { int32 a = x; }", "expected an integer but found 'x'"),
    "number is a fraction": (P3 + "message A { int32 a = 1.5; }", "expected an integer but found '1.5'"),
    "number runs into a name": (P3 + "message A { int32 a = 1x; }", "a number runs into a name"),
    "field number zero": (P3 + "message A { int32 a = 0; }", "'0' is out of range"),
    "field number negative": (P3 + "message A { int32 a = -1; }", "out of range"),
    "field number beyond 32 bits": (P3 + "message A { int32 a = 99999999999; }", "out of range"),
    "proto2 without label": ("message A { int32 a = 1; }", "needs a label"),
    "proto3 required": (P3 + "message A { required int32 a = 1; }", "no required fields"),
    "proto3 group": (P3 + "message A { repeated group G = 1 {} }", "groups exist in proto2 only"),
    "edition optional": ('edition = "2023"; message A { optional int32 a = 1; }', "features.field_presence"),
    "label in a oneof": (P3 + "message A { oneof o { repeated int32 a = 1; } }", "expected '=' but found 'a'"),
    "map in a oneof": (P3 + "message A { oneof o { map<string, string> a = 1; } }", "no part of a oneof"),
    "map with a label": (P3 + "message A { repeated map<string, string> a = 1; }", "a map has no label"),
    "map with float keys": (P3 + "message A { map<float, string> a = 1; }", "cannot be of type float"),
    "map with message keys": (P3 + "message A { map<A, string> a = 1; }", "cannot be of type A"),
    "empty range": (P3 + "message A { reserved 5 to 3; }", "the range 5 to 3 is empty"),
    "default is a list": ("message A { optional int32 a = 1 [default = [1]]; }", "a single value"),
    "json_name is a number": (P3 + "message A { int32 a = 1 [json_name = 1]; }", "json_name is a string"),
    "service holds a field": (P3 + "service S { int32 a = 1; }", "in a service"),
    "rpc holds a field": (P3 + "message A {} service S { rpc R (A) returns (A) { int32 } }", "in an rpc"),
    "rpc without answer": (P3 + "message A {} service S { rpc R (A); }", "expected 'returns'"),
    "aggregate without colon": (P3 + "option a = { b 1 };", "expected ':'"),
    "option without value": (P3 + "option a = ;", "expected a value but found ';'"),
}
MEANING = {
    "unknown type": (P3 + "message A { B b = 1; }", "Could not resolve type: B"),
    "unknown absolute type": (P3 + "package p; message A { .A a = 1; }", "Could not resolve type: .A"),
    "unknown type of a map": (P3 + "message A { map<string, B> b = 1; }", "Could not resolve type: B"),
    "unknown type in a oneof": (P3 + "message A { oneof o { B b = 1; } }", "Could not resolve type: B"),
    "unknown type in a group": (
        "message A { optional group G = 1 { optional B b = 1; } }",
        "Could not resolve type: B",
    ),
    "unknown type in an rpc": (P3 + "service S { rpc R (A) returns (A); }", "Could not resolve type: A"),
    "unknown type extended": (P3 + "extend A { int32 a = 1; }", "Could not resolve type: A"),
    "unknown import": (P3 + 'import "a.proto"; message A {}', "The import 'a.proto' is neither among the references"),
    "enum extended": ("enum E { A = 0; } extend E { optional int32 a = 1; }", "E is not a message"),
    "rpc of an enum": (P3 + "enum E { A = 0; } service S { rpc R (E) returns (E); }", "E is not a message"),
    "message twice": (P3 + "message A {} message A {}", "A is defined twice"),
    "message and enum of one name": (P3 + "message A {} enum A { Z = 0; }", "A is defined twice"),
    "nested message twice": (P3 + "package p; message A { message B {} message B {} }", "p.A.B is defined twice"),
    "field twice": (P3 + "message A { int32 a = 1; int32 a = 2; }", "A has field a twice"),
    "field twice over a oneof": (P3 + "message A { int32 a = 1; oneof o { int32 a = 2; } }", "A has field a twice"),
    "number twice": (P3 + "message A { int32 a = 1; int32 b = 1; }", "A has field number 1 twice"),
    "oneof twice": (P3 + "message A { oneof o { int32 a = 1; } oneof o { int32 b = 2; } }", "A has oneof o twice"),
    "number too large": (P3 + "message A { int32 a = 536870912; }", "cannot have number 536870912"),
    "number that protobuf keeps": (P3 + "message A { int32 a = 19500; }", "cannot have number 19500"),
    "number reserved": (P3 + "message A { reserved 5 to 7; int32 a = 6; }", "reserved name or number"),
    "number reserved in the outer of two ranges": (
        P3 + "message A { reserved 1 to 9, 2 to 3; int32 a = 6; }",
        "reserved name or number",
    ),
    "name reserved": (P3 + 'message A { reserved "a"; int32 a = 6; }', "reserved name or number"),
    "proto3 default": (P3 + "message A { int32 a = 1 [default = 1]; }", "proto3 does not know"),
    "empty enum": (P3 + "enum E {}", "Enum E has no constants"),
    "proto3 enum without zero": (P3 + "enum E { A = 1; }", "has to be 0"),
    "constant twice": (P3 + "enum E { A = 0; A = 1; }", "E has constant A twice"),
    "constant's number twice": (P3 + "enum E { A = 0; B = 0; }", "E has number 0 twice"),
}


@pytest.mark.parametrize("name", SYNTAX)
def test_no_proto_file(name: str) -> None:
    text, reason = SYNTAX[name]
    with pytest.raises(SchemaError) as raised:
        parse(SchemaSource(text))
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", MEANING)
def test_no_sense(name: str) -> None:
    text, reason = MEANING[name]
    with pytest.raises(SchemaError) as raised:
        parse(SchemaSource(text))
    assert reason in str(raised.value)


def test_the_place_of_an_error() -> None:
    with pytest.raises(SchemaError, match="Syntax error at line 3, column 9: expected a name but found '='"):
        parse(SchemaSource('syntax = "proto3";\nmessage A {\n  int32 = 1;\n}'))


def test_a_reference_that_is_no_schema() -> None:
    source = SchemaSource(P3 + 'import "a"; message A {}', [Reference("a", "a", 1)], {"a": "rubbish"})
    with pytest.raises(SchemaError, match="unexpected 'rubbish'"):
        parse(source)


def test_imports_in_a_circle() -> None:
    resolved = {"a": P3 + 'import "b"; message A {}', "b": P3 + 'import "a"; message B {}'}
    with pytest.raises(SchemaError, match="leads back to itself"):
        parse(SchemaSource(P3 + 'import "a"; message M {}', (), resolved))


def test_what_an_import_imports_is_not_seen_unless_it_is_public() -> None:
    resolved = {"a": P3 + 'import "b"; message A {}', "b": P3 + "message B {}"}
    text = P3 + 'import "a"; message M { B b = 1; }'
    with pytest.raises(SchemaError, match="Could not resolve type: B"):
        parse(SchemaSource(text, (), resolved))
    resolved["a"] = resolved["a"].replace("import", "import public")
    assert parse(SchemaSource(text, (), resolved)).name == "M"


@pytest.mark.parametrize(
    ("field", "type_name"),
    [("default = x", "int32"), ("default = 1.5", "int32"), ("default = 4294967296", "uint32"),
     ("default = -1", "uint64"), ('default = "x"', "bool"), ("default = 1", "bool"),
     ("default = x", "string"), ("default = x", "double"),
     ("default = 9223372036854775808", "sint64")],
)  # fmt: skip
def test_a_default_of_another_type(field: str, type_name: str) -> None:
    schema = parse(SchemaSource(f"message A {{ optional {type_name} a = 1 [{field}]; }}"))
    with pytest.raises(SchemaError, match=f"The default of field a is not of type {type_name}"):
        schema.formatted("serialized")


def test_what_the_runtime_refuses() -> None:
    schema = parse(SchemaSource(P3 + "message A { enum E { Z = 0; } enum F { Z = 0; } }"))
    with pytest.raises(SchemaError, match="The schema cannot be built"):
        schema.codec()
