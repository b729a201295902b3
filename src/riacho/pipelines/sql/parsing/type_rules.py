"""Types as they are written: from rules of expressions.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql import types
from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.literals import Name, location
from riacho.pipelines.sql.syntax.expressions import (
    ArrayName,
    CustomType,
    KnownType,
    Location,
    MapName,
    StructName,
    TypeName,
)

_KNOWN: dict[str, types.SqlType] = {
    "BOOLEAN": types.BOOLEAN,
    "INT": types.INTEGER,
    "INTEGER": types.INTEGER,
    "BIGINT": types.BIGINT,
    "DOUBLE": types.DOUBLE,
    "VARCHAR": types.STRING,
    "STRING": types.STRING,
    "BYTES": types.BYTES,
    "TIME": types.TIME,
    "DATE": types.DATE,
    "TIMESTAMP": types.TIMESTAMP,
}
_DECIMALS = ("DECIMAL", "DEC")


@v_args(inline=True)
class TypeRules(Transformer[Token, object]):
    def named_type(self, name: Name) -> TypeName:
        known = _KNOWN.get(name.text)
        if known is not None:
            return KnownType(known, at=name.at)
        if name.text in _DECIMALS:
            raise ParseError(f"{name.text} needs its precision and scale, such as {name.text}(10, 2).", *name.at)
        return CustomType(name.text, at=name.at)

    def sized_type(self, name: Name, *sizes: Token) -> TypeName:
        if any(len(size) > 9 for size in sizes):
            raise ParseError(f"The size of type {name.text} is out of range.", *name.at)
        numbers = [int(size) for size in sizes]
        if name.text in _DECIMALS and len(numbers) == 2:
            return KnownType(_decimal(numbers[0], numbers[1], name.at), at=name.at)
        if name.text in ("VARCHAR", "STRING") and len(numbers) == 1:
            # As long as it likes: ksqlDB's strings have no length.
            return KnownType(types.STRING, at=name.at)
        raise ParseError(f"Type {name.text} has no {len(numbers)} parameter{'s'[: len(numbers) - 1]}.", *name.at)

    def array_type(self, array: Token, item: TypeName) -> TypeName:
        return ArrayName(item, at=location(array))

    def map_type(self, opening: Token, key: TypeName, value: TypeName) -> TypeName:
        return MapName(key, value, at=location(opening))

    def struct_type(self, opening: Token, *fields: tuple[Name, TypeName] | None) -> TypeName:
        present = [each for each in fields if each is not None]
        seen = set[str]()
        for name, _ in present:
            if name.text in seen:
                raise ParseError(f"Duplicate field names found in STRUCT: '{name.text[:80]}'", *name.at)
            seen.add(name.text)
        return StructName(tuple((name.text, kind) for name, kind in present), at=location(opening))

    def empty_struct_type(self, opening: Token, *_rest: object) -> TypeName:
        return StructName((), at=location(opening))


def _decimal(precision: int, scale: int, at: Location) -> types.Decimal:
    written = f"DECIMAL({precision},{scale})"
    if precision < 1:
        raise ParseError(f"DECIMAL precision must be >= 1: {written}", *at)
    if scale > precision:
        raise ParseError(f"DECIMAL precision must be >= scale: {written}", *at)
    return types.Decimal(precision, scale)
