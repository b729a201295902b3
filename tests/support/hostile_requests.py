"""Requests that mean harm, made from the schema of each message: a new API is covered without a line here.

A request is built around one of its arrays, at any depth, which gets many elements while the others get one. What the
elements say is chosen by field name where that brings a request past the first check of its handler, and is otherwise
a value of the field's type.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from riacho.wire import codec
from riacho.wire.apis import APIS, request_class
from riacho.wire.header import encode_request_header
from riacho.wire.schema import Field, WireStruct

Path = tuple[str, ...]

# What gets past a handler's first checks.
SANE: dict[str, Any] = {
    "replica_id": -1,
    "max_wait_ms": 0,
    "min_bytes": 0,
    "max_bytes": 1 << 20,
    "partition_max_bytes": 1 << 10,
    "session_epoch": -1,
    "timeout_ms": 1_000,
    "session_timeout_ms": 10_000,
    "rebalance_timeout_ms": 10_000,
    "protocol_type": "consumer",
    "protocol_name": "range",
    "client_software_name": "hostile",
    "client_software_version": "1",
    "acks": 1,
    "producer_id": -1,
    "producer_epoch": -1,
    "current_leader_epoch": -1,
    "leader_epoch": -1,
    "committed_leader_epoch": -1,
    "generation_id": -1,
    "generation_id_or_member_epoch": -1,
    "member_epoch": 0,
    "member_id": "",
    "group_instance_id": None,
    "instance_id": None,
    "server_assignor": None,
    "subscribed_topic_regex": None,
    "assignments": None,
    "num_partitions": 1,
    "replication_factor": 1,
    "resource_type": 2,
    "resource_type_filter": 2,
    "pattern_type": 3,
    "pattern_type_filter": 1,
    "operation": 3,
    "permission_type": 3,
    "timestamp": -1,
    "count": 2,
    "validate_only": False,
    "mechanism": 1,
    "iterations": 4096,
    "response_partition_limit": 2000,
    "broker_id": 1,
    "offset": 0,
}


@dataclass(frozen=True)
class Names:
    """What the elements of the large array are called: all alike, or each its own; known to the broker, or made up."""

    word: str
    topic_id: bytes = bytes(16)
    is_distinct: bool = True

    def text(self, at: int) -> str:
        return f"{self.word}{at}" if self.is_distinct and at else self.word

    def number(self, at: int) -> int:
        return at if self.is_distinct else 0

    def uuid(self, at: int) -> bytes:
        return at.to_bytes(16, "big") if self.is_distinct and at else self.topic_id


@dataclass
class Builder:
    version: int
    path: Path
    count: int
    names: Names
    integers: int | None = None
    # How many elements the arrays beside it have.
    others: int = 1
    # Null wherever that is allowed.
    is_null: bool = False
    _at: int = field(default=0, init=False)

    def struct(self, cls: type[Any], path: Path) -> Any:
        values = {}
        for each in cls.FIELDS:
            if each.is_in(self.version):
                values[each.name] = self.value(each, path)
        return cls(**values)

    def value(self, each: Field, path: Path) -> Any:
        is_on_the_way = bool(path) and path[0] == each.name
        if self.is_null and not is_on_the_way and each.is_nullable_in(self.version):
            return None
        if each.array:
            return self.array(each, path)
        if each.name in SANE and self.integers is None:
            sane = SANE[each.name]
            if sane is None and not each.is_nullable_in(self.version):
                return ""
            if isinstance(sane, str) == (each.type == "string") and (type(sane) is bool) == (each.type == "bool"):
                return sane
        if not isinstance(each.type, str):
            return None if each.is_nullable_in(self.version) else self.struct(each.type, ())
        return self.single(each.type)

    def array(self, each: Field, path: Path) -> list[Any]:
        is_large = path == (each.name,)
        rest = path[1:] if path and path[0] == each.name else ()
        made = []
        is_on_the_way = bool(path) and path[0] == each.name
        for at in range(self.count if is_large else 1 if is_on_the_way else self.others):
            if is_large:
                self._at = at
            made.append(self.single(each.type) if isinstance(each.type, str) else self.struct(each.type, rest))
        return made

    def single(self, kind: str) -> Any:
        if kind == "string":
            return self.names.text(self._at)
        if kind == "uuid":
            return self.names.uuid(self._at)
        if kind in ("bytes", "records"):
            return b""
        if kind == "bool":
            return False
        if kind == "float64":
            return 1.0
        if self.integers is not None:
            bits = int(kind.lstrip("uint"))
            return max(-(1 << bits - 1), min(self.integers, (1 << bits - 1) - 1)) if kind[0] == "i" else 0
        return self.names.number(self._at) % 120 if kind == "int8" else self.names.number(self._at) % 30_000


def array_paths(cls: type[WireStruct], version: int) -> Iterator[Path]:
    """Every array of the message, however deep."""
    for each in cls.FIELDS:
        if not each.is_in(version):
            continue
        if each.array:
            yield (each.name,)
        if not isinstance(each.type, str):
            for inner in array_paths(each.type, version):
                if each.array:
                    yield (each.name, *inner)


def hostile_request(key: int, version: int, path: Path, count: int, names: Names, **options: Any) -> Any:
    return Builder(version, path, count, names, **options).struct(request_class(key), path)


def request_bytes(message: Any, key: int, version: int, correlation_id: int = 7) -> bytearray:
    out = bytearray()
    encode_request_header(key, version, correlation_id, "hostile", out)
    codec.encoder(type(message), version)(message, out, None)
    return out


def name_of(key: int) -> str:
    return APIS[key].name
