"""The prompt, with keys from a pipe in place of a keyboard."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from riacho.cli.ksql.agreement import agrees
from riacho.cli.ksql.completion import Names, completions
from riacho.cli.ksql.console import Console
from riacho.cli.ksql.interpreter import Interpreter, is_complete
from riacho.cli.ksql.prompt import run_prompt
from riacho.cli.ksql.server import KsqlServer
from riacho.cli.ksql.session import Session
from support.ksql_fake_server import FakeKsql


@pytest.fixture
def session(server: FakeKsql) -> Session:
    return Session(KsqlServer(server.url), Console(width=80))


def typed(session: Session, keys: str) -> None:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        run_prompt(session, Interpreter(session))


@pytest.fixture(autouse=True)
def history_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "history"
    monkeypatch.setenv("KSQL_HISTORY_FILE", str(path))
    return path


def test_a_statement_goes_over_lines_until_its_semicolon(
    server: FakeKsql, session: Session, history_file: Path
) -> None:
    typed(session, "SHOW\r STREAMS\r;\rversion\r\rexit\r")
    assert server.statement_bodies() == ["SHOW\n STREAMS\n;"]
    assert session.history == ["SHOW STREAMS ;", "version", "exit"]
    assert "STREAMS" in history_file.read_text()
    assert stat.S_IMODE(history_file.stat().st_mode) == 0o600


def test_secrets_stay_out_of_the_file(server: FakeKsql, session: Session, history_file: Path) -> None:
    secret = "CREATE SINK CONNECTOR a WITH ('connection.password'='s3cret');"
    typed(session, f"{secret}\rserver http://ana:s3cret@localhost:1\rexit\r")
    assert server.statement_bodies() == [secret]
    assert "s3cret" not in history_file.read_text()
    assert "exit" in history_file.read_text()


def test_a_semicolon_in_a_string_ends_nothing(server: FakeKsql, session: Session) -> None:
    typed(session, "DROP CONNECTOR 'a;\rb';\rexit\r")
    assert server.statement_bodies() == ["DROP CONNECTOR 'a;\nb';"]


def test_ctrl_c_forgets_and_ctrl_d_ends(server: FakeKsql, session: Session) -> None:
    typed(session, "SHOW TAB\x03SHOW STREAMS;\r\x04")
    assert server.statement_bodies() == ["SHOW STREAMS;"]


def test_what_is_refused_does_not_end_the_session(
    server: FakeKsql, session: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    server.errors["BAD;"] = (400, {"error_code": 40001, "message": "line 1:1: Unknown statement 'BAD'"})
    typed(session, "BAD;\rversion;\rhistory\rexit\r")
    told = capsys.readouterr()
    assert told.err == "line 1:1: Unknown statement 'BAD'\n"
    assert told.out == "Version: 7.9.0\n   1: BAD;\n   2: version;\n   3: history\n"


def test_what_is_not_meant_is_not_sent(server: FakeKsql, session: Session) -> None:
    asked: list[tuple[str, str]] = []

    def is_meant(text: str, where: str) -> bool:
        asked.append((text, where))
        return not text.startswith("DROP")

    token = agrees.set(is_meant)
    try:
        typed(session, "DEFINE s='a';\rDROP STREAM ${s};\rSHOW STREAMS;\rexit\r")
    finally:
        agrees.reset(token)
    assert asked[1] == ("DROP STREAM a;", server.url)
    assert server.statement_bodies() == ["SHOW STREAMS;"]


def test_what_is_typed_is_spooled(server: FakeKsql, session: Session, tmp_path: Path) -> None:
    path = tmp_path / "spool"
    typed(session, f"SPOOL {path}\rVERSION\rEXIT\r")
    session.console.close()
    assert path.read_text().endswith("ksql> VERSION\nVersion: 7.9.0\nksql> EXIT\n")


def test_words_are_completed(session: Session) -> None:
    assert completions("SHOW STR", []) == ["STREAM", "STREAMS", "STRING", "STRUCT"]
    assert "streams" in completions("show str", [])
    assert completions("SELECT * FROM ord", ["ORDERS", "X"])[0] == "ORDERS"
    assert "EXIT" in completions("EX", [])
    assert "EXIT" not in completions("SHOW EX", [])
    assert completions("SHOW ", ["ORDERS"]) == []


def test_names_come_from_the_server_once(server: FakeKsql, session: Session) -> None:
    server.answers["SHOW STREAMS;"] = [{"@type": "streams", "streams": [{"name": "ORDERS"}, {"name": "lower"}]}]
    server.answers["SHOW QUERIES;"] = [{"@type": "queries", "queries": [{"id": "CSAS_1"}]}]
    names = Names(session)
    assert names.all() == ["CSAS_1", "ORDERS", "`lower`"]
    asked = len(server.requests)
    assert names.all() == ["CSAS_1", "ORDERS", "`lower`"]
    assert len(server.requests) == asked
    session.changes += 1
    names.all()
    assert len(server.requests) > asked


def test_completion_goes_on_without_a_server() -> None:
    assert Names(Session(KsqlServer("http://127.0.0.1:1"), Console())).all() == []


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("a;", True),
        ("a", False),
        ("a; b", False),
        ("'a;", False),
        ("/* a;", False),
        ("-- a;", True),
        ("é;", True),
    ],
)
def test_when_a_text_is_complete(text: str, is_it: bool) -> None:
    assert is_complete(text) is is_it
