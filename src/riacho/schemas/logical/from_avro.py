"""Avro as columns: logical types, and the attributes by which Connect and Flink keep what Avro has no type for."""

from __future__ import annotations

from collections import Counter

from riacho.schemas.avro.schema import AvroSchema
from riacho.schemas.avro.types import Array, AvroType, EnumType, Fixed, MapType, NamedType, Record, Union
from riacho.schemas.avro.types import Kind as Avro
from riacho.schemas.logical.annotations import hinted_name, key_type
from riacho.schemas.logical.naming import Naming
from riacho.schemas.logical.types import (
    LENGTH_MAX,
    Column,
    Kind,
    LogicalSchema,
    LogicalType,
    UnrepresentableError,
    array,
    decimal,
    enumeration,
    map_of,
    plain,
    sized,
    struct,
    temporal,
    union,
)
from riacho.schemas.parsed import Json

_PLAIN = {Avro.BOOLEAN: Kind.BOOLEAN, Avro.FLOAT: Kind.FLOAT, Avro.DOUBLE: Kind.DOUBLE}
# Kind, precision, and whether `flink.precision` may be larger than what the unit resolves: it is where no finer one is.
_TIMES = {
    "time-micros": (Kind.TIME, 6, True),
    "timestamp-millis": (Kind.TIMESTAMP_LTZ, 3, False),
    "timestamp-micros": (Kind.TIMESTAMP_LTZ, 6, False),
    "timestamp-nanos": (Kind.TIMESTAMP_LTZ, 9, True),
    "local-timestamp-millis": (Kind.TIMESTAMP, 3, False),
    "local-timestamp-micros": (Kind.TIMESTAMP, 6, False),
    "local-timestamp-nanos": (Kind.TIMESTAMP, 9, True),
}
_SMALL_INTEGERS = {"int8": Kind.TINYINT, "int16": Kind.SMALLINT}
_MAP_ENTRY = "MapEntry"


def from_avro(schema: AvroSchema) -> LogicalSchema:
    naming = Naming()
    return naming.finish(_Columns(naming).type_of(schema.root, is_nullable=False, depth=0))


class _Columns:
    def __init__(self, naming: Naming, branch_names: Json = None) -> None:
        """`branch_names` are what a field says of the union in it (`confluent:union`)."""
        self._naming = naming
        self._branch_names = branch_names

    def type_of(self, avro: AvroType, is_nullable: bool, depth: int) -> LogicalType:
        self._naming.check(depth)
        match avro:
            case Union():
                return self._union(avro, depth)
            case Record() if _is_variant(avro):
                return plain(Kind.VARIANT, is_nullable)
            case Record() if _is_anonymous(avro):
                return self._record(avro, depth).nullable(is_nullable)
            case Record():
                return self._naming.named(avro.name.full, lambda: self._record(avro, 0), is_nullable)
            case EnumType() if _is_anonymous(avro):
                return enumeration(avro.symbols, is_nullable)
            case EnumType():
                return self._naming.named(avro.name.full, lambda: enumeration(avro.symbols), is_nullable)
            case Array():
                return self._array(avro, is_nullable, depth)
            case MapType():
                value = self.type_of(avro.values, False, depth + 1)
                return map_of(key_type(avro.props), value, is_nullable, is_multiset=_is_multiset(avro))
        return _leaf(avro).nullable(is_nullable)

    def _record(self, record: Record, depth: int) -> LogicalType:
        columns = []
        for field in record.fields:
            inner = _Columns(self._naming, field.props.get("confluent:union"))
            has_default = field.has_default and field.default is not None
            columns.append(Column(field.name, inner.type_of(field.type, False, depth + 1), has_default))
        return struct(columns)

    def _array(self, avro: Array, is_nullable: bool, depth: int) -> LogicalType:
        entry = avro.items
        if not _is_map(avro):
            return array(self.type_of(entry, False, depth + 1), is_nullable)
        if not isinstance(entry, Record) or set(entry.by_name) != {"key", "value"}:
            raise UnrepresentableError("the entries of a map are no records of a key and a value")
        key, value = (self.type_of(entry.by_name[name].type, False, depth + 1) for name in ("key", "value"))
        return map_of(key, value, is_nullable, is_multiset=_is_multiset(avro))

    def _union(self, avro: Union, depth: int) -> LogicalType:
        members = [branch for branch in avro.branches if branch.kind is not Avro.NULL]
        has_null = len(members) < len(avro.branches)
        if len(members) == 1:
            return self.type_of(members[0], has_null, depth)
        simple = [member.name.simple if isinstance(member, NamedType) else member.label for member in members]
        often = Counter(simple)
        branches = []
        for at, (member, short) in enumerate(zip(members, simple, strict=True)):
            name = hinted_name(self._branch_names, at)
            if name is None:
                name = short if often[short] == 1 else member.label.replace(".", "_")
            branches.append(Column(name, self.type_of(member, False, depth + 1)))
        return union(branches, has_null)


def _leaf(avro: AvroType) -> LogicalType:
    logical = _text(avro, "logicalType").lower()
    match avro.kind:
        case Avro.BYTES | Avro.FIXED if logical == "decimal":
            precision, scale = _integer(avro, "precision"), avro.props.get("scale")
            return decimal(10 if precision is None else precision, scale if type(scale) is int else 0)
        case Avro.FIXED:
            assert isinstance(avro, Fixed)
            return sized(Kind.BINARY, avro.size)
        case Avro.BYTES:
            return sized(Kind.VARBINARY, _length(avro, "flink.maxLength"))
        case Avro.STRING:
            length = _length(avro, "flink.maxLength")
            is_char = "flink.minLength" in avro.props and _length(avro, "flink.minLength") == length
            return sized(Kind.CHAR if is_char else Kind.VARCHAR, length)
        case Avro.INT:
            return _int(avro, logical)
        case Avro.LONG if logical in _TIMES:
            kind, precision, may_exceed = _TIMES[logical]
            return temporal(kind, _precision(avro, precision, may_exceed))
        case Avro.LONG:
            return plain(Kind.BIGINT)
        case Avro.NULL:
            raise UnrepresentableError("null by itself is no type of a column")
    return plain(_PLAIN[avro.kind])


def _int(avro: AvroType, logical: str) -> LogicalType:
    if logical == "date":
        return plain(Kind.DATE)
    if logical == "time-millis":
        return temporal(Kind.TIME, _precision(avro, 3, False))
    connect = _text(avro, "connect.type").lower()
    if logical or not connect:
        return plain(Kind.INT)
    if connect not in _SMALL_INTEGERS:
        raise UnrepresentableError(f"the connect.type {connect!a} of an int is neither int8 nor int16")
    return plain(_SMALL_INTEGERS[connect])


def _precision(avro: AvroType, resolved: int, may_exceed: bool) -> int:
    """Rows hold what their unit resolves: to read it as a finer one would make other times of it."""
    said = avro.props.get("flink.precision")
    if not isinstance(said, int | float) or isinstance(said, bool):
        return resolved
    if said > resolved and not may_exceed:
        raise UnrepresentableError(f"flink.precision is {said}, more than the {resolved} that the logical type has")
    return int(said)


def _is_variant(record: Record) -> bool:
    fields = {field.name: field.type.kind for field in record.fields}
    return record.name.full == "confluent.type.Variant" and fields == {"metadata": Avro.BYTES, "value": Avro.BYTES}


def _is_map(avro: Array) -> bool:
    """Maps with keys that are no strings: arrays of entries, marked in one of the ways that there have been."""
    entry = avro.items
    if avro.props.get("logicalType") == "map":
        return True
    if not isinstance(entry, Record):
        return False
    is_connect = entry.name.full == f"io.confluent.connect.avro.{_MAP_ENTRY}"
    return is_connect or entry.props.get("connect.internal.type") == _MAP_ENTRY


def _is_multiset(avro: AvroType) -> bool:
    return avro.props.get("flink.type") == "multiset"


def _is_anonymous(avro: AvroType) -> bool:
    return avro.props.get("logical.anonymous") == "true"


def _text(avro: AvroType, name: str) -> str:
    value = avro.props.get(name)
    return value if isinstance(value, str) else ""


def _length(avro: AvroType, name: str) -> int:
    length = _integer(avro, name)
    return LENGTH_MAX if length is None else length


def _integer(avro: AvroType, name: str) -> int | None:
    value = avro.props.get(name)
    if value is not None and type(value) is not int:
        raise UnrepresentableError(f"{name} is no integer")
    return value
