"""Functions of users, without Spark."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riacho.ksql import UserFunctionError, udaf, udf
from riacho.pipelines.sql.functions.choosing import choose
from riacho.pipelines.sql.functions.registry import REGISTRY
from riacho.pipelines.sql.functions.user.loading import UserFunctions, install_user_aggregates, load_user_functions
from riacho.pipelines.sql.functions.user.values import from_python, to_python
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.sql.types import INTEGER, STRING
from riacho.pipelines.tasks.aggregates import opening
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec

MODULE = "unit.pipelines.sql.functions.user_functions"


@pytest.fixture(scope="module")
def found() -> UserFunctions:
    return load_user_functions([MODULE])


def test_they_enter_the_registry(found: UserFunctions) -> None:
    registry = REGISTRY.extended(found.functions)
    doubled, words = registry.find("doubled"), registry.find("WORDS")
    assert doubled is not None
    assert words is not None
    assert (doubled.about, doubled.kind, words.kind) == ("Twice the value.", "SCALAR", "TABLE")
    assert choose(doubled, [INTEGER]).signature.result == INTEGER
    assert str(words.signatures[0].result) == "ARRAY<STRING>"
    assert registry.find("UCASE") is REGISTRY.find("UCASE")


def called(found: UserFunctions, name: str, *arguments: Any) -> Any:
    return found.python_functions[f"riacho_user_{name}"](*arguments)


def test_calls(found: UserFunctions) -> None:
    assert called(found, "doubled_0", 4) == 8
    assert called(found, "doubled_0", None) is None
    assert called(found, "doubled_1", Decimal("1.25")) == Decimal("2.50")
    assert called(found, "joined_0") == ""
    assert called(found, "joined_0", "a", None, "b") == "a-?-b"
    assert called(found, "next_day_0", 10) == 11
    assert called(found, "point_0", {"X": 1, "TAGS": {"b": 1, "a": 2}}) == {"X": 1, "NAMES": ["a", "b"]}
    assert called(found, "words_0", "to be or") == ["to", "be", "or"]


def test_what_fails_or_does_not_fit_is_null(found: UserFunctions) -> None:
    assert called(found, "failing_0", 0) is None
    assert called(found, "failing_0", 5) is None
    assert called(found, "doubled_0", 2_000_000_000) is None


def spec(function: str, kind: str, result: str) -> AggregateSpec:
    return AggregateSpec("R", function, ("A",), (kind,), result)


def test_aggregates(found: UserFunctions) -> None:
    longest = found.openers["LONGEST"](spec("LONGEST", "STRING", "STRING"))
    state = longest.init()
    for text in ("a", "abc", None, "ab"):
        state = longest.add(state, [text], 0)
    assert longest.result(longest.merge(state, "abcd")) == "abcd"
    assert not longest.can_undo
    choice = found.aggregates["LONGEST"].choose([STRING], [None])
    assert (choice.columns, choice.result_type) == (1, STRING)


def test_aggregates_over_tables(found: UserFunctions) -> None:
    total = found.openers["TOTAL"](spec("TOTAL", "DECIMAL(6, 2)", "DECIMAL(8, 2)"))
    state = total.undo(total.add(total.add(total.init(), ["1.50"], 0), ["2.25"], 1), ["1.50"])
    assert total.result(state) == "2.25"
    assert total.can_undo
    assert found.aggregates["TOTAL"].can_undo
    with pytest.raises(TaskError, match="The aggregate TOTAL failed in add"):
        total.add(state, [None], 2)
    with pytest.raises(TaskError, match="The result of the aggregate TOTAL is wrong"):
        total.result("1000000")


def test_tasks_open_them_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "AGGREGATES", dict(opening.AGGREGATES))
    install_user_aggregates([MODULE])
    assert opening.open_aggregate(spec("LONGEST", "STRING", "STRING")).init() == ""


@pytest.mark.parametrize(
    ("name", "signature", "sentence"),
    [
        ("a b", "(INT) -> INT", "A function cannot have the name 'a b'."),
        ("F", "INT", "The signature 'INT' of F is not of the form (STRING, INT) -> STRING."),
        ("F", "(NOTHING) -> INT", "The signature '(NOTHING) -> INT' of F has a type that is none: "),
    ],
)
def test_definitions_that_are_refused(name: str, signature: str, sentence: str) -> None:
    with pytest.raises(UserFunctionError) as refusal:
        udf(name, signature)(lambda: None)
    assert str(refusal.value).startswith(sentence)


def test_an_aggregate_needs_its_methods() -> None:
    with pytest.raises(UserFunctionError, match="The aggregate A has no merge and no result"):

        @udaf("A", "(INT) -> INT")
        class Half:
            def init(self) -> None: ...

            def add(self) -> None: ...


def test_modules_that_are_not_there() -> None:
    with pytest.raises(UserFunctionError, match=r"The module no\.such\.module with functions for statements cannot be"):
        load_user_functions(["no.such.module"])


MOMENTS = st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30), timezones=st.just(datetime.UTC))


@pytest.mark.parametrize("as_json", [True, False])
@given(
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.decimals(-9999, 9999, places=2),
    MOMENTS,
    st.times(),
    st.binary(),
    st.floats(allow_nan=False),
)
def test_values_come_back(
    as_json: bool,
    number: int,
    amount: Decimal,
    moment: datetime.datetime,
    time: datetime.time,
    data: bytes,
    double: float,
) -> None:
    kind = type_from_text(
        "STRUCT<`n` BIGINT, `d` DECIMAL(6, 2), `t` TIMESTAMP, `c` TIME, `b` BYTES, `f` DOUBLE, "
        "`m` MAP<INTEGER, ARRAY<DATE>>, `x` STRING>"
    )
    moment = moment.replace(microsecond=moment.microsecond // 1_000 * 1_000)
    time = time.replace(microsecond=time.microsecond // 1_000 * 1_000)
    value = {
        "n": number,
        "d": amount,
        "t": moment,
        "c": time,
        "b": data,
        "f": double,
        "m": {7: [moment.date()]},
        "x": None,
    }
    assert to_python(from_python(value, kind, as_json=as_json), kind) == value
