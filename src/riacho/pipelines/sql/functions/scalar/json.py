"""Functions of JSON texts."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.pipelines.sql.expressions.binding import let
from riacho.pipelines.sql.functions.function import Any, Argument, Example, Function, Parameter, Signature, sql
from riacho.pipelines.sql.functions.scalar.json_forms import json_form
from riacho.pipelines.sql.functions.scalar.json_paths import spark_path
from riacho.pipelines.sql.functions.scalar.python_arguments import computed_before
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, STRING, Array, Decimal, Map

CATEGORY = "JSON"
_TEXT = Parameter("json", STRING)


def _extracted(arguments: Sequence[Argument]) -> str:
    text, path = arguments
    if isinstance(path.literal, str):
        known = spark_path(path.literal)
        return "CAST(NULL AS STRING)" if known is None else f"get_json_object({text.text}, {sql_string(known)})"
    # Spark has names in brackets in single quotes only; paths to several elements are no paths here.
    quoted = f"regexp_replace({path.text}, {sql_string(QUOTED_NAME)}, {sql_string(SINGLE_QUOTED)})"
    return f"get_json_object({text.text}, IF({path.text} LIKE '%*%', NULL, {quoted}))"


QUOTED_NAME = r'\["([^"\']*)"\]'
SINGLE_QUOTED = "['$1']"


def _contains(arguments: Sequence[Argument]) -> str:
    """An element has the value and its kind: 1 is not "1", nor is it 1.0."""
    text, value = arguments
    items = f"try_variant_get(try_parse_json({text.text}), '$', 'ARRAY<VARIANT>')"
    null = "(_each IS NULL OR schema_of_variant(_each) = 'VOID')"
    if value.type is None:
        return f"coalesce(exists({items}, _each -> {null}), false)"
    equal = _equal(value)
    return f"coalesce(exists({items}, _each -> IF({value.text} IS NULL, {null}, coalesce({equal}, false))), false)"


def _equal(value: Argument) -> str:
    kind = "schema_of_variant(_each)"
    is_double = f"({kind} = 'DOUBLE' OR {kind} LIKE 'DECIMAL%')"
    match value.type:
        case k if k == STRING:
            return f"{kind} = 'STRING' AND CAST(_each AS STRING) = {value.text}"
        case k if k == BOOLEAN:
            return f"{kind} = 'BOOLEAN' AND CAST(_each AS BOOLEAN) = {value.text}"
        case k if k in (INTEGER, BIGINT):
            return f"{kind} = 'BIGINT' AND CAST(_each AS BIGINT) = {value.text}"
        case k if k == DOUBLE or isinstance(k, Decimal):
            return f"{is_double} AND CAST(_each AS DOUBLE) = CAST({value.text} AS DOUBLE)"
        case _:
            return "false"


def _to_json(arguments: Sequence[Argument]) -> str:
    value = arguments[0]
    form = value.text if value.type is None else json_form(value.text, value.type)
    # Spark writes arrays and structs only, so the value goes into an array and comes out of its text.
    listed = f"to_json(array({form}), map('ignoreNullFields', 'false'))"
    return let(listed, lambda text: f"substring({text}, 2, length({text}) - 2)")


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "EXTRACTJSONFIELD",
        CATEGORY,
        "What is at a path of a JSON text: a string as it is, anything else as JSON.",
        (Signature((Parameter("input", STRING), Parameter("path", STRING)), STRING, _extracted),),
        (
            Example("""EXTRACTJSONFIELD('{"log": {"cloud": "gcp"}}', '$.log.cloud')""", "gcp"),
            Example("""EXTRACTJSONFIELD('{"log": {"n": [4, 5]}}', '$.log.n[1]')""", "5"),
            Example("""EXTRACTJSONFIELD('{"log": {"n": [4, 5]}}', '$.log')""", '{"n":[4,5]}'),
            Example("""EXTRACTJSONFIELD('{"@type": "x"}', '$["@type"]')""", "x"),
            Example("""EXTRACTJSONFIELD('{"a": "x"}', '$.b')""", None),
            Example("""EXTRACTJSONFIELD('{"a": ["x"]}', '$.a[*]')""", None),
            Example("""EXTRACTJSONFIELD('no json', '$.b')""", None),
        ),
    ),
    Function(
        "IS_JSON_STRING",
        CATEGORY,
        "Whether a text is JSON.",
        (Signature((Parameter("input", STRING),), BOOLEAN, sql("(try_parse_json({0}) IS NOT NULL)")),),
        (
            Example("IS_JSON_STRING('[1, 2, 3]')", True),
            Example("IS_JSON_STRING('{}')", True),
            Example("IS_JSON_STRING('null')", True),
            Example("IS_JSON_STRING('')", False),
            Example("IS_JSON_STRING('abc')", False),
            Example("IS_JSON_STRING(CAST(NULL AS STRING))", False),
        ),
    ),
    Function(
        "JSON_ARRAY_CONTAINS",
        CATEGORY,
        "Whether a value is among the elements of a JSON array; of anything else false.",
        (Signature((_TEXT, Parameter("val", Any("T"))), BOOLEAN, computed_before(_contains)),),
        (
            Example("JSON_ARRAY_CONTAINS('[1, 2, 3]', 3)", True),
            Example("""JSON_ARRAY_CONTAINS('["a", "3"]', 3)""", False),
            Example("""JSON_ARRAY_CONTAINS('["a", "3"]', '3')""", True),
            Example("JSON_ARRAY_CONTAINS('[1.5, true]', true)", True),
            Example("JSON_ARRAY_CONTAINS('[1, null]', CAST(NULL AS INT))", True),
            Example("JSON_ARRAY_CONTAINS('[[1]]', 1)", False),
            Example("""JSON_ARRAY_CONTAINS('{"a": 1}', 1)""", False),
            Example("JSON_ARRAY_CONTAINS('abc', 1)", False),
        ),
    ),
    Function(
        "JSON_ARRAY_LENGTH",
        CATEGORY,
        "How many elements a JSON array has.",
        (Signature((_TEXT,), INTEGER, sql("json_array_length({0})")),),
        (
            Example("JSON_ARRAY_LENGTH('[1, [1, [2]], 3]')", 3),
            Example("JSON_ARRAY_LENGTH('[]')", 0),
            Example("JSON_ARRAY_LENGTH('{}')", None),
            Example("JSON_ARRAY_LENGTH('123')", None),
            Example("JSON_ARRAY_LENGTH('abc')", None),
        ),
    ),
    Function(
        "JSON_CONCAT",
        CATEGORY,
        "Objects as one object, where the last one's fields count; anything else as one array.",
        (
            Signature(
                (Parameter("jsonStrings", STRING),), STRING, sql("riacho_json_concat(array({*}))"), is_variadic=True
            ),
        ),
        (
            Example("""JSON_CONCAT('{"a": 1}', '{"b": 2}')""", '{"a":1,"b":2}'),
            Example("""JSON_CONCAT('{"a": {"5": 6}}', '{"a": {"3": 4}}')""", '{"a":{"3":4}}'),
            Example("JSON_CONCAT('[1, [2]]', '[[[3]], [[[4]]]]')", "[1,[2],[[3]],[[[4]]]]"),
            Example("JSON_CONCAT('null', 'null')", "[null,null]"),
            Example("""JSON_CONCAT('[1, 2]', '{"a": 1}')""", '[1,2,{"a":1}]'),
            Example("JSON_CONCAT('abc', '[1]')", None),
            Example("JSON_CONCAT(CAST(NULL AS STRING), '[1]')", None),
        ),
    ),
    Function(
        "JSON_ITEMS",
        CATEGORY,
        "The elements of a JSON array, each as JSON.",
        (Signature((_TEXT,), Array(STRING), sql("riacho_json_items({0})")),),
        (
            Example("""JSON_ITEMS('[{"type": "A"}, "b", 1.50]')""", ['{"type":"A"}', '"b"', "1.5"]),
            Example("JSON_ITEMS('[]')", []),
            Example("JSON_ITEMS('{}')", None),
        ),
    ),
    Function(
        "JSON_KEYS",
        CATEGORY,
        "The names of a JSON object's fields.",
        (Signature((_TEXT,), Array(STRING), sql("json_object_keys({0})")),),
        (
            Example("""JSON_KEYS('{"a": "abc", "b": {"c": "a"}, "d": 1}')""", ["a", "b", "d"]),
            Example("JSON_KEYS('{}')", []),
            Example("JSON_KEYS('[]')", None),
            Example("JSON_KEYS('')", None),
        ),
    ),
    Function(
        "JSON_RECORDS",
        CATEGORY,
        "The fields of a JSON object as a map, each value as JSON.",
        (Signature((_TEXT,), Map(STRING, STRING), sql("riacho_json_records({0})")),),
        (
            Example(
                """JSON_RECORDS('{"a": "abc", "b": {"c": "a"}, "d": 1}')""",
                {"a": '"abc"', "b": '{"c":"a"}', "d": "1"},
            ),
            Example("JSON_RECORDS('{}')", {}),
            Example("JSON_RECORDS('[]')", None),
            Example("JSON_RECORDS('abc')", None),
        ),
    ),
    Function(
        "TO_JSON_STRING",
        CATEGORY,
        "A value of any type as JSON.",
        (Signature((Parameter("val", Any("T")),), STRING, _to_json),),
        (
            Example("TO_JSON_STRING(15.3)", "15.3"),
            Example("TO_JSON_STRING('a\"c')", '"a\\"c"'),
            Example("TO_JSON_STRING(PARSE_DATE('2021-10-11', 'yyyy-MM-dd'))", '"2021-10-11"'),
            Example("TO_JSON_STRING(PARSE_TIME('13:25', 'HH:mm'))", '"13:25"'),
            Example(
                "TO_JSON_STRING(PARSE_TIMESTAMP('2021-06-31 12:18:39.446', 'yyyy-MM-dd HH:mm:ss.SSS'))",
                '"2021-06-30T12:18:39.446"',
            ),
            Example("TO_JSON_STRING(CAST(NULL AS INT))", "null"),
            Example(
                "TO_JSON_STRING(ARRAY[STRUCT(ID := 1, NAME := CAST(NULL AS STRING), AT := FROM_DAYS(1))])",
                '[{"ID":1,"NAME":null,"AT":"1970-01-02"}]',
            ),
            Example("TO_JSON_STRING(MAP('c' := 2, 'd' := 4))", '{"c":2,"d":4}'),
        ),
    ),
)
