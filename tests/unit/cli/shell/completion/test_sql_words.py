"""What SQL goes on with: words by the grammar, names by what stands before."""

from __future__ import annotations

import time

import pytest

from riacho.cli.shell.completion.sql_words import sql_part
from riacho.pipelines.sql.functions.registry import REGISTRY
from unit.cli.shell.completion.known_names import Typist


@pytest.fixture(scope="module")
def typist() -> Typist:
    typist = Typist()
    typist.is_in_sql = True
    return typist


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("SHOW STR", ["STREAMS"]),
        ("show str", ["streams"]),
        ("DROP ", ["CONNECTOR", "STREAM", "TABLE", "TYPE"]),
        ("DROP STREAM ", ["ORDERS", "`mixed Case`", "IF"]),
        ("DROP STREAM IF EXISTS O", ["ORDERS"]),
        ("DROP TABLE B", ["BALANCES"]),
        ("DROP CONNECTOR a", ["archive"]),
        ("SELECT * FROM O", ["ORDERS"]),
        ("SELECT * FROM `", ["`mixed Case`"]),
        ("INSERT INTO ORDERS ", ["SELECT", "VALUES", "WITH"]),
        ("TERMINATE C", ["CTAS_BALANCES_1"]),
        ("PRINT b", ["books"]),
        ("SELECT * FROM orders EMIT ", ["CHANGES", "FINAL"]),
        ("SELECT * FROM orders o WHERE o.a", ["amount"]),
        ("SELECT * FROM orders JOIN balances AS b ON b.", ["ACCOUNT", "BALANCE"]),
        ("SELECT AM", ["AMOUNT"]),
        ("SHOW TOPICS; SHOW QUER", ["QUERIES"]),
        ("CREATE STREAM a (b INT) WITH (KAFKA", ["KAFKA_TOPIC='"]),
        ("create stream a (b int) with (kafka_topic='orders', value_f", ["value_format='"]),
        ("CREATE TABLE a WITH (PART", ["PARTITIONS="]),
        ("CREATE STREAM a (b INT) WITH (KAFKA_TOPIC='o", ["orders", "others"]),
        ("create stream a (b int) with (value_format='json', kafka_topic = 'b", ["books"]),
        ("CREATE STREAM a (b INT) WITH (VALUE_FORMAT='PRO", ["PROTOBUF", "PROTOBUF_NOSR"]),
        # In other strings, comments and behind names that are whole there is nothing to complete.
        ("CREATE STREAM a (b INT) WITH (TIMESTAMP='o", []),
        ("SELECT * FROM orders WHERE KAFKA_TOPIC='o", []),
        ("SELECT 'FRO", []),
        ("SHOW TOPICS; -- SHO", []),
        ("SELECT /* FRO", []),
        ("SELECT `a`", []),
    ],
)
def test_words_and_names(typist: Typist, text: str, offered: list[str]) -> None:
    behind = " FROM orders;" if text.endswith("AM") else ""
    from prompt_toolkit.document import Document

    found = typist._completer.get_completions(Document(text + behind, len(text)), None)  # type: ignore[arg-type]
    assert sorted(each.display_text for each in found) == sorted(offered)


def test_functions_are_offered_in_expressions_with_their_signatures(typist: Typist) -> None:
    offered = {each.text: each.display_meta_text for each in typist.completions("SELECT ")}
    # The menu shows some hundred; each is found by its letters.
    assert {"COUNT(", "ABS("} <= set(offered)
    for name in ("UCASE", "SUBSTRING", "COUNT", "TOPK"):
        [found] = [each for each in typist.completions(f"SELECT {name}") if each.text == f"{name}("]
        assert found.display_meta_text.startswith(f"{name}(")
    assert [each.text for each in typist.completions("select ucas")] == ["ucase("]
    assert "UCASE" in typist.offered("DESCRIBE FUNCTION UC")
    assert not [text for text in typist.offered("SHOW ") if "(" in text]
    names = {function.name for function in REGISTRY}
    assert all(f"{name}(" in typist.offered(f"SELECT {name}") for name in names)


def test_types_and_units_stand_in_their_places(typist: Typist) -> None:
    assert "BIGINT" in typist.offered("CREATE STREAM s (id BIG")
    assert "MINUTES" in typist.offered("SELECT * FROM orders WINDOW TUMBLING (SIZE 5 MIN")


def test_the_prompts_own_commands_stand_first(typist: Typist) -> None:
    assert "SPOOL" in typist.offered("SP")
    assert "SPOOL" not in typist.offered("SHOW SP")


def test_which_lines_of_the_shell_are_sql() -> None:
    assert sql_part("SELECT * ") == "SELECT * "
    assert sql_part("sql show ") == "show "
    assert [sql_part(line) for line in ("topic list", "select", "sql", "", "kafka-topics --list")] == [None] * 5


def test_hostile_text_takes_no_time(typist: Typist) -> None:
    typist.offered("SELECT ")
    started = time.perf_counter()
    for text in ("SELECT " + "(" * 9_000, "SELECT " + "a." * 4_900, "'" * 9_999, "SELECT " + "CASE WHEN " * 900):
        typist.offered(text)
    assert time.perf_counter() - started < 5
