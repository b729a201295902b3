"""JSON as Jackson reads and prints it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riacho.pipelines.sql.functions import json_text
from riacho.pipelines.sql.functions.scalar.json_paths import spark_path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_what_is_printed_means_the_same(value: object) -> None:
    assert json.loads(json_text.printed(value)) == value


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ('{ "b" : 1 , "a" : [ 1.50, 1e2, -0.0 ] }', '{"b":1,"a":[1.5,100.0,-0.0]}'),
        ('"\\u0001\\n\\u00e9\\/"', '"\\u0001\\n\u00e9/"'),
        ("12345678901234567890123", "12345678901234567890123"),
        ('{"a": 1, "b": 2, "a": 3}', '{"a":3,"b":2}'),
    ],
)
def test_printing(text: str, printed: str) -> None:
    assert json_text.printed(json_text.parsed(text)) == printed


@pytest.mark.parametrize("text", ["", "abc", "[1,", "{'a': 1}", "NaN", "[Infinity]", "1 2", "01"])
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError, match=r"char|no JSON|Extra data"):
        json_text.parsed(text)


def test_concatenation() -> None:
    assert json_text.concatenated(["{}", "{}"]) == "{}"
    assert json_text.concatenated(["[]", "1", "null"]) == "[1,null]"
    assert json_text.concatenated(['{"a": 1}', "[2]"]) == '[{"a":1},2]'
    assert json_text.concatenated(["[1]", None]) is None
    assert json_text.concatenated([]) is None


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("$", "$"),
        ("$.a.b-c[0]", "$['a']['b-c'][0]"),
        ('$["a b"]["c.d"]', None),
        ("$['a b'].@type", "$['a b']['@type']"),
        ('$["it\'s"]', "$.it's"),
        ("$.a[*]", None),
        ("$..a", None),
        ("a.b", None),
        ("$.a[", None),
        ("$.a" * 5_000, None),
    ],
)
def test_paths(path: str, known: str | None) -> None:
    assert spark_path(path) == known
