"""Statements through parser, analysis and catalogue, for tests of what they come to."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.pipelines.sql.analysis.outcomes import Outcome, QueryOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.parsing.parser import parse_script

SOURCES = """
CREATE STREAM S (ID BIGINT KEY, A INT, B STRING, C ARRAY<INT>, ST STRUCT<X INT, Y STRING>, M MAP<STRING, INT>,
  D DECIMAL(5, 2), TS TIMESTAMP) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON', PARTITIONS=4);
CREATE STREAM NK (A INT, B STRING) WITH (KAFKA_TOPIC='nk', VALUE_FORMAT='JSON');
CREATE STREAM K2 (K1 INT KEY, K2 STRING KEY, A INT, B STRING) WITH (KAFKA_TOPIC='k2', FORMAT='JSON');
CREATE TABLE T (ID BIGINT PRIMARY KEY, A INT, B STRING) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
CREATE STREAM W (ID BIGINT KEY, A INT)
  WITH (KAFKA_TOPIC='w', VALUE_FORMAT='JSON', WINDOW_TYPE='TUMBLING', WINDOW_SIZE='1 HOUR');
CREATE TABLE WT (ID BIGINT PRIMARY KEY, A INT)
  WITH (KAFKA_TOPIC='wt', VALUE_FORMAT='JSON', WINDOW_TYPE='SESSION');
CREATE STREAM H (ID BIGINT KEY, A INT, HS ARRAY<STRUCT<KEY STRING, VALUE BYTES>> HEADERS)
  WITH (KAFKA_TOPIC='h', VALUE_FORMAT='JSON');
CREATE STREAM H1 (ID BIGINT KEY, A INT, TRACE BYTES HEADER('trace')) WITH (KAFKA_TOPIC='h1', VALUE_FORMAT='JSON');
CREATE SOURCE STREAM RO (ID BIGINT KEY, A INT) WITH (KAFKA_TOPIC='ro', VALUE_FORMAT='JSON');
CREATE STREAM CSV (ID INT KEY, A INT, B STRING)
  WITH (KAFKA_TOPIC='csv', VALUE_FORMAT='DELIMITED', VALUE_DELIMITER='TAB', KEY_FORMAT='DELIMITED');
CREATE STREAM KV (V STRING) WITH (KAFKA_TOPIC='kv', VALUE_FORMAT='KAFKA');
CREATE STREAM "low" ("id" INT KEY, "a" INT) WITH (KAFKA_TOPIC='low', VALUE_FORMAT='JSON');
"""


@dataclass(frozen=True)
class Done:
    outcomes: tuple[Outcome, ...]
    catalogue: Catalogue

    @property
    def last(self) -> Outcome:
        return self.outcomes[-1]

    @property
    def query(self) -> QueryOutcome:
        assert isinstance(self.last, QueryOutcome)
        return self.last


def carry_out(text: str, catalogue: Catalogue | None = None, settings: Settings | None = None) -> Done:
    """Every statement of a script, each on the catalogue that the ones before have left."""
    catalogue = catalogue if catalogue is not None else Catalogue()
    outcomes: list[Outcome] = []
    for number, parsed in enumerate(parse_script(text)):
        outcome = analyse(parsed, catalogue, settings or Settings(), number)
        catalogue = catalogue.apply_all(outcome.changes)
        outcomes.append(outcome)
    return Done(tuple(outcomes), catalogue)


def known_sources() -> Catalogue:
    return carry_out(SOURCES).catalogue
