"""Types that come by references: compared where a field uses them, unless both mean the same version of the subject."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from riacho.schemas.parsed import Reference, SchemaSource
from riacho.schemas.protobuf.schema import ProtobufSchema, parse

P3 = 'syntax = "proto3"; '
LIBRARY = P3 + "package lib; message T {{ {} }} message U {{ int32 a = 1; }}"
USER = P3 + 'import "lib.proto"; message M { lib.T t = 1; }'


def schema(text: str, library: str, version: int = 1, name: str = "lib.proto") -> ProtobufSchema:
    return parse(SchemaSource(text, [Reference(name, "lib", version)], {name: library}))


def kinds(reasons: Sequence[str]) -> list[str]:
    return sorted(reason.split('"')[1] + " " + reason.split("'")[1] for reason in reasons)


def test_the_same_version_is_not_looked_into() -> None:
    old, new = schema(USER, LIBRARY.format("int32 a = 1;")), schema(USER, LIBRARY.format("string a = 1;"))
    assert new.differences(old) == []


def test_another_version_that_reads_the_data() -> None:
    old = schema(USER, LIBRARY.format("int32 a = 1;"))
    new = schema(USER, LIBRARY.format("int64 a = 1; string b = 2;"), version=2)
    assert new.differences(old) == old.differences(new) == []


def test_another_version_that_does_not() -> None:
    old = schema(USER, LIBRARY.format("int32 a = 1;"))
    new = schema(USER, LIBRARY.format("string a = 1;"), version=2)
    expected = ["FIELD_NAMED_TYPE_CHANGED #/M/1", "FIELD_SCALAR_KIND_CHANGED #/T/1"]
    assert kinds(new.differences(old)) == kinds(old.differences(new)) == expected


def test_what_is_not_used_is_not_looked_into() -> None:
    user = P3 + 'import "lib.proto"; message M { lib.U u = 1; }'
    old, new = schema(user, LIBRARY.format("int32 a = 1;")), schema(user, LIBRARY.format("string a = 1;"), version=2)
    assert new.differences(old) == []


def test_a_type_that_an_imported_type_holds() -> None:
    library = P3 + "package lib; message T {{ V v = 1; }} message V {{ {} a = 1; }}"
    old, new = schema(USER, library.format("int32")), schema(USER, library.format("double"), version=2)
    expected = ["FIELD_NAMED_TYPE_CHANGED #/M/1", "FIELD_NAMED_TYPE_CHANGED #/T/1", "FIELD_SCALAR_KIND_CHANGED #/V/1"]
    assert kinds(new.differences(old)) == expected


def test_imported_types_that_hold_each_other() -> None:
    library = P3 + "package lib; message T {{ V v = 1; T t = 2; }} message V {{ T t = 1; {} a = 2; }}"
    old, new = schema(USER, library.format("int32")), schema(USER, library.format("string"), version=2)
    assert "FIELD_NAMED_TYPE_CHANGED #/M/1" in kinds(new.differences(old))
    assert new.differences(schema(USER, library.format("bytes"), version=3)) == []


def test_a_map_of_imported_messages() -> None:
    user = P3 + 'import "lib.proto"; message M { map<string, lib.T> t = 1; }'
    old, new = schema(user, LIBRARY.format("int32 a = 1;")), schema(user, LIBRARY.format("string a = 1;"), version=2)
    assert kinds(new.differences(old)) == ["FIELD_NAMED_TYPE_CHANGED #/M/1", "FIELD_SCALAR_KIND_CHANGED #/T/1"]


def test_an_import_under_another_path_and_package() -> None:
    user = P3 + 'import "other.proto"; message M { other.T t = 1; }'
    library = LIBRARY.replace("package lib", "package other")
    old = schema(USER, LIBRARY.format("int32 a = 1;"))
    assert schema(user, library.format("int32 a = 1;"), name="other.proto").differences(old) == []
    assert schema(user, library.format("bytes a = 1;"), 7, name="other.proto").differences(old) != []


def test_a_type_that_moves_into_the_file() -> None:
    imported = schema(USER, LIBRARY.format("int32 a = 1;"))
    local = parse(SchemaSource(P3 + "message M { T t = 1; } message T { int32 a = 1; }"))
    assert local.differences(imported) == []
    assert kinds(imported.differences(local)) == ["MESSAGE_REMOVED #/T"]


def test_an_enum_of_an_import_is_a_number() -> None:
    user = P3 + 'import "lib.proto"; message M { lib.E e = 1; }'
    imported = schema(user, P3 + "package lib; enum E { Z = 0; }")
    assert parse(SchemaSource(P3 + "message M { int32 e = 1; }")).differences(imported) == []


def test_a_long_chain_of_imported_types() -> None:
    count = 500
    chain = "".join(f"message T{i} {{ T{i + 1} t = 1; T{i + 1} u = 2; }} " for i in range(count))
    library = P3 + f"package lib; {chain} message T{count} {{ {{}} a = 1; }}".replace("{{}}", "{}")
    user = P3 + 'import "lib.proto"; message M { lib.T0 t = 1; }'
    start, end = library.rsplit("{} a = 1;", 1)
    old, new = schema(user, f"{start}int32 a = 1;{end}"), schema(user, f"{start}string a = 1;{end}", version=2)
    assert len(new.differences(old)) == 2 * count + 2
    assert new.differences(schema(user, f"{start}bytes a = 1;{end}", version=3)) == []


@pytest.mark.parametrize("path", ["google/protobuf/timestamp.proto", "google/type/date.proto"])
def test_a_built_in_file_taken_from_a_reference_is_the_same(path: str) -> None:
    name = "google.protobuf.Timestamp" if "timestamp" in path else "google.type.Date"
    text = f'{P3} import "{path}"; message M {{ {name} t = 1; }}'
    fields = "int64 seconds = 1; int32 nanos = 2;" if "timestamp" in path else "int32 year = 1; int32 month = 2;"
    package, _, message = name.rpartition(".")
    built_in = parse(SchemaSource(text))
    referred = schema(text, f"{P3} package {package}; message {message} {{ {fields} }}", name=path)
    assert built_in.differences(referred) == []
