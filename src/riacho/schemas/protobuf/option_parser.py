"""Options as they are written: `name = value`, where a value may be an aggregate in protobuf's text format."""

from __future__ import annotations

from riacho.schemas.protobuf.elements import Literal, NamePart, Option, Value
from riacho.schemas.protobuf.lexer import Lexer

# How deep aggregates may nest; without it a hostile text would exhaust the stack.
DEPTH_MAX = 64


def read_statement(lexer: Lexer) -> Option:
    """What follows the word `option`."""
    option = _option(lexer)
    lexer.expect(";")
    return option


def read_bracketed(lexer: Lexer) -> tuple[Option, ...]:
    """`[a = 1, b = 2]`, or nothing."""
    if not lexer.accept("["):
        return ()
    options = [_option(lexer)]
    while lexer.accept(","):
        options.append(_option(lexer))
    lexer.expect("]")
    return tuple(options)


def _option(lexer: Lexer) -> Option:
    parts = [_name_part(lexer)]
    while lexer.accept("."):
        parts.append(_name_part(lexer))
    lexer.expect("=")
    return Option(tuple(parts), read_value(lexer, 0))


def _name_part(lexer: Lexer) -> NamePart:
    if not lexer.accept("("):
        return NamePart(lexer.word())
    name = lexer.dotted_name()
    lexer.expect(")")
    return NamePart(name, is_extension=True)


def read_value(lexer: Lexer, depth: int) -> Value:
    if depth > DEPTH_MAX:
        raise lexer.error("option values nest too deeply")
    if lexer.kind == "string":
        return lexer.string()
    if lexer.looks_at("{") or lexer.looks_at("<"):
        return _aggregate(lexer, depth)
    if lexer.accept("["):
        return _list(lexer, depth)
    return _literal(lexer)


def _literal(lexer: Lexer) -> Literal:
    sign = "-" if lexer.accept("-") else ""
    if not sign:
        lexer.accept("+")
    if lexer.kind == "number":
        return Literal(sign + lexer.next())
    if lexer.kind == "word":
        return Literal(sign + lexer.next())
    raise lexer.error(f"expected a value but found {lexer.shown()}")


def _list(lexer: Lexer, depth: int) -> list[Value]:
    values: list[Value] = []
    while not lexer.accept("]"):
        if values:
            lexer.expect(",")
            if lexer.accept("]"):
                break
        values.append(read_value(lexer, depth + 1))
    return values


def _aggregate(lexer: Lexer, depth: int) -> dict[str, Value]:
    end = "}" if lexer.next() == "{" else ">"
    entries: dict[str, Value] = {}
    while not lexer.accept(end):
        name = _entry_name(lexer)
        if not lexer.accept(":") and not (lexer.looks_at("{") or lexer.looks_at("<")):
            raise lexer.error(f"expected ':' but found {lexer.shown()}")
        _add(entries, name, read_value(lexer, depth + 1))
        if not lexer.accept(","):
            lexer.accept(";")
    return entries


def _entry_name(lexer: Lexer) -> str:
    if not lexer.accept("["):
        return lexer.dotted_name()
    name = lexer.dotted_name()
    # The name of a type within google.protobuf.Any.
    if lexer.accept("/"):
        name += "/" + lexer.dotted_name()
    lexer.expect("]")
    return f"[{name}]"


def _add(entries: dict[str, Value], name: str, value: Value) -> None:
    """A name that comes again makes a list: that is how a repeated field may be written."""
    known = entries.setdefault(name, value)
    if known is value:
        return
    if not isinstance(known, list):
        known = entries[name] = [known]
    known.extend(value if isinstance(value, list) else [value])
