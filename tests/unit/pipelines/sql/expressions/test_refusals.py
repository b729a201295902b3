"""What cannot be computed, each with the sentence that says so."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from unit.pipelines.sql.expressions.columns import compiled

REFUSALS = [
    ("S + 1", "Unsupported arithmetic types. STRING INTEGER"),
    ("I - S", "Unsupported arithmetic types. INTEGER STRING"),
    ("S - S", "Unsupported arithmetic types. STRING STRING"),
    ("DEC * T", "Unsupported arithmetic types. DECIMAL BOOLEAN"),
    ("A + A", "Unsupported arithmetic types. ARRAY ARRAY"),
    ("NULL + 1", "Arithmetic on types null and INTEGER are not supported."),
    ("-S", "Unsupported arithmetic types. STRING"),
    ("S > 5", "Cannot compare S (STRING) to 5 (INTEGER) with GREATER_THAN."),
    ("I = 'a'", "Cannot compare I (INTEGER) to 'a' (STRING) with EQUAL."),
    ("T < T", "Cannot compare T (BOOLEAN) to T (BOOLEAN) with LESS_THAN."),
    ("A >= A", "Cannot compare A (ARRAY<INTEGER>) to A (ARRAY<INTEGER>) with GREATER_THAN_OR_EQUAL."),
    ("TM = TS", "Cannot compare TM (TIME) to TS (TIMESTAMP) with EQUAL."),
    ("X = S", "Cannot compare X (BYTES) to S (STRING) with EQUAL."),
    ("(I + 1) <> M", "Cannot compare (I + 1) (INTEGER) to M (MAP<STRING, INTEGER>) with NOT_EQUAL."),
    ("I = NULL", "Comparison with NULL not supported: INTEGER = NULL. Use 'IS NULL' or 'IS NOT NULL' instead."),
    ("NULL <> S", "Comparison with NULL not supported: NULL <> STRING. Use 'IS NULL' or 'IS NOT NULL' instead."),
    ("I IN ('x')", 'invalid input syntax for type INTEGER: "x".'),
    ("T IN ('x')", 'invalid input syntax for type BOOLEAN: "x".'),
    (
        "I IN (T)",
        "operator does not exist: INTEGER = BOOLEAN (T)\nHint: You might need to add explicit type casts.",
    ),
    (
        "ARRAY[S, I]",
        "operator does not exist: STRING = INTEGER (I)\nHint: You might need to add explicit type casts.",
    ),
    (
        "ARRAY[]",
        "Array constructor cannot be empty. Please supply at least one element "
        "(see https://github.com/confluentinc/ksql/issues/4239).",
    ),
    (
        "ARRAY[NULL]",
        "Cannot construct an array with all NULL elements (see https://github.com/confluentinc/ksql/issues/4239). "
        "As a workaround, you may cast a NULL value to the desired type.",
    ),
    (
        "MAP()",
        "Map constructor cannot be empty. Please supply at least one key value pair "
        "(see https://github.com/confluentinc/ksql/issues/4239).",
    ),
    (
        "MAP(NULL := 1)",
        "Cannot construct a map with NULL keys (see https://github.com/confluentinc/ksql/issues/4239).",
    ),
    (
        "MAP('a' := NULL)",
        "Cannot construct a map with all NULL values (see https://github.com/confluentinc/ksql/issues/4239). "
        "As a workaround, you may cast a NULL value to the desired type.",
    ),
    ("STRUCT(A := 1, A := 2)", "Duplicate field names found in STRUCT: '`A` INTEGER' and '`A` INTEGER'"),
    (
        "STRUCT(A := NULL)",
        "Cannot construct a struct with a NULL field 'A' (see https://github.com/confluentinc/ksql/issues/4239). "
        "As a workaround, you may cast a NULL value to the desired type.",
    ),
    ("R->X", "Could not find field 'X' in 'R'."),
    ("I->X", "Expected STRUCT type, got: INTEGER"),
    ("I[1]", "Subscript expression do not apply to INTEGER."),
    ("A['a']", "The index of an array is an INTEGER, but 'a' is STRING."),
    ("M[1]", "Cannot coerce 1 of type INTEGER to STRING."),
    ("I AND T", "AND takes BOOLEAN, but I is INTEGER."),
    ("NOT S", "NOT takes BOOLEAN, but S is STRING."),
    ("I LIKE 'a'", "LIKE takes strings, but I is INTEGER."),
    ("CASE WHEN I THEN 1 END", "WHEN operand type should be boolean.\nType for 'I' is INTEGER"),
    (
        "CASE WHEN T THEN 1 WHEN T THEN 'a' END",
        "Invalid Case expression. Type for all 'THEN' clauses should be the same.\n"
        "THEN expression 'WHEN T THEN 'a'' has type: STRING.\nPrevious THEN expression(s) type: INTEGER.",
    ),
    (
        "CASE WHEN T THEN 1 ELSE B END",
        "Invalid Case expression. Type for the default clause should be the same as for 'THEN' clauses.\n"
        "THEN type: INTEGER.\nDEFAULT type: BIGINT.",
    ),
    ("CASE WHEN T THEN NULL END", "Invalid Case expression. All case branches have a NULL type"),
    ("CAST(T AS INT)", "Cast of BOOLEAN to INTEGER is not supported"),
    ("CAST(I AS BOOLEAN)", "Cast of INTEGER to BOOLEAN is not supported"),
    ("CAST(X AS STRING)", "Cast of BYTES to STRING is not supported"),
    ("CAST(I AS TIMESTAMP)", "Cast of INTEGER to TIMESTAMP is not supported"),
    ("CAST(TM AS DATE)", "Cast of TIME to DATE is not supported"),
    ("CAST(A AS MAP<STRING, INT>)", "Cast of ARRAY<INTEGER> to MAP<STRING, INTEGER> is not supported"),
    ("CAST(A AS ARRAY<BOOLEAN>)", "Cast of INTEGER to BOOLEAN is not supported"),
    ("NO_SUCH(1)", "Can't find any functions with the name 'NO_SUCH'"),
    ("UNKNOWN + 1", "Column 'UNKNOWN' cannot be resolved."),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSALS, ids=[text for text, _ in REFUSALS])
def test_refused(text: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        compiled(text)
    assert refused.value.message == sentence
