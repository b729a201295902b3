"""How tools end: a sentence and exit code 1, quietly on Ctrl-C and on a broken pipe, never a traceback."""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.flags.jopt import Arguments, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.launch import ToolError, bootstrap_servers, run_tool


def ends_with(error: BaseException) -> int:
    def body(arguments: Arguments) -> int:
        raise error

    return run_tool("kafka-topics", body, ["--list"])


def test_tool_errors_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(ToolError("No such thing.")) == 1
    assert capsys.readouterr().err == "No such thing.\n"


def test_broker_errors_are_told_in_the_brokers_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(KafkaError(ErrorCode.INVALID_CONFIG, "Unknown topic config name: foo")) == 1
    assert capsys.readouterr().err == "Error: Unknown topic config name: foo\n"
    assert ends_with(KafkaError(ErrorCode.POLICY_VIOLATION)) == 1
    assert capsys.readouterr().err == "Error: The broker answered POLICY_VIOLATION.\n"


def test_files_that_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(FileNotFoundError(2, "No such file or directory", "a.json")) == 1
    assert capsys.readouterr().err == "Error: No such file or directory: a.json\n"


def test_ctrl_c_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert ends_with(KeyboardInterrupt()) == 130
    assert capsys.readouterr() == ("", "")


def test_notices_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("kafka-topics", lambda arguments: 0, ["--list", "--broker-list", "x:1"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "Warning: --broker-list is an old name of --bootstrap-server.\n"


def test_where_the_broker_is(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = TOOLS["kafka-topics"]
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    assert bootstrap_servers(parse(tool, ["--list"])) == "localhost:9092"
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "env:1")
    assert bootstrap_servers(parse(tool, ["--list"])) == "env:1"
    assert bootstrap_servers(parse(tool, ["--list", "--bootstrap-server", "flag:2"])) == "flag:2"
