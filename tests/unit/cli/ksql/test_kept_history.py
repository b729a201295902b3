"""What was typed, for the next session: without secrets, bounded, its user's alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from prompt_toolkit.history import InMemoryHistory

from riacho.cli.ksql import kept_history as module
from riacho.cli.ksql.kept_history import KeptHistory, has_secret, open_history


@pytest.mark.parametrize(
    "line",
    [
        "user create ana --password s3cret",
        "user create ana --password=s3cret",
        "kafka-configs --alter --user a --add-config 'SCRAM-SHA-256=[iterations=8192,password=s3cret]'",
        "kafka-storage format -t x -c y --add-scram 'SCRAM-SHA-512=[name=a,salt=b,saltedpassword=c]'",
        'topic list -X sasl.jaas.config=\'x required username="a" password="b";\'',
        "topic list -X 'sasl.password = b'",
        "profile save a -X ssl.keystore.key=abc",
        "profile save a -X basic.auth.user.info=a:b",
        "kafka-delegation-tokens --renew --hmac abc=",
        "ksql -u ana -p s3cret",
        "riacho ksql -ps3cret http://x",
        "ksql http://ana:s3cret@host:8088",
        "CREATE SINK CONNECTOR a WITH ('connection.password'='s3cret');",
        "SET 'sasl.jaas.config'\n= 'x';",
        "!curl -H 'Authorization: Bearer abc' x",
        '!curl http://x -d \'{"api_key": "abc"}\'',
        "!PGPASSWORD=x psql",
        "!curl -u ana:s3cret http://x | jq .",
        "!curl --user ana:s3cret http://x",
        "schema list --registry ana:s3cret@host:8081",
        "ksql ana:s3cret@host:8088",
    ],
)
def test_lines_with_secrets(line: str) -> None:
    assert has_secret(line)


@pytest.mark.parametrize(
    "line",
    [
        "topic list",
        "topic create password-resets -p 3",
        "topic describe tokens -o json",
        "consume secrets --from start",
        "acl list --user ana",
        "SELECT token FROM sessions EMIT CHANGES;",
        "user create ana --mechanism SCRAM-SHA-256",
        "ksql http://localhost:8088",
        "quota list --user ana",
        "acl list --user User:ana",
        "kafka-acls --list --principal User:ana@example.com",
        "consume orders --from @2026-01-31T10:30",
        "kafka-consumer-groups --reset-offsets --group a --topic b:0,1 --to-earliest",
    ],
)
def test_lines_without(line: str) -> None:
    assert not has_secret(line)


def entries(path: Path) -> list[str]:
    return list(KeptHistory(path).load_history_strings())


def test_lines_are_kept_newest_first_and_secrets_only_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "riacho" / "shell-history"
    history = open_history(path)
    for line in ("topic list", "SELECT *\nFROM a;", "+odd", "user create a --password b"):
        history.append_string(line)
    assert entries(path) == ["+odd", "SELECT *\nFROM a;", "topic list"]
    assert history.get_strings()[-1] == "user create a --password b"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert "password" not in path.read_text()


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "h"
    path.write_text("\n+old\n")
    path.chmod(0o644)
    open_history(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert entries(path) == ["old"]


def test_what_is_no_file_is_left_as_it_is(tmp_path: Path) -> None:
    """KSQL_HISTORY_FILE=/dev/null is how people have none."""
    path = tmp_path / "h"
    os.mkfifo(path, 0o666)
    path.chmod(0o666)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert type(open_history(path)) is InMemoryHistory
    os.close(reading)
    assert path.stat().st_mode & 0o777 == 0o666


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "h").symlink_to(tmp_path / "victim")
    assert type(open_history(tmp_path / "h")) is InMemoryHistory
    KeptHistory(tmp_path / "h").store_string("x")
    assert (tmp_path / "victim").read_text() == "mine"


def test_without_a_place_to_write_it_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert type(open_history(tmp_path / "file" / "h")) is InMemoryHistory


def test_it_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FILE_BYTES_MAX", 4_000)
    monkeypatch.setattr(module, "ENTRIES_MAX", 100)
    path = tmp_path / "h"
    history = open_history(path)
    for number in range(1_000):
        history.store_string(f"topic describe orders-{number}")
    assert len(entries(path)) <= 100
    open_history(path)
    assert path.stat().st_size < 4_000
    assert path.stat().st_mode & 0o777 == 0o600
    assert entries(path)[0] == "topic describe orders-999"
    assert os.listdir(tmp_path) == ["h"]
