"""What a table of Flink SQL minds: that a value which was written is read as something else, or has to be made up.

So columns may go, come and change places as long as there is a value to read; types widen where no value is lost.
"""

from __future__ import annotations

from riacho.schemas.logical.comparison import Comparison
from riacho.schemas.logical.finding import Mode, Rule
from riacho.schemas.logical.types import LENGTH_MAX, Column, Kind, LogicalType

_INTEGERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)
# By the reader's type: what else than itself it reads without loss. Narrower than what Flink's planner casts by itself,
# since rows that were written are not written again: a double holds no BIGINT, a decimal no double, and a time of day
# or a time zone that is left out does not come back.
_READS: dict[Kind, tuple[Kind, ...]] = {
    Kind.VARCHAR: (Kind.CHAR,),
    Kind.VARBINARY: (Kind.BINARY,),
    Kind.SMALLINT: _INTEGERS[:1],
    Kind.INT: _INTEGERS[:2],
    Kind.BIGINT: _INTEGERS[:3],
    Kind.DECIMAL: _INTEGERS,
    Kind.FLOAT: _INTEGERS[:2],
    Kind.DOUBLE: (*_INTEGERS[:3], Kind.FLOAT),
}
_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INT: 10, Kind.BIGINT: 19}
_FIXED = (Kind.CHAR, Kind.BINARY)
_VARYING = (Kind.VARCHAR, Kind.VARBINARY)


class FlinkComparison(Comparison):
    mode = Mode.FLINK

    def _fills_in(self, column: Column) -> bool:
        return column.type.is_nullable or column.has_default

    def _compare_columns(self, written: Column, read: Column, path: str) -> None:
        if read.type.is_nullable:
            return
        if written.type.is_nullable:
            # A default stands in for a value that is missing, not for one that is null.
            self._find(Rule.NULLABLE_TO_NON_NULLABLE, path)
        elif written.has_default and not read.has_default:
            self._find(Rule.NON_NULLABLE_DEFAULT_REMOVED, path)

    def _drop(self, written: Column, path: str) -> None:
        pass

    def _compare_values(self, written: LogicalType, read: LogicalType, path: str) -> None:
        if written.element is not None and read.element is not None:
            self._compare_inner(written.element, read.element, f"{path}[]")
        elif written.key is not None and read.key is not None:
            assert written.value is not None
            assert read.value is not None
            self._compare_inner(written.key, read.key, f"{path}{{key}}")
            self._compare_inner(written.value, read.value, f"{path}{{}}")
        elif not _reads(written, read):
            self._change(Rule.UNSUPPORTED_TYPE_CHANGE, path, written, read)

    def _compare_inner(self, written: LogicalType, read: LogicalType, path: str) -> None:
        if written.is_nullable and not read.is_nullable:
            self._find(Rule.NULLABLE_TO_NON_NULLABLE, path)
        self._compare(written, read, path)


def _reads(written: LogicalType, read: LogicalType) -> bool:
    was, now = _kind(written), _kind(read)
    if was is not now and was not in _READS.get(now, ()):
        return False
    if now in _VARYING:
        return _length(read) >= _length(written)
    if now in _FIXED:
        return read.length == written.length
    if now is Kind.DECIMAL:
        if was is Kind.DECIMAL:
            return read.scale == written.scale and read.precision >= written.precision
        return read.precision - read.scale >= _DIGITS[was]
    # The precision of a time is the unit of what is stored.
    return read.precision == written.precision


def _kind(type: LogicalType) -> Kind:
    """Flink has no enums: their symbols are texts of any length."""
    return Kind.VARCHAR if type.kind is Kind.ENUM else type.kind


def _length(type: LogicalType) -> int:
    """A varying length that is not positive is none."""
    return LENGTH_MAX if type.length <= 0 and type.kind in _VARYING else type.length
