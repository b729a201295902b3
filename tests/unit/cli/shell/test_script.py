"""A text of several commands, one by one."""

from __future__ import annotations

import pytest

from riacho.cli.shell.script import Script, begins_sql, is_sql

STATEMENT = "SELECT *\n FROM a -- x;\n WHERE b = ';' EMIT CHANGES;"


def parts(text: str, *, is_in_sql: bool = False) -> list[str]:
    script, found = Script(text), []
    while (part := script.next_part(is_in_sql=is_in_sql)) is not None:
        found.append(part)
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("topic list; group list", ["topic list", "group list"]),
        ("topic list\r\n\n# no\n  group list\n", ["topic list", "group list"]),
        ("produce orders 'a; b' \"c;\nd\"; x", ["produce orders 'a; b' \"c;\nd\"", "x"]),
        ("topic list | awk '{a; b}'; x", ["topic list | awk '{a; b}'", "x"]),
        ("kafka-topics \\\n --list\nx", ["kafka-topics \\\n --list", "x"]),
        ("!for i in 1 2; do echo $i; done\nx", ["!for i in 1 2; do echo $i; done", "x"]),
        ("topic list > a; x", ["topic list > a", "x"]),
        # A statement goes over lines, and over semicolons that are none.
        (f"{STATEMENT} topic list", [STATEMENT, "topic list"]),
        ("show streams;describe /* ; */ a;", ["show streams;", "describe /* ; */ a;"]),
        ("topic 'never closed\nx", ["topic 'never closed\nx"]),
        ("", []),
        (" ;; \n#x", []),
    ],
)
def test_parts(text: str, wanted: list[str]) -> None:
    assert parts(text) == wanted


def test_in_sql_everything_is_statements_and_commands_of_the_prompt() -> None:
    assert parts("show streams; insert into a\nvalues (1);\nhelp\nexit\n", is_in_sql=True) == [
        "show streams;",
        "insert into a\nvalues (1);",
        "help",
        "exit",
    ]
    # What is not finished is for KSQL to refuse.
    assert parts("select 1\nfrom x", is_in_sql=True) == ["select 1", "from x"]


def test_the_mode_may_change_between_two_parts() -> None:
    script = Script("sql\nselect 1\n from a;\nexit\ntopic list")
    assert script.next_part() == "sql"
    assert script.next_part(is_in_sql=True) == "select 1\n from a;"
    assert script.next_part(is_in_sql=True) == "exit"
    assert script.next_part() == "topic list"
    assert script.next_part() is None


@pytest.mark.parametrize("text", ["SHOW STREAMS;", "  drop table a delete topic ; ", "list;", "select 1\nfrom a;"])
def test_statements_are_known_by_their_first_word_and_their_semicolon(text: str) -> None:
    assert is_sql(text)


@pytest.mark.parametrize("text", ["SHOW STREAMS", "topic list;", "showing;", ";", ""])
def test_other_lines_are_no_statements(text: str) -> None:
    assert not is_sql(text)


def test_no_command_begins_as_a_statement() -> None:
    from riacho.cli.shell.builtins import BUILTINS
    from riacho.cli.shell.programs import program_names

    assert [name for name in [*program_names(), *BUILTINS] if begins_sql(name)] == []
