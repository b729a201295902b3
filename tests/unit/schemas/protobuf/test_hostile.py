"""Texts made to hurt: refused in one sentence or read, and never out of stack."""

from __future__ import annotations

import base64

import pytest
from google.protobuf import descriptor_pb2

from riacho.schemas.parsed import DataError, SchemaError, SchemaSource
from riacho.schemas.protobuf.schema import parse

P3 = 'syntax = "proto3"; '
REFUSED = {
    "deep messages": "message a {" * 50_000,
    "deep groups": "message a {" + "optional group A = 1 {" * 50_000,
    "deep aggregates": "option a = " + "{ a: " * 50_000,
    "deep angle brackets": "option a = " + "{ a <" * 50_000,
    "deep lists": "option a = " + "[" * 50_000,
    "a package of many parts": f"package {'.'.join(['a'] * 50_000)};",
    "an endless number": f"enum E {{ A = {'9' * 50_000}; }}",
    "an endless hexadecimal number": f"enum E {{ A = 0x{'f' * 50_000}; }}",
    "comments without end": "/* " * 50_000,
    "strings without end": "'" * 50_001,
    "back-slashes": '"' + "\\" * 50_001,
    "zero bytes": "\x00" * 1_000,
    "surrogates": "message \ud800 {}",
    "surrogates in a name of a file": 'import "\ud800"; message A {}',
    "white space": " " * 50_000,
}
READ = {
    "many fields": P3 + "message A {" + "".join(f"int32 f{i} = {i + 20_000};" for i in range(2_000)) + "}",
    "many reserved numbers": P3
    + f"message A {{ reserved {','.join(str(i) for i in range(30_000, 32_000))};"
    + "".join(f"int32 f{i} = {i + 20_000};" for i in range(2_000))
    + "}",
    "many constants": P3 + "enum E {" + "".join(f"X{i} = {i};" for i in range(2_000)) + "}",
    "many strings": P3 + "option java_package = " + '"x" ' * 5_000 + "; message A {}",
    "many values of one name": P3 + "option (a) = {" + "a: 1 " * 5_000 + "}; message A {}",
    "many options of one name": P3 + "".join(f'option (a).b = "{i}";' for i in range(2_000)) + "message A {}",
    "a long name": P3 + f"message {'A' * 20_000} {{}}",
    "surrogates in a string": P3 + 'option java_package = "\ud800\udcff"; message A {}',
    "surrogates in a comment": P3 + "// \ud800\nmessage A {}",
    "as deep as may be": P3 + "message A {" * 32 + "}" * 32,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(SchemaError) as raised:
        parse(SchemaSource(REFUSED[name]))
    assert len(str(raised.value)) < 300
    str(raised.value).encode()


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    schema = parse(SchemaSource(READ[name]))
    schema.text.encode()
    assert parse(SchemaSource(schema.text)).text == schema.text
    assert schema.normalized().differences(schema) == []


def test_a_long_chain_of_imports() -> None:
    resolved = {f"f{i}": P3 + f'import "f{i + 1}"; message M{i} {{}}' for i in range(2_000)}
    with pytest.raises(SchemaError, match="follow one another too deeply"):
        parse(SchemaSource(P3 + 'import "f0"; message M {}', (), resolved))


def test_imports_that_meet_again_and_again() -> None:
    """Sixty files, each importing the two below: as paths they would be 2^60."""
    resolved = {
        f"f{i}": f'{P3} import public "f{i + 1}"; import public "f{i + 2}"; message M{i} {{}}' for i in range(58)
    }
    resolved |= {f"f{i}": f"{P3} message M{i} {{}}" for i in (58, 59)}
    schema = parse(SchemaSource(P3 + 'import "f0"; message M { M59 m = 1; M58 n = 2; }', (), resolved))
    assert schema.codec().encode({"m": {}}) == b"\x00\x0a\x00"
    assert schema.differences(parse(SchemaSource(schema.text, (), resolved))) == []


def test_types_that_meet_again_and_again() -> None:
    chain = "".join(
        f"message T{i} {{ T{i + 1} a = 1; T{i + 1} b = 2; map<string, T{i + 1}> c = 3; }}" for i in range(60)
    )
    library = P3 + "package lib; " + chain + "message T60 {{ {} x = 1; }}"
    text = P3 + 'import "lib"; message M { lib.T0 t = 1; }'
    head, tail = library.split("{{ {} x")
    old, new = (parse(SchemaSource(text, (), {"lib": f"{head}{{ {kind} x{tail[:-1]}"})) for kind in ("int32", "string"))
    assert len(new.differences(old)) == 182


def test_a_schema_called_as_the_registry_calls_its_own() -> None:
    schema = parse(SchemaSource(P3 + 'import "default"; message M { D d = 1; }', (), {"default": P3 + "message D {}"}))
    assert schema.codec().encode({"d": {}}) == b"\x00\x0a\x00"


def test_a_payload_that_holds_itself_too_often() -> None:
    codec = parse(SchemaSource(P3 + "message M { M m = 1; }")).codec()
    inner = b""
    for _ in range(500):
        size = len(inner)
        inner = b"\x0a" + (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + inner
    with pytest.raises(DataError):
        codec.decode(b"\x00" + inner)


def test_a_descriptor_that_is_no_utf8() -> None:
    descriptor = descriptor_pb2.FileDescriptorProto(name="x", syntax="proto3")
    descriptor.message_type.add(name="Name").field.add(name="Fiel", number=1, type=9, label=1)
    data = descriptor.SerializeToString()
    for place in (b"Name", b"Fiel"):
        with pytest.raises(SchemaError):
            parse(SchemaSource(base64.b64encode(data.replace(place, b"\xff\xfe\xfd\xfc")).decode()))


def test_a_descriptor_of_deep_messages() -> None:
    descriptor = descriptor_pb2.FileDescriptorProto(name="x")
    message = descriptor.message_type.add(name="A")
    for _ in range(45):
        message = message.nested_type.add(name="A")
    with pytest.raises(SchemaError, match="nest more than 32 deep"):
        parse(SchemaSource(base64.b64encode(descriptor.SerializeToString()).decode()))
