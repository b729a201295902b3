"""How far long work is: a bar where a person looks, plain lines and nothing that a terminal obeys elsewhere."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from e2e.shell import TIMEOUT_S, Shell
from e2e.terminal import Terminal
from riacho.cli.shell.programs import find_program
from riacho.testing import KafkaCluster

pytestmark = pytest.mark.timeout(120)
RECORDS = 3_000
# More than a pipe and the writer's buffer hold: who writes it waits for who reads.
VALUE = b"x" * 100 + b"\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster() as running:
        running.create_topic("many")
        yield running


@pytest.fixture
def shell(cluster: KafkaCluster, tmp_path: Path) -> Shell:
    return Shell(tmp_path, {"TERM": "xterm", "KAFKA_BOOTSTRAP_SERVERS": cluster.bootstrap_servers})


def perf_test(shell: Shell, count: int, *words: str) -> list[str]:
    line = ["kafka-producer-perf-test", "--topic", "many", "--num-records", str(count), "--record-size", "9", *words]
    program = find_program(line)
    assert program is not None
    return program.command_line()


@contextmanager
def slow_file(path: Path) -> Iterator[threading.Event]:
    """A file whose bytes are taken when the event is set."""
    os.mkfifo(path)
    go_on, got = threading.Event(), bytearray()

    def read() -> None:
        with path.open("rb") as file:
            go_on.wait(TIMEOUT_S)
            got.extend(file.read())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield go_on
    finally:
        go_on.set()
        with suppress(OSError):
            # Nobody wrote it: the reader waits for somebody who does.
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        reader.join()
    assert got == VALUE * RECORDS


def test_a_perf_test_draws_a_bar_on_a_terminal(shell: Shell) -> None:
    with Terminal(perf_test(shell, 400, "--throughput", "800"), shell.environment) as terminal:
        terminal.wait_for(r"Sending .*\d+ of 400 \(\d+ %\), \d+ a second")
        told = terminal.wait_for(r"400 records sent, [^\n]*99\.9th\.")
        assert terminal.wait_for_exit() == 0
    # What stays of it is a line of its own, as Kafka has it.
    assert told.replace("\r", "\n").rpartition("\n")[2].startswith("400 records sent, ")


def test_an_export_draws_a_bar_on_a_terminal(shell: Shell) -> None:
    shell.run("topic", "create", "exported")
    shell.run("produce", "exported", given=VALUE * RECORDS)
    file = shell.home / "copy"
    words = shell.command("consume", "exported", "--from", "start", "-o", "raw", "--file", str(file))
    with slow_file(file) as go_on, Terminal(words, shell.environment) as terminal:
        # Drawn ten times a second, so that time has gone by when the rest is read.
        for _ in range(4):
            terminal.wait_for("Reading")
        go_on.set()
        terminal.wait_for(r"Reading .*[\d,]+ of 3,000 \(\d+ %\)")
        assert terminal.wait_for_exit() == 0


def test_off_a_terminal_nothing_is_drawn(shell: Shell) -> None:
    done = subprocess.run(
        perf_test(shell, 100, "--throughput", "400"), capture_output=True, env=shell.environment, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert done.stdout.startswith(b"100 records sent, ")
    assert done.stdout.decode().rstrip("\n").isprintable()
    shell.run("topic", "create", "few")
    shell.run("produce", "few", given="a\nb\n")
    done = shell.try_("consume", "few", "--from", "start", "-o", "raw", "--file", str(shell.home / "copy"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().replace("\n", "").isprintable()
    assert (shell.home / "copy").read_text() == "a\nb\n"
