from __future__ import annotations

from typing import Any

import msgspec
import pytest

from riacho.pipelines.sql.serving.row_values import shown, shown_by
from riacho.pipelines.sql.types import DATE, STRING, TIME, TIMESTAMP, Array, Decimal, Field, Map, SqlType, Struct


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        (Decimal(6, 2), "1.50", "1.50"),
        (Decimal(38, 0), "99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        (Decimal(38, 10), "-1234567890123456789012345678.0000000001", "-1234567890123456789012345678.0000000001"),
        (Array(Decimal(4, 1)), ["1.0", None], "[1.0,null]"),
        (Map(STRING, Decimal(4, 1)), {"a": "2.0"}, '{"a":2.0}'),
        (Struct((Field("D", DATE),)), {"D": 1}, '{"D":"1970-01-02"}'),
        (TIMESTAMP, 0, '"1970-01-01T00:00:00.000"'),
        (TIMESTAMP, -62_000_000_000_000, '"0005-04-19T09:46:40.000"'),
        (TIMESTAMP, 2**62, str(2**62)),
        (DATE, 2**31 - 1, str(2**31 - 1)),
        (TIME, 3_723_004, '"01:02:03.004"'),
        (TIME, 3_600_000, '"01:00"'),
        (TIMESTAMP, None, "null"),
    ],
)
def test_as_ksqldbs_json_has_them(kind: SqlType, value: Any, wanted: str) -> None:
    assert msgspec.json.encode(shown([shown_by(kind)], [value])).decode() == f"[{wanted}]"
