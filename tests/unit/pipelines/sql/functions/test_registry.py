from __future__ import annotations

from dataclasses import replace

from riacho.pipelines.sql.functions.registry import REGISTRY, Registry


def test_found_by_name_and_alias_in_any_case() -> None:
    coalesce = REGISTRY.find("coalesce")
    assert coalesce is not None
    registry = Registry([replace(coalesce, aliases=("FIRST_OF",))])
    assert registry.find("First_Of") is registry.find("COALESCE")
    assert registry.find("NVL") is None
    assert len(list(registry)) == 1


def test_functions_of_users_take_the_place_of_ours() -> None:
    coalesce = REGISTRY.find("COALESCE")
    assert coalesce is not None
    own = replace(coalesce, about="another")
    assert REGISTRY.extended([own]).find("COALESCE") is own
    assert REGISTRY.find("COALESCE") is coalesce


def test_names_are_upper_case_and_once() -> None:
    names = [name for function in REGISTRY for name in (function.name, *function.aliases)]
    assert len(set(names)) == len(names)
    assert all(name == name.upper() for name in names)
    assert [function.name for function in REGISTRY] == sorted(function.name for function in REGISTRY)


def test_every_function_has_examples() -> None:
    assert [function.name for function in REGISTRY if len(function.examples) < 2 and function.kind == "SCALAR"] == []


def test_there_are_those_that_ksqldb_documents() -> None:
    assert sorted(DOCUMENTED - {function.name for function in REGISTRY}) == []


# fmt: off
DOCUMENTED = frozenset((
    "ABS", "ACOS", "ASIN", "AS_VALUE", "ATAN", "ATAN2", "CBRT", "CEIL", "COS", "COSH", "COT", "DEGREES", "ENTRIES",
    "EXP", "FLOOR", "GENERATE_SERIES", "GEO_DISTANCE", "GREATEST", "LEAST", "LN", "LOG", "PI", "POWER", "RADIANS",
    "RANDOM", "ROUND", "SIGN", "SIN", "SINH", "SQRT", "TAN", "TANH", "TRUNC", "ARRAY_CONCAT", "ARRAY_CONTAINS",
    "ARRAY_DISTINCT", "ARRAY_EXCEPT", "ARRAY_INTERSECT", "ARRAY_JOIN", "ARRAY_LENGTH", "ARRAY_MAX", "ARRAY_MIN",
    "ARRAY_REMOVE", "ARRAY_SORT", "ARRAY_UNION", "AS_MAP", "ELT", "FIELD", "JSON_ARRAY_CONTAINS", "MAP_KEYS",
    "MAP_VALUES", "MAP_UNION", "SLICE", "FILTER", "REDUCE", "TRANSFORM", "CHR", "CONCAT", "CONCAT_WS", "ENCODE",
    "EXTRACTJSONFIELD", "FROM_BYTES", "IS_JSON_STRING", "JSON_ARRAY_LENGTH", "JSON_CONCAT", "JSON_ITEMS",
    "JSON_KEYS", "JSON_RECORDS", "TO_JSON_STRING", "INITCAP", "INSTR", "LCASE", "LEN", "LPAD", "MASK",
    "MASK_KEEP_LEFT", "MASK_KEEP_RIGHT", "MASK_LEFT", "MASK_RIGHT", "REPLACE", "REGEXP_EXTRACT",
    "REGEXP_EXTRACT_ALL", "REGEXP_REPLACE", "REGEXP_SPLIT_TO_ARRAY", "RPAD", "SPLIT", "SPLIT_TO_MAP", "SUBSTRING",
    "TO_BYTES", "TRIM", "UCASE", "UUID", "BIGINT_FROM_BYTES", "DOUBLE_FROM_BYTES", "INT_FROM_BYTES", "COALESCE",
    "IFNULL", "NULLIF", "CONVERT_TZ", "DATEADD", "DATESUB", "FORMAT_DATE", "FORMAT_TIME", "FORMAT_TIMESTAMP",
    "FROM_DAYS", "FROM_UNIXTIME", "PARSE_DATE", "PARSE_TIME", "PARSE_TIMESTAMP", "TIMEADD", "TIMESUB",
    "TIMESTAMPADD", "TIMESTAMPSUB", "UNIX_DATE", "UNIX_TIMESTAMP", "URL_DECODE_PARAM", "URL_ENCODE_PARAM",
    "URL_EXTRACT_FRAGMENT", "URL_EXTRACT_HOST", "URL_EXTRACT_PARAMETER", "URL_EXTRACT_PATH", "URL_EXTRACT_PORT",
    "URL_EXTRACT_PROTOCOL", "URL_EXTRACT_QUERY", "DATETOSTRING", "STRINGTODATE", "STRINGTOTIMESTAMP",
    "TIMESTAMPTOSTRING", "EXPLODE", "CUBE_EXPLODE",
))
# fmt: on
