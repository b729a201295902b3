from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.choosing import LambdaSlot, UnitSlot, bound, choose
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
from riacho.pipelines.sql.functions.signatures import signature
from riacho.pipelines.sql.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, Array, Decimal, Field, Map, Struct

T, K, V = Any("T"), Any("K"), Any("V")


def takes(*patterns: Pattern, result: str = "x", is_variadic: bool = False) -> Signature:
    named = [(f"p{index}", pattern) for index, pattern in enumerate(patterns)]
    return signature(named, STRING, result, is_variadic=is_variadic)


def function(*signatures: Signature) -> Function:
    return Function("FOO", "OTHER", "", signatures)


def test_exactly_before_widened() -> None:
    whole, real = takes(BIGINT), takes(DOUBLE)
    assert choose(function(real, whole), [BIGINT]).signature is whole


def test_numbers_are_widened_where_one_signature_remains() -> None:
    assert choose(function(takes(DOUBLE)), [Decimal(4, 2)]).signature.parameters[0].type == DOUBLE
    assert choose(function(takes(BIGINT)), [INTEGER]).signature.parameters[0].type == BIGINT


def test_two_ways_of_widening_are_ambiguous() -> None:
    with pytest.raises(KsqlError) as refused:
        choose(function(takes(BIGINT), takes(DOUBLE)), [INTEGER])
    assert "Function 'foo' does not accept parameters (INTEGER)." in refused.value.message
    assert "Function 'foo' cannot be resolved due to ambiguous method parameters (INTEGER)" in refused.value.message


def test_a_null_fits_all_and_the_first_is_taken() -> None:
    first, second = takes(INTEGER), takes(STRING)
    assert choose(function(first, second), [None]).signature is first


def test_one_without_variadic_parameters_is_preferred() -> None:
    plain, variadic = takes(STRING, STRING), takes(STRING, is_variadic=True)
    assert choose(function(variadic, plain), [STRING, STRING]).signature is plain
    assert choose(function(variadic, plain), [STRING, STRING, STRING]).signature is variadic


def test_a_variadic_parameter_may_be_missing() -> None:
    variadic = takes(INTEGER, STRING, is_variadic=True)
    assert choose(function(variadic), [INTEGER]).patterns == (INTEGER,)
    assert choose(function(variadic), [INTEGER, STRING, STRING]).patterns == (INTEGER, STRING, STRING)
    with pytest.raises(KsqlError):
        choose(function(variadic), [])


def test_fewer_variables_are_preferred() -> None:
    general, special = takes(T), takes(STRING)
    assert choose(function(general, special), [STRING]).signature is special


def test_a_variable_is_one_type_everywhere() -> None:
    both = function(takes(T, T))
    assert choose(both, [STRING, STRING]).bindings == {"T": STRING}
    assert choose(both, [None, STRING]).bindings == {"T": STRING}
    with pytest.raises(KsqlError, match=r"does not accept parameters \(BIGINT, INTEGER\)"):
        choose(both, [BIGINT, INTEGER])


def test_variables_inside_of_collections() -> None:
    chosen = choose(function(takes(ArrayOf(T), MapOf(K, V))), [Array(BIGINT), Map(STRING, BOOLEAN)])
    assert chosen.bindings == {"T": BIGINT, "K": STRING, "V": BOOLEAN}
    assert bound(MapOf(K, ArrayOf(T)), chosen.bindings) == Map(STRING, Array(BIGINT))
    assert bound(ArrayOf(Any("U")), chosen.bindings) is None


def test_decimals_and_structs_of_any_kind() -> None:
    one = Struct((Field("A", INTEGER),))
    assert choose(function(takes(AnyDecimal(), AnyStruct())), [Decimal(9, 3), one])
    assert bound(AnyDecimal(), {}, BIGINT) == Decimal(19, 0)
    with pytest.raises(KsqlError):
        choose(function(takes(AnyStruct())), [STRING])


def test_lambdas_by_the_number_of_their_parameters() -> None:
    one, two = takes(ArrayOf(T), LambdaOf((T,), V)), takes(MapOf(K, V), LambdaOf((K, V), T))
    assert choose(function(one, two), [Array(INTEGER), LambdaSlot(1)]).signature is one
    assert choose(function(one, two), [Map(STRING, INTEGER), LambdaSlot(2)]).signature is two
    with pytest.raises(KsqlError, match=r"\(ARRAY<INTEGER>, LAMBDA\)"):
        choose(function(one, two), [Array(INTEGER), LambdaSlot(2)])


def test_units() -> None:
    with_unit = takes(Unit(), INTEGER)
    assert choose(function(with_unit), [UnitSlot("SECONDS"), INTEGER]).signature is with_unit
    with pytest.raises(KsqlError):
        choose(function(with_unit), [None, INTEGER])


def test_a_refusal_lists_what_would_do() -> None:
    signatures = takes(STRING, INTEGER), takes(ArrayOf(T), MapOf(STRING, AnyDecimal()), STRING, is_variadic=True)
    with pytest.raises(KsqlError) as refused:
        choose(function(*signatures), [BOOLEAN, None])
    assert refused.value.message == (
        "Function 'foo' does not accept parameters (BOOLEAN, null).\n"
        "Valid alternatives are:\n"
        "foo(VARCHAR p0, INT p1)\n"
        "foo(ARRAY<T> p0, MAP<VARCHAR, DECIMAL> p1, VARCHAR... p2)\n"
        "For detailed information on a function run: DESCRIBE FUNCTION <Function-Name>;"
    )
