"""Strings, numbers, enums and constants: keywords against keywords, nothing below them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.difference import Difference, Differences, Kind
from riacho.schemas.json_text import ExactNumber, write_json
from riacho.schemas.parsed import Json

Limit = nodes.Number | None


def compare_limit(keyword: str, kinds: str, old: Limit, new: Limit) -> Differences:
    """`kinds`: the first words of the four kinds there are of it (MAX_LENGTH)."""
    if old == new:
        return []
    if old is None:
        change = "ADDED"
    elif new is None:
        change = "REMOVED"
    else:
        change = "INCREASED" if old < new else "DECREASED"
    return [Difference(Kind[f"{kinds}_{change}"], (keyword,))]


def compare_strings(old: nodes.String, new: nodes.String) -> Differences:
    found = compare_limit("maxLength", "MAX_LENGTH", old.max_length, new.max_length)
    found += compare_limit("minLength", "MIN_LENGTH", old.min_length, new.min_length)
    if old.pattern == new.pattern:
        return found
    if old.pattern is None:
        kind = Kind.PATTERN_ADDED
    elif new.pattern is None:
        kind = Kind.PATTERN_REMOVED
    else:
        kind = Kind.PATTERN_CHANGED
    return [*found, Difference(kind, ("pattern",))]


def compare_numbers(old: nodes.Numeric, new: nodes.Numeric) -> Differences:
    found = compare_limit("maximum", "MAXIMUM", old.maximum, new.maximum)
    found += compare_limit("minimum", "MINIMUM", old.minimum, new.minimum)
    found += compare_limit("exclusiveMaximum", "EXCLUSIVE_MAXIMUM", old.exclusive_maximum, new.exclusive_maximum)
    found += compare_limit("exclusiveMinimum", "EXCLUSIVE_MINIMUM", old.exclusive_minimum, new.exclusive_minimum)
    if old.multiple_of != new.multiple_of:
        found.append(Difference(_multiple_of(old.multiple_of, new.multiple_of), ("multipleOf",)))
    if old.is_integer != new.is_integer:
        found.append(Difference(Kind.TYPE_EXTENDED if old.is_integer else Kind.TYPE_NARROWED))
    return found


def _multiple_of(old: Limit, new: Limit) -> Kind:
    if old is None:
        return Kind.MULTIPLE_OF_ADDED
    if new is None:
        return Kind.MULTIPLE_OF_REMOVED
    was, becomes = _fraction(old), _fraction(new)
    if was and becomes % was == 0:
        return Kind.MULTIPLE_OF_EXPANDED
    return Kind.MULTIPLE_OF_REDUCED if becomes and was % becomes == 0 else Kind.MULTIPLE_OF_CHANGED


def _fraction(number: nodes.Number) -> Fraction:
    """As written: 0.3 is a multiple of 0.1, which their doubles are not."""
    return Fraction(Decimal(number.text)) if isinstance(number, ExactNumber) else Fraction(number)


def compare_enumerations(old: nodes.Enumeration, new: nodes.Enumeration) -> Differences:
    were, become = set(map(value_key, old.values)), set(map(value_key, new.values))
    if were == become:
        return []
    if were < become:
        kind = Kind.ENUM_ARRAY_EXTENDED
    else:
        kind = Kind.ENUM_ARRAY_NARROWED if become < were else Kind.ENUM_ARRAY_CHANGED
    return [Difference(kind, ("enum",))]


def compare_constants(old: nodes.Constant, new: nodes.Constant) -> Differences:
    return [] if value_key(old.value) == value_key(new.value) else [Difference(Kind.ENUM_ARRAY_CHANGED, ("const",))]


def compare_notes(old: nodes.Notes, new: nodes.Notes) -> Differences:
    if old == new:
        return []
    kinds = (
        (Kind.ID_CHANGED, old.id != new.id),
        (Kind.TITLE_CHANGED, old.title != new.title),
        (Kind.DESCRIPTION_CHANGED, old.description != new.description),
        (Kind.DEFAULT_CHANGED, old.has_default != new.has_default or value_key(old.default) != value_key(new.default)),
    )
    return [Difference(kind) for kind, is_so in kinds if is_so]


def value_key(value: Json) -> str:
    """The same text for values that are the same to JSON: any order of keys, 1 and 1.0, but not 1 and true."""
    return write_json(_plain(value), is_sorted=True)


def _plain(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
