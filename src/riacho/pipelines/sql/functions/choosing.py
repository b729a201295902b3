"""Which signature of a function a call means, as ksqlDB chooses.

First those that take the arguments as they are; where there are none, those that take them after widening numbers
(INTEGER, BIGINT, DECIMAL, DOUBLE). Of several that fit, the one without variadic parameters is meant, then the one with
more parameters, then the one with fewer type variables. Two that differ in nothing of this are ambiguous, unless it is
a NULL that fits both. What binds a type variable must be the same everywhere: no number is widened for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.coercion import can_coerce
from riacho.pipelines.sql.expressions.decimals import decimal_of
from riacho.pipelines.sql.functions.function import (
    Any,
    AnyDecimal,
    AnyStruct,
    ArrayOf,
    Function,
    LambdaOf,
    MapOf,
    Pattern,
    Signature,
    Unit,
)
from riacho.pipelines.sql.functions.wording import alternatives, shown_name, shown_types
from riacho.pipelines.sql.types import BIGINT, INTEGER, Array, Decimal, Lambda, Map, Primitive, SqlType, Struct

Bindings = dict[str, SqlType]


@dataclass(frozen=True, slots=True)
class LambdaSlot:
    """A lambda among the arguments: what it gives is known only when what it takes is."""

    parameters: int


@dataclass(frozen=True, slots=True)
class UnitSlot:
    unit: str


Slot = SqlType | LambdaSlot | UnitSlot | None
"""What is known of an argument; None for NULL."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`patterns` has one for each argument. `bindings` are completed by the results of lambdas."""

    signature: Signature
    patterns: tuple[Pattern, ...]
    bindings: Bindings = field(default_factory=dict)


def choose(function: Function, slots: Sequence[Slot], *, widens: bool = True) -> Chosen:
    """KsqlError with what the function takes, where no signature fits. Aggregates take no widened numbers."""
    for with_widening in (False, True) if widens else (False,):
        found = [chosen for each in function.signatures if (chosen := _fitting(each, slots, with_widening)) is not None]
        if found:
            return _best(function, found, slots)
    raise KsqlError(_refusal(function, slots) + alternatives(function))


def _best(function: Function, found: list[Chosen], slots: Sequence[Slot]) -> Chosen:
    ranked = sorted(found, key=lambda chosen: _rank(chosen.signature))
    best = _rank(ranked[0].signature)
    equals = [chosen for chosen in ranked if _rank(chosen.signature) == best]
    if len(equals) > 1 and None not in slots:
        raise KsqlError(
            f"{_refusal(function, slots)}\nFunction '{shown_name(function)}' cannot be resolved due to ambiguous "
            f"method parameters {shown_types(slots)}. Use CAST() to explicitly cast your parameters "
            f"to one of the supported signatures.{alternatives(function)}"
        )
    return equals[0]


def _refusal(function: Function, slots: Sequence[Slot]) -> str:
    return f"Function '{shown_name(function)}' does not accept parameters {shown_types(slots)}."


def _rank(signature: Signature) -> tuple[bool, int, int]:
    variables = sum(_count_variables(parameter.type) for parameter in signature.parameters)
    return signature.is_variadic, -len(signature.parameters), variables


def _count_variables(pattern: Pattern) -> int:
    match pattern:
        case Any():
            return 1
        case ArrayOf(item):
            return _count_variables(item)
        case MapOf(key, value):
            return _count_variables(key) + _count_variables(value)
        case _:
            return 0


def _fitting(signature: Signature, slots: Sequence[Slot], with_widening: bool) -> Chosen | None:
    patterns = _patterns(signature, len(slots))
    if patterns is None:
        return None
    bindings: Bindings = {}
    for pattern, slot in zip(patterns, slots, strict=True):
        if not _fits(pattern, slot, bindings, with_widening):
            return None
    return Chosen(signature, patterns, bindings)


def _patterns(signature: Signature, count: int) -> tuple[Pattern, ...] | None:
    patterns = tuple(parameter.type for parameter in signature.parameters)
    if not signature.is_variadic:
        return patterns if len(patterns) == count else None
    if count < len(patterns) - 1:
        return None
    return patterns[:-1] + patterns[-1:] * (count - len(patterns) + 1)


def _fits(pattern: Pattern, slot: Slot, bindings: Bindings, with_widening: bool) -> bool:
    match slot:
        case None:
            return not isinstance(pattern, LambdaOf | Unit)
        case LambdaSlot(parameters):
            return isinstance(pattern, LambdaOf) and len(pattern.inputs) == parameters
        case UnitSlot():
            return isinstance(pattern, Unit)
        case _:
            return _matches(pattern, slot, bindings, with_widening)


def _matches(pattern: Pattern, kind: SqlType, bindings: Bindings, with_widening: bool) -> bool:
    match pattern:
        case Any(name):
            return not isinstance(kind, Lambda) and bindings.setdefault(name, kind) == kind
        case AnyDecimal():
            return isinstance(kind, Decimal) or (with_widening and kind in (INTEGER, BIGINT))
        case AnyStruct():
            return isinstance(kind, Struct)
        case ArrayOf(item):
            return isinstance(kind, Array) and _matches(item, kind.item, bindings, with_widening)
        case MapOf(key, value):
            return (
                isinstance(kind, Map)
                and _matches(key, kind.key, bindings, with_widening)
                and _matches(value, kind.value, bindings, with_widening)
            )
        case LambdaOf() | Unit():
            return False
        case _:
            return kind == pattern or (with_widening and isinstance(pattern, Primitive) and can_coerce(kind, pattern))


def bound(pattern: Pattern, bindings: Bindings, kind: SqlType | None = None) -> SqlType | None:
    """The type that a pattern stands for, given what its variables are and what an argument is; None where nothing
    says it, as for a NULL."""
    match pattern:
        case Any(name):
            return bindings.get(name)
        case AnyDecimal():
            return decimal_of(kind) if kind is not None else None
        case AnyStruct():
            return kind
        case ArrayOf(item):
            part = bound(item, bindings, kind.item if isinstance(kind, Array) else None)
            return None if part is None else Array(part)
        case MapOf(key, value):
            key_type = bound(key, bindings, kind.key if isinstance(kind, Map) else None)
            part = bound(value, bindings, kind.value if isinstance(kind, Map) else None)
            return None if key_type is None or part is None else Map(key_type, part)
        case LambdaOf() | Unit():
            return None
        case _:
            return pattern


def bind_result(pattern: Pattern, kind: SqlType | None, bindings: Bindings) -> bool:
    """What a lambda gives, against what its place in the signature says."""
    if kind is None:
        return True
    if _matches(pattern, kind, bindings, with_widening=False):
        return True
    expected = bound(pattern, bindings)
    return expected is not None and can_coerce(kind, expected)
