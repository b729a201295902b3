"""Commands of the command line itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from riacho.cli.ksql.commands import COMMANDS, find_command
from riacho.cli.ksql.main import command
from support.ksql_fake_server import FakeKsql, fake_ksql


def test_help_shows_every_command(ksql: Any) -> None:
    shown = ksql("-e", "help").output
    assert all(command.usage in shown for command in COMMANDS.values())
    assert ksql("-e", "HELP spool;").output == "spool FILE|OFF:\n\tCopy what is entered and shown to a file.\n"
    assert ksql("-e", "HELP nothing").exit_code == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("OUTPUT", "Current output format: TABULAR\n"),
        ("output json", "Output format set to JSON\n"),
        ("REQUEST-PIPELINING", "Current request-pipelining configuration: OFF\n"),
        ("request-pipelining on", "Request-pipelining has been turned ON\n"),
        ("VERSION", "Version: 7.9.0\n"),
        ("properties", "No property is set in this session.\n"),
    ],
)
def test_a_command(ksql: Any, text: str, told: str) -> None:
    result = ksql("-e", text)
    assert (result.output, result.exit_code) == (told, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("OUTPUT XML", "There is no output format 'XML'; there are TABULAR, JSON.\n"),
        ("REQUEST-PIPELINING maybe", "REQUEST-PIPELINING is ON or OFF.\n"),
        ("SPOOL", "SPOOL needs a file, or OFF.\n"),
        ("SPOOL OFF", "Nothing is spooled.\n"),
        ("SPOOL /no/such/folder/x", "/no/such/folder/x cannot be written: No such file or directory.\n"),
        ("SERVER ftp://x", "'ftp://x' is not an http or https URL.\n"),
    ],
)
def test_a_command_that_is_called_wrongly(ksql: Any, text: str, told: str) -> None:
    result = ksql("-e", text)
    assert (result.stderr, result.exit_code) == (told, 1)


def test_exit_ends_a_script(server: FakeKsql, ksql: Any) -> None:
    result = ksql(piped="SHOW STREAMS;\nEXIT\nSHOW TABLES;\n")
    assert result.exit_code == 0
    assert server.statement_bodies() == ["SHOW STREAMS;"]


def test_a_session_is_spooled(server: FakeKsql, ksql: Any, tmp_path: Path) -> None:
    server.errors["SHOW TABLES;"] = (400, {"error_code": 40001, "message": "No tables today"})
    path = tmp_path / "spool.txt"
    ksql("-e", f"SPOOL {path}", "-e", "VERSION", "-e", "SPOOL OFF", "-e", "OUTPUT")
    assert path.read_text() == f"Session will be spooled to {path}\nEnter SPOOL OFF to disable\nVersion: 7.9.0\n"
    ksql("-e", f"SPOOL '{path}'", "-e", "SHOW TABLES;")
    assert path.read_text().endswith("No tables today\n")


def test_another_server(server: FakeKsql, ksql: Any) -> None:
    with fake_ksql() as other:
        other.version = "8.0.0"
        result = ksql("-e", "SERVER", "-e", f"SERVER {other.url}", "-e", "SHOW STREAMS;")
        assert result.output.splitlines() == [
            server.url,
            f"Server v8.0.0 located at {other.url}",
            "Server Status: RUNNING",
        ]
        assert other.statement_bodies() == ["SHOW STREAMS;"]
    assert server.requests == []


def test_a_server_that_is_none_is_told(ksql: Any) -> None:
    result = ksql("-e", "SERVER http://127.0.0.1:1")
    assert "http://127.0.0.1:1 does not appear to be a valid KSQL server." in result.stderr


@pytest.mark.parametrize("text", ["", "  ", "show streams", "exitus", "helper;", "output; show streams;"])
def test_what_is_no_command(text: str) -> None:
    assert find_command(text) is None


def test_the_server_is_the_one_of_the_variable_where_none_is_named(
    server: FakeKsql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIACHO_KSQL_URL", server.url)
    assert CliRunner().invoke(command, ["-e", "SERVER"]).output.strip() == server.url
