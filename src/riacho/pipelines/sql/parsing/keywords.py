"""The words of the language.

Most of them are names wherever no rule asks for them: `KEY`, `SIZE`, `TOPIC`, `TYPES` are common names of columns. What
is reserved here is never a name, unless it is quoted.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RESERVED = _words(
    """
    AND AS BETWEEN BY CASE CREATE DISTINCT DROP ELSE END EXISTS FALSE FROM FULL GROUP HAVING IN INNER INSERT
    INTO IS JOIN LEFT LIKE LIMIT NOT NULL ON OR OUTER RIGHT SELECT STREAM TABLE THEN TRUE VALUES WHEN WHERE
    WINDOW WITH WITHIN
    """
)

_NAMES_ELSEWHERE = _words(
    """
    ADD ADVANCE ALL ALTER ARRAY ASC ASSERT BEGINNING CAST CHANGES COLUMN CONNECTOR CONNECTORS DEFINE DELETE DESC
    DESCRIBE EMIT ESCAPE EXPLAIN EXTENDED FINAL FUNCTION FUNCTIONS GRACE HEADER HEADERS HOPPING ID IF INTERVAL
    KEY LIST MAP ORDER PARTITION PAUSE PERIOD PLUGINS PRIMARY PRINT PROPERTIES QUERIES QUERY REPLACE RESUME
    RETENTION RUN SAMPLE SCHEMA SCRIPT SESSION SET SHOW SINK SIZE SOURCE STREAMS STRUCT SUBJECT SYSTEM TABLES
    TERMINATE TIMEOUT TOPIC TOPICS TUMBLING TYPE TYPES UNDEFINE UNSET VARIABLES
    """
)

KEYWORDS = RESERVED | _NAMES_ELSEWHERE

# Their tokens have a value for the rules: the place where they stood. Others only say which rule it is.
_WITH_VALUE = _words("ARRAY CASE CAST FALSE MAP NULL STRUCT TRUE")

TERMINAL_OF = {word: word if word in _WITH_VALUE else f"_{word}" for word in sorted(KEYWORDS)}

# What a statement begins with: for whoever mistyped it.
STATEMENT_WORDS = sorted(
    _words(
        """
        SELECT CREATE INSERT DELETE DROP ALTER SHOW LIST DESCRIBE EXPLAIN PRINT TERMINATE PAUSE RESUME SET UNSET DEFINE
        UNDEFINE RUN ASSERT
        """
    )
)

UNITS = {
    unit: plural
    for plural in ("MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "YEARS")
    for unit in (plural, plural.removesuffix("S"))
}

# Functions whose first argument is a unit and not a column of that name.
FUNCTIONS_OF_UNITS = _words("TIMESTAMPADD TIMESTAMPSUB DATEADD DATESUB TIMEADD TIMESUB")

# These begin something only in front of one of these characters: MAP is a column, MAP( is not.
ONLY_BEFORE = {"ARRAY": "[<", "MAP": "(<", "STRUCT": "(<", "CAST": "("}

# In back-ticks when they are printed as names: reserved ones, and those that some rule takes where a name could stand.
QUOTED_AS_NAMES = (
    RESERVED
    | frozenset(STATEMENT_WORDS)
    | _words(
        "ALL ARRAY CAST COLUMN CONNECTOR EMIT EXTENDED FUNCTION IF MAP ORDER PARTITION QUERY STREAMS STRUCT TABLES"
    )
)
