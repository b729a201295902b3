"""Several statements in a text: where each begins and ends."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.parser import parse_expression, parse_one, parse_script

SCRIPT = """
-- first; with a semicolon
CREATE STREAM s (a INT) WITH (kafka_topic='a;b');  /* ; */
INSERT INTO s VALUES ('it''s;');
SELECT `a;b` FROM s
  EMIT CHANGES;
"""


def test_a_script_is_cut_at_its_semicolons() -> None:
    parsed = parse_script(SCRIPT)
    assert [each.text for each in parsed] == [
        "CREATE STREAM s (a INT) WITH (kafka_topic='a;b');",
        "INSERT INTO s VALUES ('it''s;');",
        "SELECT `a;b` FROM s\n  EMIT CHANGES;",
    ]
    assert [each.at for each in parsed] == [(3, 1), (4, 1), (5, 1)]


@pytest.mark.parametrize("text", ["", "  \n", "-- nothing", "/* nothing; */"])
def test_a_script_may_be_empty(text: str) -> None:
    assert parse_script(text) == ()


def test_the_last_statement_needs_its_semicolon() -> None:
    with pytest.raises(ParseError) as refused:
        parse_script("SHOW STREAMS; SHOW TABLES")
    assert refused.value.message.startswith("line 1:26: ")
    assert "Expecting ';'" in refused.value.message
    assert len(parse_script("SHOW STREAMS; SHOW TABLES", require_terminator=False)) == 2
    assert parse_one("SHOW TABLES").text == "SHOW TABLES"


def test_an_error_says_its_line_in_the_script_and_its_own_statement() -> None:
    with pytest.raises(ParseError) as refused:
        parse_script("SHOW STREAMS;\n\n  SHOW STREEMS;\nSHOW TABLES;")
    assert (refused.value.line, refused.value.column) == (3, 8)
    assert refused.value.statement == "SHOW STREEMS;"


def test_one_statement_is_one() -> None:
    with pytest.raises(ParseError, match="Only one statement"):
        parse_one("SHOW STREAMS; SHOW TABLES;")
    with pytest.raises(ParseError, match="there is none"):
        parse_one(" -- nothing")
    with pytest.raises(ParseError, match="without a semicolon"):
        parse_expression("a;")
    with pytest.raises(ParseError, match="Expecting ';'"):
        parse_one("SHOW TABLES", require_terminator=True)
