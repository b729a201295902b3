"""Texts that are made to keep a server busy or to overflow its stack: one sentence each, and soon."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.bounds import NESTING_MAX, OPERATORS_MAX
from riacho.pipelines.sql.parsing.parser import parse_one, parse_script
from riacho.pipelines.sql.printer import statement_text

MANY = 100_000
MEGABYTE = 1024 * 1024
# Of the processor, and generous: a text of 100,000 words takes about half a second on a quiet core.
SECONDS_MAX = 10.0

REFUSED = {
    "parentheses": "SELECT " + "(" * MANY + "1" + ")" * MANY + " FROM s;",
    "open parentheses": "SELECT " + "(" * MANY,
    "a sum": "SELECT " + "+".join(["1"] * MANY) + " FROM s;",
    "conditions": "SELECT * FROM s WHERE " + " AND ".join(["a"] * MANY) + ";",
    "negations": "SELECT " + "NOT " * MANY + "a FROM s;",
    "signs": "SELECT " + "- " * MANY + "a FROM s;",
    "cases": "SELECT " + "CASE WHEN a THEN " * 20_000 + "1" + " END" * 20_000 + " FROM s;",
    "types": "CREATE TYPE a AS " + "ARRAY<" * MANY + "INT" + ">" * MANY + ";",
    "lambdas": "SELECT " + "f(x => " * 30_000 + "1" + ")" * 30_000 + " FROM s;",
    "fields": "SELECT a" + "->b" * MANY + " FROM s;",
    "subscripts": "SELECT a" + "[1]" * MANY + " FROM s;",
    "explanations": "EXPLAIN " * MANY + "SHOW STREAMS;",
    "a list": "SELECT * FROM s WHERE a IN (" + ",".join(["1"] * MANY) + ");",
    "statements": "SHOW STREAMS;" * 50_000,
    "joins": "SELECT * FROM s" + " JOIN t ON a = b" * 20_000 + ";",
    "columns": "CREATE STREAM s (" + ",".join(f"c{n} INT" for n in range(MANY)) + ");",
    "digits": "SELECT " + "9" * MEGABYTE + " FROM s;",
    "a limit": "SELECT * FROM s LIMIT " + "9" * MEGABYTE + ";",
    "a string that is not closed": "SELECT '" + "''" * 500_000,
    "comments that are not closed": "/* " * 300_000,
    "a text that is too long": " " * (3 * MEGABYTE),
    "a name that is no statement": "x" * MEGABYTE,
    "letters": "é" * MEGABYTE,
}


@pytest.mark.parametrize("which", REFUSED)
def test_a_bomb_is_refused_in_one_sentence(which: str) -> None:
    began = time.process_time()
    with pytest.raises(KsqlError) as refused:
        parse_script(REFUSED[which])
    assert time.process_time() - began < SECONDS_MAX
    assert len(refused.value.message) < 1_000


def test_large_texts_are_read() -> None:
    assert parse_script(f"SELECT '{'x' * MEGABYTE}' FROM s;")
    assert parse_script("/**/" * 200_000 + "SHOW STREAMS;")
    assert len(parse_script("INSERT INTO s VALUES (1, 'a');" * 5_000)) == 5_000
    assert parse_script("SELECT * FROM s WHERE a IN (" + ",".join(["1"] * 40_000) + ");")
    assert parse_script("CREATE STREAM s (a STRUCT<" + ",".join(f"c{n} INT" for n in range(20_000)) + ">);")


DEEPEST: dict[str, Callable[[int], str]] = {
    "sums and differences": lambda n: "SELECT " + "a - a + " * (n // 2) + "a FROM s;",
    "conditions": lambda n: "SELECT * FROM s WHERE " + "a = 1 AND (b = 2 OR " * n + "c" + ")" * n + ";",
    "functions": lambda n: "SELECT " + "f(" * n + "a" + ")" * n + " FROM s;",
    "lambdas": lambda n: "SELECT " + "f(x => " * n + "x" + ")" * n + " FROM s;",
    "cases": lambda n: "SELECT " + "CASE WHEN a THEN " * n + "1" + " END" * n + " FROM s;",
    "types": lambda n: "CREATE TYPE a AS " + "STRUCT<a " * n + "INT" + ">" * n + ";",
    "negations": lambda n: "SELECT " + "NOT " * n + "a FROM s;",
}


@pytest.mark.parametrize("which", DEEPEST)
def test_what_is_read_is_shallow_enough_for_recursion(which: str) -> None:
    """The deepest that is taken can be printed, compared and hashed; one more is refused."""
    text = DEEPEST[which]
    deepest = next(n for n in range(NESTING_MAX, 0, -1) if _is_read(text(n)))
    assert deepest >= NESTING_MAX // 3 - 5
    statement = parse_one(text(deepest)).statement
    assert parse_one(statement_text(statement)).statement == statement
    assert repr(statement)
    with pytest.raises(KsqlError, match=f"nested deeper than {NESTING_MAX} levels"):
        parse_one(text(deepest + 1))


LONGEST: dict[str, Callable[[int], str]] = {
    "a sum": lambda n: "SELECT a" + " + a" * n + " FROM s;",
    "differences": lambda n: "SELECT a" + " - a" * n + " FROM s;",
    "conditions": lambda n: "SELECT a FROM s WHERE a" + " AND a" * n + ";",
    "alternatives": lambda n: "SELECT a FROM s WHERE a" + " OR a" * n + ";",
    "texts": lambda n: "SELECT a" + " || a" * n + " FROM s;",
}


@pytest.mark.parametrize("which", LONGEST)
def test_a_chain_of_one_operator_is_long_and_not_deep(which: str) -> None:
    text = LONGEST[which]
    began = time.process_time()
    statement = parse_one(text(OPERATORS_MAX)).statement
    assert parse_one(statement_text(statement)).statement == statement
    assert len({repr(statement), repr(parse_one(text(OPERATORS_MAX - 1)).statement)}) == 2
    assert hash(statement) == hash(parse_one(text(OPERATORS_MAX)).statement)
    with pytest.raises(KsqlError, match=f"An expression has at most {OPERATORS_MAX} operators"):
        parse_one(text(OPERATORS_MAX + 1))
    assert time.process_time() - began < SECONDS_MAX


def _is_read(text: str) -> bool:
    try:
        parse_one(text)
    except KsqlError:
        return False
    return True
