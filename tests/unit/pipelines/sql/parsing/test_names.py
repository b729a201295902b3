"""Words of the language as names: ksqlDB's users call their columns KEY, SIZE and TOPIC."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.keywords import KEYWORDS, RESERVED
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.syntax.statements import CreateSource, Query, SelectItem

FREE = sorted(
    (KEYWORDS - RESERVED) | {"VALUE", "TIMESTAMP", "DATE", "TIME", "INTEGER", "STRING", "DAY", "SECONDS", "ZONE"}
)
# What begins something in front of certain characters is a name elsewhere.
AS_COLUMNS = [word for word in FREE if word != "CAST"]


@pytest.mark.parametrize("word", FREE)
def test_a_word_is_the_name_of_a_column(word: str) -> None:
    made = parse_one(f"CREATE STREAM s (id INT KEY, {word} INT, x STRUCT<{word} INT>) WITH (kafka_topic='t')").statement
    assert isinstance(made, CreateSource)
    assert made.columns[1].name == word


@pytest.mark.parametrize("word", AS_COLUMNS)
def test_a_word_is_a_column_of_a_query(word: str) -> None:
    text = (
        f"SELECT {word}, s.{word}, x->{word}, f({word}) + 1 AS {word} FROM s "
        f"WHERE {word} = 1 AND {word} IS NOT NULL GROUP BY {word}, s.{word} EMIT CHANGES"
    )
    query = parse_one(text).statement
    assert isinstance(query, Query)
    assert query.select[0] == SelectItem(Column(word))
    assert query.select[1] == SelectItem(Column(word, "S"))
    assert query.group_by == (Column(word), Column(word, "S"))


@pytest.mark.parametrize("word", sorted(set(FREE) - {"IF"}))
def test_a_word_is_the_name_of_a_stream(word: str) -> None:
    assert parse_one(f"CREATE STREAM {word} (a INT)").statement.name == word  # type: ignore[union-attr]
    assert parse_one(f"SELECT * FROM {word}").statement.source.name == word  # type: ignore[union-attr]
    assert parse_one(f"DROP STREAM {word}").statement.name == word  # type: ignore[union-attr]
    assert parse_one(f"INSERT INTO {word} VALUES (1)").statement.target == word  # type: ignore[union-attr]


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_a_name_in_quotes_only(word: str) -> None:
    assert parse_one(f'CREATE STREAM `{word}` ("{word}" INT)').statement.name == word  # type: ignore[union-attr]
    with pytest.raises(ParseError) as refused:
        parse_one(f"CREATE STREAM s ({word} INT)")
    assert f'"{word}" is a reserved keyword' in refused.value.message
    assert (refused.value.line, refused.value.column) == (1, 18)
