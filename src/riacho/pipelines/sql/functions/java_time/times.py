"""Times of day by a pattern: FORMAT_TIME and PARSE_TIME, in milliseconds of the day."""

from __future__ import annotations

from riacho.pipelines.sql.functions.java_time.calendar import NANOS_A_MILLI
from riacho.pipelines.sql.functions.java_time.fields import resolved
from riacho.pipelines.sql.functions.java_time.formatting import formatted
from riacho.pipelines.sql.functions.java_time.moment import Moment
from riacho.pipelines.sql.functions.java_time.parsing import parsed_fields
from riacho.pipelines.sql.functions.java_time.pattern import pattern_of

_DATE_LETTERS = frozenset("yuYGMQdDFEecwWg")


def time_text(millis: int, pattern: str) -> str:
    return formatted(Moment(nanos=millis * NANOS_A_MILLI), pattern_of(pattern))


def parse_time(text: str, pattern: str) -> int:
    """ValueError where there is no whole time of day, or something of a date."""
    found = resolved(parsed_fields(text, pattern_of(pattern)))
    if found.named & _DATE_LETTERS:
        raise ValueError("Time format contains date field.")
    if found.nanos is None:
        raise ValueError("Unable to obtain LocalTime from the fields provided.")
    return found.nanos // NANOS_A_MILLI
