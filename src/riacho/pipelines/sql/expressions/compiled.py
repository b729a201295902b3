"""A compiled expression: Spark SQL text with the ksqlDB type of what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.pipelines.sql.types import SqlType, spark_type


@dataclass(frozen=True, slots=True)
class Compiled:
    """`text` stands wherever a value can: what is compound is in parentheses or is a call. `type` is None for a NULL
    whose type nothing says. `literal` is the Python value of a literal (bool, int, float, decimal.Decimal, str), else
    None. `nullable` is False where the value is known to be there, as that of a comparison always is. `source` is the
    expression as errors name it. `failure` is a condition, '' where it never holds (`failure.py`)."""

    text: str
    type: SqlType | None
    literal: object = None
    nullable: bool = True
    source: str = ""
    failure: str = ""
    shows_failure: bool = True


NULL = Compiled("NULL", None, source="null")


def typed_null(kind: SqlType) -> Compiled:
    return Compiled(f"CAST(NULL AS {spark_type(kind)})", kind, source="null")
