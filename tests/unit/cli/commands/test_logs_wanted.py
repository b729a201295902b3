"""`riacho logs` of what is asked for: by kind, owner, level, time, text and by who asked, in the order of time."""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from riacho.cli.commands import logs as command
from riacho.cli.data_dir import DataDir
from riacho.cli.main import cli

ACCESS = "api={api} version=7 request_bytes=1 response_bytes=2 elapsed_us=3 listener=PLAINTEXT agent={agent}"
WRITTEN = {
    "access-1": [
        (
            "10:00:01,000 INFO",
            "10.0.0.9 User:ann app-1 " + ACCESS.format(api="CreateTopics", agent="librdkafka/2.11.0"),
        ),
        ("10:00:05,000 INFO", '10.0.0.9 User:bob "my app" ' + ACCESS.format(api="DeleteTopics", agent="-")),
    ],
    "access-2": [
        ("10:00:03,000 DEBUG", "10.0.0.8 User:ann app-2 " + ACCESS.format(api="Produce", agent="librdkafka/2.12.0")),
    ],
    "agent-1": [("10:00:00,500 INFO", "agent first seen agent=librdkafka/2.11.0 host=10.0.0.9 client_id=app-1")],
    "audit-1": [("10:00:06,000 INFO", 'denied principal=User:bob host=10.0.0.9 client_id="my app" api=Fetch needs=x')],
    "connect": [
        ("10:00:04 DEBUG", "127.0.0.1 ann GET /connectors status=200 elapsed_us=9 agent=curl/8 referrer=-"),
        ("10:00:07 ERROR", "unforeseen error\nTraceback (most recent call last):\n  ValueError: \x1b[31mred"),
    ],
    "error-1": [
        ("10:00:02,000 INFO", "broker started node_id=1"),
        ("10:00:08,000 WARNING", "authentication failed host=10.0.0.9 user=eve"),
    ],
    "referrer-1": [
        ("10:00:00,600 INFO", "referrer first seen listener=INTERNAL host=10.0.0.9 principal=User:ann client_id=app-1")
    ],
    "up": [("10:00:02", "broker 1 is back")],
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("RIACHO_DATA_DIR", str(tmp_path / "data"))
    directory = DataDir(tmp_path / "data")
    directory.create()
    for name, entries in WRITTEN.items():
        text = "".join(f"2026-01-31 {head} {line}\n" for head, line in entries)
        (directory.logs / f"{name}.log").write_text(text)
    return directory


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["logs", *words])


def shown(*words: str) -> list[str]:
    """Log and time of each entry that is shown."""
    found = run(*words, "-o", "json")
    assert found.exit_code == 0, found.stderr
    told = [json.loads(line) for line in found.stdout.splitlines()]
    return [f"{entry['log']} {(entry['time'] or '')[17:19]}" for entry in told]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["broker-1 02", "supervisor 02", "connect 04", "connect 07", "broker-1 08"]),
        (["--access"], ["access-1 01", "access-2 03", "connect 04", "access-1 05"]),
        (["--agent", "--referrer"], ["agent-1 00", "referrer-1 00"]),
        (["--audit"], ["audit-1 06"]),
        (["--error", "--service", "connect"], ["connect 07"]),
        (["--access", "--broker", "2"], ["access-2 03"]),
        (["--broker", "1"], ["broker-1 02", "broker-1 08"]),
        (["connect"], ["connect 04", "connect 07"]),
        (["connect", "--access"], ["connect 04"]),
        (["--level", "warn"], ["connect 07", "broker-1 08"]),
        (["--level", "error"], ["connect 07"]),
        (["--client-id", "app-1"], ["agent-1 00", "referrer-1 00", "access-1 01"]),
        (["--client-id", "app-*", "--access"], ["access-1 01", "access-2 03"]),
        (["--client-id", "my app"], ["access-1 05", "audit-1 06"]),
        (["--principal", "ann", "--access"], ["access-1 01", "access-2 03", "connect 04"]),
        (["--principal", "User:bob"], ["access-1 05", "audit-1 06"]),
        (["--agent", "librdkafka"], ["agent-1 00", "access-1 01", "access-2 03"]),
        (["--agent", "librdkafka/2.12.0"], ["access-2 03"]),
        (["--agent", "curl"], ["connect 04"]),
        (["--api", "fetch"], ["audit-1 06"]),
        (["--api", "*Topics", "--principal", "bob"], ["access-1 05"]),
        (["--host", "10.0.0.8"], ["access-2 03"]),
        (["--host", "10.0.0.*", "--access"], ["access-1 01", "access-2 03", "access-1 05"]),
        (["--host", "127.0.0.1", "--host", "10.0.0.8"], ["access-2 03", "connect 04"]),
        (["--host", "10.0.0"], []),
        (["--listener", "PLAINTEXT"], ["access-1 01", "access-2 03", "access-1 05"]),
        (["--listener", "inter*"], ["referrer-1 00"]),
        (["--listener", "internal", "--host", "10.0.0.8"], []),
        (["--since", "2026-01-31T10:00:04"], ["connect 04", "connect 07", "broker-1 08"]),
        (["--since", "2026-01-31T10:00:04", "-n", "1"], ["connect 07", "broker-1 08"]),
        (["--until", "2026-01-31 10:00:02"], ["broker-1 02", "supervisor 02"]),
        (["--grep", "node_id=1"], ["broker-1 02"]),
        (["--grep", "ValueError", "--grep", "unforeseen"], ["connect 07"]),
        (["--grep", "ValueError"], ["connect 07"]),
        (["--grep", "user=e.e$", "-E"], ["broker-1 08"]),
        (["--grep", "user=e.e$"], []),
        (["access-1", "access-2", "-n", "1"], ["access-2 03", "access-1 05"]),
        (["--access", "-n", "0"], []),
    ],
)
def test_what_is_asked_for_is_shown_by_its_time(data: DataDir, words: list[str], expected: list[str]) -> None:
    assert shown(*words) == expected


def test_an_entry_is_told_with_its_fields(data: DataDir) -> None:
    told = json.loads(run("--client-id", "my app", "--access", "-o", "json").stdout)
    at = datetime.fromisoformat(told.pop("time"))
    assert at == datetime(2026, 1, 31, 10, 0, 5).astimezone()
    assert told == {
        "level": "INFO",
        "log": "access-1",
        "kind": "access",
        "text": WRITTEN["access-1"][1][1],
        "fields": {
            "host": "10.0.0.9",
            "principal": "User:bob",
            "client_id": "my app",
            "api": "DeleteTopics",
            "version": "7",
            "request_bytes": "1",
            "response_bytes": "2",
            "elapsed_us": "3",
            "listener": "PLAINTEXT",
            "agent": "-",
        },
    }


def test_no_escape_sequence_of_others_reaches_a_terminal(data: DataDir) -> None:
    log = data.logs / "connect.log"
    log.write_text("2026-01-31 10:00:00 INFO a\tb \x1b]0;title\x07 \x9b31m \u202e \x7f\n")
    told = run("connect").stdout
    assert told == "2026-01-31 10:00:00 INFO a\tb \\x1b]0;title\\x07 \\x9b31m \\u202e \\x7f\n"
    assert run("connect", "-o", "json").stdout.rstrip("\n").isprintable()


def test_a_trace_comes_whole_and_the_last_lines_as_many_as_asked(data: DataDir) -> None:
    assert run("connect", "-n", "2").stdout.splitlines() == [
        "Traceback (most recent call last):",
        "  ValueError: \\x1b[31mred",
    ]
    assert len(run("connect", "--level", "error", "-n", "1").stdout.splitlines()) == 3


def test_levels_have_colours_on_a_terminal_alone(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in run("broker-1").stdout
    monkeypatch.setattr("riacho.cli.output.is_terminal", lambda stream: True)
    coloured = CliRunner().invoke(cli, ["logs", "broker-1"], color=True).stdout.splitlines()
    assert coloured[0].startswith("2026")
    assert coloured[1].startswith("\x1b[33m2026")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(cli, ["logs", "broker-1"], color=True).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--broker", "7"], "There is no log of 'broker-7'"),
        (["--service", "conect"], "did you mean 'connect'?"),
        (["--since", "soon"], "--since takes a time such as 5m"),
        (["--until", "99:99"], "--until takes a time"),
        (["--grep", "(", "-E"], "not a valid regular expression"),
        (["--audit", "--service", "connect"], "no log of that kind"),
        (["--agent", "agent-1"], "write logs before options"),
    ],
)
def test_what_cannot_be_asked(data: DataDir, words: list[str], told: str) -> None:
    found = run(*words)
    assert found.exit_code in (1, 2)
    assert told in found.stderr
    assert "Traceback" not in found.stderr


def test_a_pattern_takes_time_in_line_with_the_text(data: DataDir) -> None:
    with (data.logs / "error-1.log").open("a") as log:
        log.write("2026-01-31 10:00:09,000 INFO " + "a" * 200_000 + "\n")
    started = time.process_time()
    assert run("broker-1", "-E", "--grep", "(a|a)*(a+)+$b").stdout == ""
    assert time.process_time() - started < 5


def test_time_may_be_told_as_a_span(data: DataDir) -> None:
    lines = [f"{datetime.now() - timedelta(minutes=ago):%Y-%m-%d %H:%M:%S},000 INFO at {ago}" for ago in (90, 50, 2)]
    (data.logs / "error-1.log").write_text("".join(f"{line}\n" for line in lines))
    assert run("broker-1", "--since", "5m").stdout.splitlines() == lines[2:]
    assert run("broker-1", "--since", "1h ago").stdout.splitlines() == lines[1:]
    assert run("broker-1", "--until", "1h").stdout.splitlines() == lines[:1]


def test_logs_are_followed_together(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filtered as they come, over new files and new brokers, and in the order of their times."""

    def add(name: str, *lines: str) -> None:
        with (data.logs / f"{name}.log").open("a") as log:
            log.writelines(f"{line}\n" for line in lines)

    def moved_on() -> None:
        add("error-1", "2026-01-31 11:00:02,000 WARNING b")
        (data.logs / "error-1.log").rename(data.logs / "error-1.log.1")
        add("error-1", "2026-01-31 11:00:04,000 WARNING d")
        add("error-2", "2026-01-31 11:00:03,000 WARNING c", "2026-01-31 11:00:03,500 INFO no")

    turns = [
        lambda: add("connect", "2026-01-31 11:00:01 ERROR a", "below"),
        moved_on,
        lambda: add("error-2", "2026-01-31 11:00:05,000 ERROR e", "2026-01-31 11:00:06,000 INFO no"),
        lambda: add("error-2", "below what is not wanted"),
        lambda: add("connect", "still of a"),
    ]

    def sleep(seconds: float) -> None:
        if not turns:
            raise KeyboardInterrupt
        turns.pop(0)()

    monkeypatch.setattr(command.time, "sleep", sleep)
    found = run("--level", "warn", "-f", "-n", "0")
    assert found.exit_code == 0
    assert [line.partition(" ")[::2] for line in found.stdout.splitlines()] == [
        ("connect:", "2026-01-31 11:00:01 ERROR a"),
        ("connect:", "below"),
        ("broker-1:", "2026-01-31 11:00:02,000 WARNING b"),
        ("broker-2:", "2026-01-31 11:00:03,000 WARNING c"),
        ("broker-1:", "2026-01-31 11:00:04,000 WARNING d"),
        ("broker-2:", "2026-01-31 11:00:05,000 ERROR e"),
        ("connect:", "still of a"),
    ]
