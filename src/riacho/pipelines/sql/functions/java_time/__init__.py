"""Dates and times as Java reads and writes them by a DateTimeFormatter's pattern, in plain Python.

What the functions of dates and times do where Spark's own patterns would answer otherwise, and how a source's
TIMESTAMP_FORMAT is read. English names, weeks of the United States, as a JVM with its usual settings has them.
"""

from riacho.pipelines.sql.functions.java_time.dates import days_text, parse_date, parse_whole_date
from riacho.pipelines.sql.functions.java_time.pattern import PatternError, pattern_of
from riacho.pipelines.sql.functions.java_time.times import parse_time, time_text
from riacho.pipelines.sql.functions.java_time.timestamps import convert_zone, parse_timestamp, timestamp_text

__all__ = [
    "PatternError",
    "convert_zone",
    "days_text",
    "parse_date",
    "parse_time",
    "parse_timestamp",
    "parse_whole_date",
    "pattern_of",
    "time_text",
    "timestamp_text",
]
