"""Whether a schema can be a table at all, whatever was there before it."""

from __future__ import annotations

from collections.abc import Iterator

from riacho.schemas.logical.finding import Finding, Mode, Rule, joined
from riacho.schemas.logical.nesting import Nesting, nesting_of
from riacho.schemas.logical.types import Kind, LogicalSchema, LogicalType, UnrepresentableError

# Levels of types within types, with names replaced by what they mean.
DEPTH_MAX = 100
DECIMAL_PRECISION_MAX = 38
# What Iceberg's timestamps of format version 2 resolve: microseconds.
ICEBERG_PRECISION_MAX = 6

_ALL = (Mode.FLINK, Mode.ICEBERG_V2)
_ICEBERG = (Mode.ICEBERG_V2,)
_LENGTH_MIN = {Kind.CHAR: 1, Kind.BINARY: 1, Kind.VARCHAR: 0, Kind.VARBINARY: 0}


def nesting_within(schema: LogicalSchema) -> Nesting:
    """UnrepresentableError where it is too deep."""
    nesting = nesting_of(schema)
    if nesting.depth > DEPTH_MAX:
        raise UnrepresentableError(f"types stand within types more than {DEPTH_MAX} deep")
    return nesting


def invalidities(schema: LogicalSchema) -> list[Finding]:
    """UnrepresentableError as above."""
    walk = _Walk(schema, nesting_within(schema))
    return sorted(walk.walk(schema.root, ""), key=lambda finding: finding.mode is not Mode.FLINK)


class _Walk:
    """Each named type once, at the first place that has it."""

    def __init__(self, schema: LogicalSchema, nesting: Nesting) -> None:
        self._named = schema.named
        self._recursive = nesting.recursive
        self._walked: set[str] = set()

    def walk(self, type: LogicalType, path: str) -> Iterator[Finding]:
        match type.kind:
            case Kind.NAMED:
                yield from self._named_type(type, path)
            case Kind.STRUCT | Kind.UNION:
                yield from _struct(type, path)
                for column in type.columns:
                    yield from self.walk(column.type, joined(path, column.name))
            case Kind.ARRAY | Kind.MULTISET:
                assert type.element is not None
                yield from self.walk(type.element, f"{path}[]")
            case Kind.MAP:
                assert type.key is not None
                assert type.value is not None
                yield from self.walk(type.key, f"{path}{{key}}")
                yield from self.walk(type.value, f"{path}{{}}")
            case _:
                yield from _leaf(type, path)

    def _named_type(self, type: LogicalType, path: str) -> Iterator[Finding]:
        body = self._named.get(type.name)
        if body is None:
            yield from _in(_ALL, Rule.UNRESOLVED_TYPE_REF, path, type.name)
        elif type.name in self._recursive:
            yield from _in(_ALL, Rule.CYCLIC_TYPE, path, type.name)
        elif type.name not in self._walked:
            self._walked.add(type.name)
            yield from self.walk(body, path)


def _struct(type: LogicalType, path: str) -> Iterator[Finding]:
    if not type.columns:
        yield from _in(_ICEBERG, Rule.EMPTY_STRUCT, path)
    by_lower: dict[str, str] = {}
    for column in type.columns:
        first = by_lower.setdefault(column.name.lower(), column.name)
        if first != column.name:
            yield from _in(_ICEBERG, Rule.FIELD_NAME_CASE_COLLISION, path, f"{first}, {column.name}")


def _leaf(type: LogicalType, path: str) -> Iterator[Finding]:
    if type.kind is Kind.DECIMAL:
        if not 1 <= type.precision <= DECIMAL_PRECISION_MAX:
            yield from _in(_ALL, Rule.PRECISION_OUT_OF_RANGE, path, str(type))
        if not 0 <= type.scale <= type.precision:
            yield from _in(_ALL, Rule.SCALE_OUT_OF_RANGE, path, str(type))
    elif type.kind in _LENGTH_MIN and type.length < _LENGTH_MIN[type.kind]:
        yield from _in(_ALL, Rule.LENGTH_OUT_OF_RANGE, path, str(type))
    elif type.kind is Kind.VARIANT:
        yield from _in(_ICEBERG, Rule.UNREPRESENTABLE_TYPE, path, "Iceberg has VARIANT from format version 3 on")
    elif type.kind in (Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ) and type.precision > ICEBERG_PRECISION_MAX:
        message = f"Iceberg has {type} from format version 3 on"
        yield from _in(_ICEBERG, Rule.UNREPRESENTABLE_TYPE, path, message)


def _in(modes: tuple[Mode, ...], rule: Rule, path: str, detail: str = "") -> Iterator[Finding]:
    return (Finding(mode, rule, path, detail) for mode in modes)
