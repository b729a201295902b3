"""What several families use: names, properties, durations, lists."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.keywords import UNITS
from riacho.pipelines.sql.parsing.literals import LONG_MAX, Name, location, unquoted
from riacho.pipelines.sql.syntax.expressions import Location
from riacho.pipelines.sql.syntax.statements import Duration, Kind, Properties, PropertyValue

_UNITS_OF_DURATIONS = ("DAYS", "HOURS", "MINUTES", "SECONDS", "MILLISECONDS")


@v_args(inline=True)
class SharedRules(Transformer[Token, object]):
    def plain_name(self, token: Token) -> Name:
        return Name(token.upper(), location(token))

    def quoted_name(self, token: Token) -> Name:
        if len(token) == 2:
            raise ParseError("An identifier has at least one character.", *location(token))
        return Name(unquoted(token), location(token))

    def written(self, token: Token) -> Name:
        return Name(str(token), location(token))

    def string_text(self, token: Token) -> str:
        return unquoted(token)

    def stream(self) -> Kind:
        return Kind.STREAM

    def table(self) -> Kind:
        return Kind.TABLE

    def flag(self) -> bool:
        return True

    def nothing(self, *_children: object) -> None:
        return None

    def same(self, child: object) -> object:
        return child

    def second(self, _first: object, second: object) -> object:
        return second

    def empty(self) -> tuple[object, ...]:
        return ()

    def collected(self, *children: object) -> tuple[object, ...]:
        return children

    # WITH (...)

    def with_properties(self, *properties: tuple[str, PropertyValue, Location | None]) -> Properties:
        found: dict[str, PropertyValue] = {}
        for key, value, at in properties:
            if key in found:
                raise ParseError(f"The property {key[:200]} is given twice.", *(at or (1, 1)))
            found[key] = value
        return found

    def property(self, key: Name | str, value: PropertyValue) -> tuple[str, PropertyValue, Location | None]:
        return (key.text, value, key.at) if isinstance(key, Name) else (key, value, None)

    def integer_value(self, token: Token) -> int:
        return bounded_integer(token)

    def negative_integer(self, token: Token) -> int:
        return -bounded_integer(token)

    def number_text(self, token: Token) -> str:
        return str(token)

    def negative_number_text(self, token: Token) -> str:
        return f"-{token}"

    def true_value(self, _token: Token) -> bool:
        return True

    def false_value(self, _token: Token) -> bool:
        return False

    def null_value(self, _token: Token) -> None:
        return None

    def duration(self, amount: Token, unit: Token) -> Duration:
        plural = UNITS[unit.upper()]
        if plural not in _UNITS_OF_DURATIONS:
            known = ", ".join(_UNITS_OF_DURATIONS)
            raise ParseError(f"A duration in {plural} has no fixed length; units are {known}.", *location(unit))
        return Duration(bounded_integer(amount), plural)


def bounded_integer(token: Token) -> int:
    if len(token) > 20 or int(token) > LONG_MAX:
        raise ParseError(f"Invalid numeric literal: {token[:40]}", *location(token))
    return int(token)


def text_of(resource: Name | str) -> str:
    return resource.text if isinstance(resource, Name) else resource
