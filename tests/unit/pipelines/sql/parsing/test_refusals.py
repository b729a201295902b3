"""What is no statement: where, what stood there and what was expected, in words that users know."""

from __future__ import annotations

import re

import pytest

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.parser import parse_expression, parse_one, parse_script, parse_type

# The text, its line and column, and a part of the sentence.
STATEMENTS = [
    # No statement at all
    ("SHO STREAMS;", "1:1", "Unknown statement 'SHO'\nDid you mean 'SHOW'?"),
    ("selct * from s;", "1:1", "Unknown statement 'selct'\nDid you mean 'SELECT'?"),
    ("xyzzy;", "1:1", "Unknown statement 'xyzzy'\nExpecting 'ALTER', 'ASSERT', 'CREATE'"),
    ("'a';", "1:1", "Unknown statement ''a''"),
    (";", "1:1", "Syntax error at or near ';' at line 1:1"),
    ("SHOW STREAMS;;", "1:14", "Expecting a statement"),
    ("UPDATE s SET a = 1;", "1:1", "Unknown statement 'UPDATE'"),
    # Words in wrong places
    ("list streamzzz;", "1:6", "Syntax error at or near 'streamzzz' at line 1:6"),
    ("CREATE STREAM bar AD SELECT * FROM foo;", "1:19", "Syntax error at or near 'AD' at line 1:19"),
    ("describe functiii concat;", "1:19", "Expecting {';', 'EXTENDED'}"),
    ("describe functiii concat;", "1:19", "mismatched input 'concat' expecting {';', 'EXTENDED'}"),
    ("CREATE VIEW v AS SELECT * FROM s;", "1:8", "Syntax error at or near 'VIEW'"),
    ("CREATE STREAM IF EXISTS s (a INT);", "1:18", "mismatched input 'EXISTS' expecting 'NOT'"),
    ("DROP STREAM IF NOT EXISTS s;", "1:16", "Expecting 'EXISTS'"),
    ("DROP s;", "1:6", "Expecting 'CONNECTOR', 'STREAM', 'TABLE' or 'TYPE'"),
    ("DROP STREAM s DELETE;", "1:21", "Expecting 'TOPIC'"),
    ("SHOW STREAMS EXTENDED EXTENDED;", "1:23", "Expecting ';'"),
    ("TERMINATE;", "1:10", "Expecting a string, an identifier, 'ALL' or 'QUERY'"),
    ("SET 'a' 'b';", "1:9", "Expecting '='"),
    ("SET a = 'b';", "1:5", "Expecting a string"),
    ("DEFINE a = 3;", "1:12", "Expecting a string"),
    ("RUN SCRIPT;", "1:11", "a string"),
    ("PRINT t FROM START;", "1:14", "Expecting 'BEGINNING'"),
    ("ASSERT TOPIC t TIMEOUT 5;", "1:25", "Expecting a unit of time"),
    ("ASSERT ROWS s;", "1:8", "'SCHEMA'"),
    ("ALTER STREAM s DROP COLUMN a;", "1:16", "Expecting 'ADD'"),
    ("ALTER STREAM s ADD a;", "1:21", "Expecting an identifier, 'ARRAY', 'MAP' or 'STRUCT'"),
    ("INSERT INTO s (a) (1);", "1:19", "Expecting 'VALUES'"),
    ("INSERT INTO s VALUES (1), (2);", "1:25", "Expecting ';'"),
    ("DELETE FROM t;", "1:14", "Expecting 'WHERE'"),
    ("DELETE t WHERE a = 1;", "1:8", "Expecting 'FROM'"),
    ("CREATE SOURCE CONNECTOR c;", "1:26", "Expecting 'WITH'"),
    ("CREATE CONNECTOR c WITH ('a'='b');", "1:8", "'SINK'"),
    ("CREATE TYPE t STRUCT<a INT>;", "1:15", "Expecting 'AS'"),
    # Queries
    ("SELECT foo;", "1:11", "Expecting an identifier, ',', 'AS' or 'FROM'"),
    ("SELECT FROM s;", "1:8", '"FROM" is a reserved keyword and it can\'t be used as an identifier.'),
    ("SELECT a b c FROM s;", "1:12", "mismatched input 'c' expecting {',', 'FROM'}"),
    ("SELECT DISTINCT a FROM s;", "1:8", '"DISTINCT" is a reserved keyword'),
    ("SELECT a, FROM s;", "1:11", '"FROM" is a reserved keyword'),
    ("SELECT a FROM s, t;", "1:16", "Syntax error at or near ','"),
    ("SELECT a FROM (SELECT b FROM s);", "1:15", "Expecting an identifier"),
    ("SELECT a FROM s JOIN t;", "1:23", "'ON' or 'WITHIN'"),
    ("SELECT a FROM s JOIN t WITHIN 5 ON s.a = t.a;", "1:33", "Expecting a unit of time"),
    ("SELECT a FROM s JOIN t WITHIN (1 DAY) ON s.a = t.a;", "1:37", "Expecting ','"),
    ("SELECT a FROM s JOIN t USING (a);", "1:30", "Expecting {'ON', 'WITHIN'}"),
    ("SELECT a FROM s CROSS JOIN;", "1:27", "Expecting an identifier"),
    ("SELECT a FROM s WINDOW TUMBLING (5 SECONDS);", "1:34", "Expecting 'SIZE'"),
    ("SELECT a FROM s WINDOW HOPPING (SIZE 5 SECONDS);", "1:47", "Expecting ','"),
    ("SELECT a FROM s WINDOW SLIDING (SIZE 5 SECONDS);", "1:32", "Expecting {'HOPPING', 'SESSION', 'TUMBLING'}"),
    ("SELECT a FROM s WINDOW TUMBLING (SIZE 5 PARSECS);", "1:41", "Expecting a unit of time"),
    ("SELECT a FROM s WINDOW TUMBLING (SIZE 1 MONTH);", "1:41", "A duration in MONTHS has no fixed length"),
    ("SELECT a FROM s WINDOW SESSION (1 DAY, RETENTION 1 DAY, RETENTION 1 DAY);", "1:1", "given once each"),
    ("SELECT a FROM s GROUP a;", "1:23", "Expecting 'BY'"),
    ("SELECT a FROM s EMIT;", "1:21", "Expecting 'CHANGES' or 'FINAL'"),
    ("SELECT a FROM s LIMIT x;", "1:23", "Expecting a whole number"),
    ("SELECT a FROM s LIMIT -1;", "1:23", "Expecting a whole number"),
    ("SELECT a FROM s EMIT CHANGES WHERE a = 1;", "1:30", "Expecting {';', 'LIMIT'}"),
    ("SELECT a FROM s UNION SELECT a FROM t;", "1:23", "Syntax error at or near 'SELECT'"),
    # Definitions
    ("CREATE TABLE left (a INT PRIMARY KEY);", "1:14", "You can use it as an identifier by escaping it as 'left'"),
    ("CREATE STREAM s (a INT;", "1:23", "'}', ']', or ')' is missing"),
    ("CREATE STREAM s ();", "1:18", "Expecting an identifier"),
    ("CREATE STREAM s (a INT, );", "1:25", "mismatched input ')' expecting an identifier"),
    ("CREATE STREAM s (a INT PRIMARY);", "1:31", "Expecting 'KEY'"),
    ("CREATE STREAM s (a INT) WITH (b=c);", "1:33", "a string"),
    ("CREATE STREAM s (a INT) WITH (b='c', B='d');", "1:15", "The property B is given twice"),
    ("CREATE STREAM s (a INT) AS SELECT * FROM t;", "1:25", "Expecting {';', 'WITH'}"),
    ("CREATE SOURCE STREAM s AS SELECT * FROM t;", "1:22", "A SOURCE STREAM is not made by a query"),
    ("CREATE STREAM 's' (a INT);", "1:15", "mismatched input ''s'' expecting {an identifier, 'IF'}"),
    ("CREATE STREAM ${name} (a INT);", "1:15", "The variable ${name} is not defined"),
    # Letters and signs
    ("SELECT 'a FROM s;", "1:8", "The string that begins here is not closed"),
    ("SELECT `a FROM s;", "1:8", "The quoted identifier that begins here is not closed"),
    ("SELECT a /* FROM s;", "1:10", "The comment that begins here is not closed"),
    ("SELECT `` FROM s;", "1:8", "at least one character"),
    ("SELECT a # b FROM s;", "1:10", "token recognition error at: '#'"),
    ("SELECT ação FROM s;", "1:9", "An identifier with such characters is written in back-ticks"),
    ("SELECT a FROM s\nWHERE\n  a == 1;", "3:6", "Syntax error at or near '='"),
]

EXPRESSIONS = [
    ("", "1:1", "One expression is expected"),
    ("a +", "1:4", "Expecting"),
    ("a + + ", "1:6", "Expecting"),
    ("(a", "1:3", "'}', ']', or ')' is missing"),
    ("(a]", "1:3", "mismatched input ']' expecting ')'"),
    ("a)", "1:2", "mismatched input ')' expecting ';'"),
    ("a[1", "1:4", "'}', ']', or ')' is missing"),
    ("a IN ()", "1:7", "Syntax error at or near ')'"),
    ("a IN 1", "1:6", "Expecting '('"),
    ("a IS 1", "1:6", "Expecting {'DISTINCT', 'NOT', 'NULL'}"),
    ("a BETWEEN 1", "1:12", "'AND'"),
    ("a LIKE 'x' ESCAPE '!!'", "1:1", "Escape character must be a single character"),
    ("CASE WHEN a END", "1:13", "'THEN'"),
    ("CASE a END", "1:8", "Expecting"),
    ("CASE WHEN a THEN b", "1:19", "'END'"),
    ("CAST(a, INT)", "1:7", "Expecting"),
    ("CAST(a AS)", "1:10", "Expecting an identifier, 'ARRAY', 'MAP' or 'STRUCT'"),
    ("STRUCT(1 := 2)", "1:8", "Expecting {an identifier, ')'}"),
    ("MAP('a', 1)", "1:8", "':='"),
    ("ARRAY[1, ]", "1:10", "Syntax error at or near ']'"),
    ("a->", "1:4", "Expecting an identifier"),
    ("a.b.c", "1:4", "mismatched input '.' expecting ';'"),
    ("x => x", "1:3", "mismatched input '=>' expecting ';'"),
    ("f((x, x) => x)", "1:4", "Reusing lambda arguments in nested lambda is not allowed"),
    ("f((x, 1) => x)", "1:5", "mismatched input ',' expecting ')'"),
    ("f(a b)", "1:5", "mismatched input 'b' expecting {')', ',', '=>'}"),
    ("9223372036854775808", "1:1", "Invalid numeric literal: 9223372036854775808"),
    ("-9223372036854775809", "1:2", "Invalid numeric literal: -9223372036854775809"),
    ("COUNT(DISTINCT a)", "1:7", '"DISTINCT" is a reserved keyword'),
]

TYPES = [
    ("ARRAY<INT", "1:10", "Expecting '(' or '>'"),
    ("ARRAY<>", "1:6", "mismatched input '<>' expecting '<'"),
    ("MAP<INT>", "1:8", "Expecting"),
    ("STRUCT<a>", "1:9", "Expecting an identifier, 'ARRAY', 'MAP' or 'STRUCT'"),
    ("STRUCT<a INT, a STRING>", "1:15", "Duplicate field names found in STRUCT: 'A'"),
    ("DECIMAL", "1:1", "DECIMAL needs its precision and scale"),
    ("DECIMAL(4)", "1:1", "Type DECIMAL has no 1 parameter."),
    ("DECIMAL(0, 0)", "1:1", "DECIMAL precision must be >= 1: DECIMAL(0,0)"),
    ("DECIMAL(2, 3)", "1:1", "DECIMAL precision must be >= scale: DECIMAL(2,3)"),
    ("INT(4)", "1:1", "Type INT has no 1 parameter."),
    ("VARCHAR(1, 2)", "1:1", "Type VARCHAR has no 2 parameters."),
    ("VARCHAR(99999999999)", "1:1", "out of range"),
    ("1", "1:1", "Expecting an identifier, 'ARRAY', 'MAP' or 'STRUCT'"),
]


@pytest.mark.parametrize(("text", "at", "sentence"), STATEMENTS, ids=[case[0] for case in STATEMENTS])
def test_a_statement_is_refused(text: str, at: str, sentence: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse_script(text)
    _check(refused.value, at, sentence)
    assert refused.value.statement is None or refused.value.statement in text


@pytest.mark.parametrize(("text", "at", "sentence"), EXPRESSIONS, ids=[case[0] for case in EXPRESSIONS])
def test_an_expression_is_refused(text: str, at: str, sentence: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse_expression(text)
    _check(refused.value, at, sentence)


@pytest.mark.parametrize(("text", "at", "sentence"), TYPES, ids=[case[0] for case in TYPES])
def test_a_type_is_refused(text: str, at: str, sentence: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse_type(text)
    _check(refused.value, at, sentence)


def test_a_long_word_is_shown_in_part() -> None:
    with pytest.raises(ParseError) as refused:
        parse_one("SHOW " + "x" * 10_000)
    assert len(refused.value.message) < 500
    assert "..." in refused.value.message


def _check(error: ParseError, at: str, sentence: str) -> None:
    assert error.message.startswith(f"line {at}: "), error.message
    assert sentence in error.message, error.message
    # Names of terminals are nobody's business.
    assert re.search(r"\b_?[A-Z]+_[A-Z]+\b|\$END|__ANON", error.message) is None
