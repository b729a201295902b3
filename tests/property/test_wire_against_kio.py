"""Byte for byte against kio, for every message and version that kio has: we write, kio reads and writes it again.

kio gives meaning to some integers (durations, times, error codes), so those are drawn from what it accepts.
"""

from __future__ import annotations

import dataclasses
import datetime
import io
import uuid
from pkgutil import resolve_name
from typing import Any

import pytest
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer

from riacho.wire.codec import decode, decoder, encode
from riacho.wire.schema import Field, Message
from support.wire_messages import RandomMessages, message_classes, versions_of

MESSAGES_EACH = 4
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MILLISECOND = datetime.timedelta(milliseconds=1)


def kio_entities() -> dict[tuple[str, int], str]:
    """(message, version) -> where kio keeps it."""
    paths = [(path, v) for by_v in schema_name_map.values() for v, kinds in by_v.items() for path in kinds.values()]
    return {(path.rpartition(":")[2], version): path for path, version in paths}


KIO = kio_entities()
CLASSES = [cls for cls in message_classes() if any((cls.NAME, v) in KIO for v in versions_of(cls))]


class KioMessages(RandomMessages):
    """Random messages whose integers kio takes for error codes, durations and times."""

    def integer(self, field: Field) -> int:
        name = field.name
        if name.endswith("error_code"):
            return self.rng.choice((-1, 0, 3, 35, 79, 100))
        if field.type == "int64" and ("time" in name or name.endswith("_ms")):
            # kio takes -1 for "no time" only where it is the default.
            return self.rng.choice((field.default if field.default == -1 else 0, 1_000, 1_700_000_000_123))
        if field.type == "int32" and name.endswith("_ms"):
            return self.rng.choice((0, 1, 500, 60_000, 2**31 - 1))
        return super().integer(field)


def comparable(value: Any) -> Any:
    """What kio read, as our messages hold it."""
    match value:
        case datetime.timedelta():
            return value // MILLISECOND
        case datetime.datetime():
            return (value - EPOCH) // MILLISECOND
        case uuid.UUID():
            return value.bytes
        case tuple():
            return [comparable(element) for element in value]
    if dataclasses.is_dataclass(value):
        return {f.name: comparable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def assert_same(ours: Any, kios: Any, path: str) -> None:
    if isinstance(ours, list):
        assert len(ours) == len(kios), path
        for index, pair in enumerate(zip(ours, kios, strict=True)):
            assert_same(*pair, f"{path}[{index}]")
    elif isinstance(kios, dict):
        assert_struct_same(ours, kios, path)
    elif kios is None:
        # kio reads the zero uuid and the time -1 as none.
        assert ours in (None, bytes(16), -1), path
    else:
        assert ours == kios, path


def assert_struct_same(ours: Any, kios: dict[str, Any], path: str) -> None:
    known = {field.name for field in ours.FIELDS}
    for name, value in kios.items():
        # kio's names differ by an underscore against Python's builtins, and drop the unit of durations and times.
        plain = name.rstrip("_").replace("k_raft", "kraft")
        ours_name = plain if plain in known else plain + "_ms"
        assert_same(getattr(ours, ours_name), value, f"{path}.{ours_name}")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.NAME)
def test_bytes_equal_kios(cls: type[Message]) -> None:
    for version in versions_of(cls):
        if (cls.NAME, version) not in KIO:
            continue
        entity = resolve_name(KIO[cls.NAME, version])
        read, write = entity_reader(entity), entity_writer(entity)
        for seed in range(MESSAGES_EACH):
            message = KioMessages((cls.NAME, version, seed)).message(cls, version)
            ours = bytes(encode(message, version))
            theirs, size = read(ours, 0)
            assert size == len(ours)
            assert_struct_same(message, comparable(theirs), f"{cls.NAME} v{version}")
            written = io.BytesIO()
            write(written, theirs)
            assert written.getvalue() == ours, f"v{version}, seed {seed}"
            assert decoder(cls, version)(bytearray(written.getvalue()), 0) == (message, len(ours))
            assert decode(cls, version, memoryview(ours)) == message


def test_kio_covers_what_it_is_thought_to_cover() -> None:
    covered = {(cls.NAME, v) for cls in CLASSES for v in versions_of(cls)} & KIO.keys()
    assert len(covered) >= 620, sorted(KIO.keys() - covered)
