"""What Spark computes of dates and times by itself is what the Python functions say, which are held against Java."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from riacho.pipelines.sql.functions.function import Argument
from riacho.pipelines.sql.functions.python_functions import PYTHON_FUNCTIONS
from riacho.pipelines.sql.functions.scalar import date_calls
from riacho.pipelines.sql.row_json import sql_string
from riacho.pipelines.sql.types import STRING
from spark.sql.evaluating import ksql_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATTERNS = (
    "yyyy-MM-dd",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "yyyy-MM-dd'T'HH:mm:ssX",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "yyyyMMddHHmmssSSS",
    "dd/MM/yyyy",
    "yyyy-MM",
    "MM-dd",
    "HH:mm",
    "HH:mm:ss",
    "mm:ss",
    "uuuu dd",
    "yyyy-MM-dd HHxx",
    "yyyy",
    "'year' yyyy''",
    "yyyy-MM-dd'T'HH:mm:ss.S",
    "d MMM yyyy, h:mm a",
    "d.M.yy H:m:s",
    "MMMM dd, yyyy",
    "dd-MMM-yy",
    "yyyy-M-d'T'HH:mm:ssXXX",
    "MMMyy",
    "hh:mm a",
    "yyMMdd",
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "+05:30", "UTC-03:00")


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return ksql_session(spark)


def literal(text: str) -> Argument:
    return Argument(sql_string(text), STRING, text)


def computed(session: SparkSession, make: Callable[[str], str], values: Sequence[object], kind: str) -> list[Any]:
    """The expression over a column of these values, without any Python in it."""
    text = make("`x`")
    assert "riacho_" not in text
    listed = ", ".join(f"({sql_string(value) if isinstance(value, str) else value})" for value in values)
    rows = session.sql(f"SELECT {text} AS y FROM (SELECT CAST(col1 AS {kind}) AS x FROM VALUES {listed})").collect()
    return [row.y for row in rows]


def texts_of(pattern: str, seed: int) -> list[str]:
    """Texts of the pattern, and near misses."""
    rng = random.Random(seed)
    whole = PYTHON_FUNCTIONS["riacho_format_timestamp"]
    texts = ["", "nonsense"]
    for _ in range(60):
        text = whole(rng.randint(-2_000_000_000_000, 4_000_000_000_000), pattern, rng.choice(ZONES))
        texts.append(text)
        at = rng.randrange(len(text))
        texts.append(text[:at] + rng.choice("0123456789") + text[at + 1 :])
        texts.append(text[:at] + rng.choice("29 +-Zx") + text[at + rng.randint(0, 1) :])
        texts.append(text.swapcase())
    return texts


@pytest.mark.parametrize("pattern", PATTERNS)
def test_parsing(session: SparkSession, pattern: str) -> None:
    texts = [text for text in texts_of(pattern, seed=len(pattern)) if not text.startswith("-")]
    for zone in ZONES[:3]:
        expected = [PYTHON_FUNCTIONS["riacho_parse_timestamp"](text, pattern, zone) for text in texts]
        found = computed(
            session,
            lambda x, zone=zone: date_calls.parse_timestamp(x, literal(pattern), literal(zone)),
            texts,
            "STRING",
        )
        assert dict(zip(texts, found, strict=True)) == dict(zip(texts, expected, strict=True))


@pytest.mark.parametrize(
    "pattern", ["yyyy-MM-dd", "dd/MM/yyyy", "yyyy-MM", "yyyy", "d MMM yyyy", "M/d/yy", "MMMM yyyy"]
)
def test_parsing_dates(session: SparkSession, pattern: str) -> None:
    texts = texts_of(pattern, seed=1)
    expected = [PYTHON_FUNCTIONS["riacho_parse_date"](text, pattern) for text in texts]
    assert computed(session, lambda x: date_calls.parse_date(x, literal(pattern)), texts, "STRING") == expected


@pytest.mark.parametrize("pattern", ["HH:mm", "HH:mm:ss", "HHmmss", "HH:mm:ss.SSS", "HH", "h:mm a", "hh a", "H:m"])
def test_parsing_times(session: SparkSession, pattern: str) -> None:
    texts = texts_of(pattern, seed=2)
    expected = [PYTHON_FUNCTIONS["riacho_parse_time"](text, pattern) for text in texts]
    assert computed(session, lambda x: date_calls.parse_time(x, literal(pattern)), texts, "STRING") == expected


@pytest.mark.parametrize("zone", ZONES)
def test_formatting(session: SparkSession, zone: str) -> None:
    rng = random.Random(3)
    moments = [0, -1, 253_402_300_799_999, *(rng.randint(-(10**13), 10**13) for _ in range(100))]
    for pattern in ("yyyy-MM-dd HH:mm:ss.SSS", "EEE, d MMM yy h:mm a", "EEEE''s MMMM k K D DDD", "SSSSSS s m H M"):
        expected = [PYTHON_FUNCTIONS["riacho_format_timestamp"](moment, pattern, zone) for moment in moments]
        found = computed(
            session,
            lambda x, pattern=pattern: date_calls.format_timestamp(x, literal(pattern), literal(zone)),
            moments,
            "BIGINT",
        )
        assert found == expected


def test_conversion_between_zones(session: SparkSession) -> None:
    rng = random.Random(4)
    moments = [rng.randint(0, 2 * 10**12) for _ in range(100)]
    for one, other in (("UTC", "Europe/Berlin"), ("America/New_York", "Asia/Kolkata"), ("+05:30", "Z")):
        expected = [PYTHON_FUNCTIONS["riacho_convert_tz"](moment, one, other) for moment in moments]
        found = computed(
            session,
            lambda x, one=one, other=other: date_calls.convert_zone(x, literal(one), literal(other)),
            moments,
            "BIGINT",
        )
        assert found == expected
