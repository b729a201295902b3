"""What a table of Iceberg, format version 2, minds.

Columns are known by name, so one that goes takes its data with it. No column has a default there: a new one is
optional, or holds lists or maps, of which none at all and an empty one are as good as the same. Lengths of texts, and
how small an integer is, are nothing that Iceberg knows.
"""

from __future__ import annotations

from riacho.schemas.logical.comparison import Comparison
from riacho.schemas.logical.finding import Mode, Rule
from riacho.schemas.logical.types import Column, Kind, LogicalType, plain
from riacho.schemas.logical.validity import ICEBERG_PRECISION_MAX

_CONTAINERS = (Kind.ARRAY, Kind.MAP, Kind.MULTISET)
_COUNT = plain(Kind.INT)
_STORED = {
    Kind.TINYINT: "int",
    Kind.SMALLINT: "int",
    Kind.INT: "int",
    Kind.BIGINT: "long",
    Kind.CHAR: "string",
    Kind.VARCHAR: "string",
    Kind.ENUM: "string",
    Kind.BINARY: "fixed",
    Kind.VARBINARY: "binary",
}
_PROMOTIONS = {("int", "long"), ("FLOAT", "DOUBLE")}


class IcebergComparison(Comparison):
    mode = Mode.ICEBERG_V2

    def _fills_in(self, column: Column) -> bool:
        return column.type.is_nullable or (column.has_default and self._reader.resolve(column.type).kind in _CONTAINERS)

    def _compare_columns(self, written: Column, read: Column, path: str) -> None:
        if written.type.is_nullable and not self._fills_in(read):
            self._find(Rule.NULLABLE_TO_NON_NULLABLE, path)

    def _drop(self, written: Column, path: str) -> None:
        self._find(Rule.FIELD_DELETED, path)

    def _shape(self, type: LogicalType) -> Kind | None:
        shape = super()._shape(type)
        return Kind.MAP if shape is Kind.MULTISET else shape

    def _compare_values(self, written: LogicalType, read: LogicalType, path: str) -> None:
        match self._shape(written):
            case Kind.ARRAY:
                assert written.element is not None
                assert read.element is not None
                self._compare(written.element, read.element, f"{path}[]")
            case Kind.MAP:
                self._compare_maps(written, read, path)
            case _:
                self._compare_leaves(written, read, path)

    def _compare_maps(self, written: LogicalType, read: LogicalType, path: str) -> None:
        (key, value), (read_key, read_value) = _entry(written), _entry(read)
        if not self._is_same(key, read_key, set()):
            self._change(Rule.MAP_KEY_TYPE_MISMATCH, path, key, read_key)
        self._compare(value, read_value, f"{path}{{}}")

    def _compare_leaves(self, written: LogicalType, read: LogicalType, path: str) -> None:
        was, now = _stored(written), _stored(read)
        if was != now:
            fits = (was, now) in _PROMOTIONS
        elif written.kind is Kind.DECIMAL:
            fits = read.scale == written.scale and read.precision >= written.precision
        else:
            fits = written.kind is not Kind.BINARY or read.length == written.length
        if not fits:
            self._change(Rule.UNSUPPORTED_TYPE_CHANGE, path, written, read)
        if written.kind is read.kind is Kind.ENUM:
            symbols = set(read.symbols)
            missing = [symbol for symbol in written.symbols if symbol not in symbols]
            if missing:
                self._find(Rule.ENUM_DELETED, path, ", ".join(missing))

    def _is_same(self, written: LogicalType, read: LogicalType, under_way: set[tuple[str, str]]) -> bool:
        """Of keys, which may not change at all: column by column, in their order. A pair of names met again within
        itself adds nothing."""
        self._count()
        if written.kind is read.kind is Kind.NAMED:
            names = written.name, read.name
            if names in under_way:
                return True
            under_way = under_way | {names}
        written, read = self._writer.resolve(written), self._reader.resolve(read)
        if Kind.NAMED in (written.kind, read.kind):
            return (written.kind, written.name) == (read.kind, read.name)
        shape = self._shape(written)
        if shape is not self._shape(read):
            return False
        if shape is Kind.MAP:
            pairs = list(zip(_entry(written), _entry(read), strict=True))
        elif shape is None:
            return (_stored(written), _size(written)) == (_stored(read), _size(read))
        else:
            if [column.name for column in written.columns] != [column.name for column in read.columns]:
                return False
            pairs = list(zip(written.parts(), read.parts(), strict=True))
        return all(self._is_same(was, now, under_way) for was, now in pairs)


def _entry(type: LogicalType) -> tuple[LogicalType, LogicalType]:
    """Iceberg has no multisets: one is a map to how many there are."""
    key, value = (type.element, _COUNT) if type.kind is Kind.MULTISET else (type.key, type.value)
    assert key is not None
    assert value is not None
    return key, value


def _stored(type: LogicalType) -> str:
    if type.kind in (Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ) and type.precision > ICEBERG_PRECISION_MAX:
        return f"{type.kind.value} in nanoseconds"
    return _STORED.get(type.kind, type.kind.value)


def _size(type: LogicalType) -> tuple[int, int] | None:
    """As far as Iceberg has one."""
    if type.kind is Kind.DECIMAL:
        return type.precision, type.scale
    return (type.length, 0) if type.kind is Kind.BINARY else None
