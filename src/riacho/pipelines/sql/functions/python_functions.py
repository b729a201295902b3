"""Python functions that the SQL of built-in functions calls by name, for what Spark's own cannot do exactly.

They are registered in a Spark session when a plan names them (`StatementPlan.functions`), as Arrow-optimised functions;
without Spark they are plain functions. Null where an argument is null, and where Java would throw. They cannot stand in
a lambda: Spark has no Python functions there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riacho.pipelines.sql.functions import java_time, json_text, wide_decimals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PREFIX = "riacho_"
_CALL = re.compile(r"\b(riacho_[a-z0-9_]+)\(")


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """`returns` is a Spark type. With `takes_nulls` the function is asked about nulls too."""

    name: str
    returns: str
    function: Callable[..., Any]
    takes_nulls: bool = False

    def __call__(self, *arguments: Any) -> Any:
        if not self.takes_nulls and any(argument is None for argument in arguments):
            return None
        try:
            return self.function(*arguments)
        except Exception:
            return None


PYTHON_FUNCTIONS = {
    each.name: each
    for each in (
        PythonFunction("riacho_format_date", "STRING", java_time.days_text),
        PythonFunction("riacho_format_time", "STRING", java_time.time_text),
        PythonFunction("riacho_format_timestamp", "STRING", java_time.timestamp_text),
        PythonFunction("riacho_parse_date", "INT", java_time.parse_date),
        PythonFunction("riacho_parse_whole_date", "INT", java_time.parse_whole_date),
        PythonFunction("riacho_parse_time", "INT", java_time.parse_time),
        PythonFunction("riacho_parse_timestamp", "BIGINT", java_time.parse_timestamp),
        PythonFunction("riacho_convert_tz", "BIGINT", java_time.convert_zone),
        PythonFunction("riacho_decimal", "STRING", wide_decimals.computed),
        PythonFunction("riacho_fitted_decimal", "STRING", wide_decimals.fitted),
        PythonFunction("riacho_compared_decimals", "INT", wide_decimals.compared),
        PythonFunction("riacho_json_concat", "STRING", json_text.concatenated),
        PythonFunction("riacho_json_records", "MAP<STRING, STRING>", json_text.records),
        PythonFunction("riacho_json_items", "ARRAY<STRING>", json_text.items),
    )
}


def called_python_functions(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of Python functions that Spark SQL texts call, for `StatementPlan.functions`. A literal that reads like
    a call does no harm: what is not called is registered for nothing."""
    return tuple(sorted({name for text in texts for name in _CALL.findall(text)}))


def register_python_functions(spark: SparkSession, names: Iterable[str], modules: Sequence[str] = ()) -> None:
    """`modules` are those with functions of users, by the operator's setting; a name that is nobody's is passed over,
    and Spark will say that it does not know it."""
    from pyspark.sql.functions import udf

    from riacho.pipelines.sql.functions.user.loading import load_user_functions

    wanted = set(names)
    known: dict[str, PythonFunction] = dict(PYTHON_FUNCTIONS)
    if wanted - known.keys() and modules:
        known |= load_user_functions(modules).python_functions
    for name in sorted(wanted & known.keys()):
        spark.udf.register(name, udf(known[name].__call__, known[name].returns, useArrow=True))
