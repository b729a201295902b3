"""Options in one form: extensions under their full names, parts of one option put together, sorted by name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

from riacho.schemas.protobuf.elements import Literal, NamePart, Option, Value
from riacho.schemas.protobuf.files import ProtoFile
from riacho.schemas.protobuf.scalars import parse_number


class OptionNormalizer:
    def __init__(self, file: ProtoFile) -> None:
        self._file = file

    def normalize(self, options: Iterable[Option], scope: str) -> tuple[Option, ...]:
        found: dict[tuple[str, bool], list[Option]] = {}
        for option in options:
            option = self._qualified(option, scope)
            found.setdefault((option.name, option.is_extension), []).append(option)
        return tuple(option for name in sorted(found) for option in self._merged(found[name], scope))

    def _qualified(self, option: Option, scope: str) -> Option:
        """`(ext).a.b = 1` is `(full.name.of.ext) = {a: {b: 1}}`."""
        value = self._value(option.value, scope, nested=False)
        if not option.is_extension:
            return Option(option.parts, value)
        entry = self._file.resolve_extension(option.parts[0].text, scope)
        if entry is None:
            return Option(option.parts, value)
        for part in reversed(option.parts[1:]):
            value = {self._key(f"[{part.text}]" if part.is_extension else part.text, scope): value}
        return Option((NamePart(entry.full_name, is_extension=True),), value)

    def _merged(self, options: list[Option], scope: str) -> list[Option]:
        """An option that holds one message may be said in parts; a repeated one is said again and again."""
        first = options[0]
        entry = self._file.resolve_extension(first.name, scope) if first.is_extension else None
        if entry is None or entry.field.label == "repeated" or len(options) == 1:
            return options
        value = _joined([option.value for option in options])
        return [Option(first.parts, self._value(value, scope, nested=False))]

    def _value(self, value: Value, scope: str, *, nested: bool) -> Value:
        if isinstance(value, Literal):
            return Literal(number_text(value.text))
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            items = [self._value(item, scope, nested=True) for item in value]
            return items[0] if nested and len(items) == 1 else items
        entries = {self._key(name, scope): item for name, item in value.items() if item != []}
        return {name: self._value(entries[name], scope, nested=True) for name in sorted(entries)}

    def _key(self, name: str, scope: str) -> str:
        if not name.startswith("["):
            return name
        entry = self._file.resolve_extension(name[1:-1], scope)
        return name if entry is None else f"[{entry.full_name}]"


def _joined(values: list[Value]) -> Value:
    """Messages are put together, a name that comes again makes a list; of anything else the last one counts."""
    gathered: dict[str, dict[str, Value]] = {}
    for value in values:
        if not isinstance(value, dict):
            return values[-1]
        for name, item in value.items():
            known = gathered.setdefault(name, {})
            for single in item if isinstance(item, list) else [item]:
                known.setdefault(repr(single), single)
    return {
        name: next(iter(items.values())) if len(items) == 1 else list(items.values())
        for name, items in gathered.items()
    }


def number_text(text: str) -> str:
    """A number in plain decimal; anything else as it is."""
    number = parse_number(text)
    if number is None or (isinstance(number, float) and not math.isfinite(number)):
        return text
    if isinstance(number, int):
        return str(number)
    plain = format(Decimal(repr(number)), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
