"""A schema as a table has it: what columns of Flink and Iceberg hold, whatever kind of schema says so.

Named types stay references, so types may be recursive, and a type that is used in many places is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

LENGTH_MAX = 2**31 - 1
# Java counts these among the letters of a word, Python among its spaces.
_NO_BREAK = "\u00a0\u2007\u202f"


class UnrepresentableError(ValueError):
    """A schema that no table could have, said in one sentence."""


class Kind(Enum):
    """By Flink's names."""

    STRUCT = "STRUCT"
    UNION = "UNION"
    ARRAY = "ARRAY"
    MULTISET = "MULTISET"
    MAP = "MAP"
    NAMED = "NAMED"
    ENUM = "ENUM"
    BOOLEAN = "BOOLEAN"
    TINYINT = "TINYINT"
    SMALLINT = "SMALLINT"
    INT = "INT"
    BIGINT = "BIGINT"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    CHAR = "CHAR"
    VARCHAR = "VARCHAR"
    BINARY = "BINARY"
    VARBINARY = "VARBINARY"
    DATE = "DATE"
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_LTZ = "TIMESTAMP_LTZ"
    VARIANT = "VARIANT"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LogicalType:
    """`columns` are a struct's fields or a union's branches; `element` also is what a multiset counts."""

    kind: Kind
    is_nullable: bool = False
    name: str = ""
    columns: tuple[Column, ...] = ()
    element: LogicalType | None = None
    key: LogicalType | None = None
    value: LogicalType | None = None
    symbols: tuple[str, ...] = ()
    length: int = LENGTH_MAX
    precision: int = 0
    scale: int = 0

    def nullable(self, is_nullable: bool = True) -> LogicalType:
        return replace(self, is_nullable=is_nullable)

    def parts(self) -> list[LogicalType]:
        inner = [part for part in (self.element, self.key, self.value) if part is not None]
        return [*(column.type for column in self.columns), *inner]

    def __str__(self) -> str:
        match self.kind:
            case Kind.NAMED:
                return self.name
            case Kind.DECIMAL:
                return f"DECIMAL({self.precision}, {self.scale})"
            case Kind.CHAR | Kind.VARCHAR | Kind.BINARY | Kind.VARBINARY:
                return f"{self.kind.value}({self.length})"
            case Kind.TIME | Kind.TIMESTAMP | Kind.TIMESTAMP_LTZ:
                return f"{self.kind.value}({self.precision})"
        return self.kind.name


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """`has_default` says that there is one, and that it is not null."""

    name: str
    type: LogicalType
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class LogicalSchema:
    root: LogicalType
    named: Mapping[str, LogicalType] = field(default_factory=dict)

    def resolve(self, type: LogicalType) -> LogicalType:
        """What stands at the end of a chain of names; the name itself where it leads nowhere or back."""
        seen: set[str] = set()
        while type.kind is Kind.NAMED and type.name not in seen and type.name in self.named:
            seen.add(type.name)
            type = self.named[type.name]
        return type


def plain(kind: Kind, is_nullable: bool = False) -> LogicalType:
    return LogicalType(kind=kind, is_nullable=is_nullable)


def sized(kind: Kind, length: int, is_nullable: bool = False) -> LogicalType:
    return LogicalType(kind=kind, length=length, is_nullable=is_nullable)


def temporal(kind: Kind, precision: int, is_nullable: bool = False) -> LogicalType:
    if not 0 <= precision <= 9:
        raise UnrepresentableError(f"the precision of {kind.value} is {precision}, and not one of 0 to 9")
    return LogicalType(kind=kind, precision=precision, is_nullable=is_nullable)


def decimal(precision: int, scale: int, is_nullable: bool = False) -> LogicalType:
    return LogicalType(kind=Kind.DECIMAL, precision=precision, scale=scale, is_nullable=is_nullable)


def struct(columns: Iterable[Column], is_nullable: bool = False, kind: Kind = Kind.STRUCT) -> LogicalType:
    columns = tuple(columns)
    _check_names(column.name for column in columns)
    return LogicalType(kind=kind, columns=columns, is_nullable=is_nullable)


def union(branches: Iterable[Column], is_nullable: bool) -> LogicalType:
    """A struct of which one column is set: the others are null."""
    columns = (Column(branch.name, branch.type.nullable()) for branch in branches)
    return struct(columns, is_nullable, Kind.UNION)


def array(element: LogicalType, is_nullable: bool = False) -> LogicalType:
    return LogicalType(kind=Kind.ARRAY, element=element, is_nullable=is_nullable)


def map_of(key: LogicalType, value: LogicalType, is_nullable: bool, *, is_multiset: bool) -> LogicalType:
    """A multiset is written as a map from its elements to how many there are of each."""
    if not is_multiset:
        return LogicalType(kind=Kind.MAP, key=key, value=value, is_nullable=is_nullable)
    if value.kind is not Kind.INT:
        raise UnrepresentableError(f"a multiset counts with {value}, and not with INT")
    return LogicalType(kind=Kind.MULTISET, element=key, is_nullable=is_nullable)


def enumeration(symbols: Iterable[str], is_nullable: bool = False) -> LogicalType:
    symbols = tuple(symbols)
    _check_names(symbols)
    return LogicalType(kind=Kind.ENUM, symbols=symbols, is_nullable=is_nullable)


def _check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name:
            raise UnrepresentableError("a name is empty")
        if any((c.isspace() and c not in _NO_BREAK) or c < " " or "\x7f" <= c <= "\x9f" for c in name):
            raise UnrepresentableError(f"the name {name!a} has a space or a control character in it")
        if name in seen:
            raise UnrepresentableError(f"the name {name!a} stands twice in one type")
        seen.add(name)
