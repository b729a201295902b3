"""Commands whose output nobody reads, or that have none: they end quietly, `| head` and `>&-`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from e2e.shell import TIMEOUT_S, Shell
from riacho.cli.shell.programs import find_program
from riacho.cli.unread_output import EXIT_BROKEN_PIPE

LINES = [
    "riacho --help",
    "riacho --version",
    "riacho topic list --help",
    "riacho completion bash",
    "riacho shell -c help",
    "kafka-topics --help",
    "ksql --help",
    "ksql -e help http://127.0.0.1:1",
    "ksql-datagen --help",
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def words_of(line: str) -> list[str]:
    program = find_program(line.split())
    assert program is not None
    return program.command_line()


@pytest.mark.parametrize("line", LINES)
def test_a_reader_that_has_gone_ends_a_command_quietly(shell: Shell, line: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            words_of(line),
            stdout=writing,
            stderr=subprocess.PIPE,
            env=shell.environment,
            timeout=TIMEOUT_S,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (EXIT_BROKEN_PIPE, b"")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_a_command_without_output_ends_quietly(shell: Shell, line: str, closed: str) -> None:
    words = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *words_of(line)]
    done = subprocess.run(words, stderr=subprocess.PIPE, env=shell.environment, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_is_printed_goes_into_no_file_that_a_command_opens(shell: Shell) -> None:
    """One that is opened where standard output was closed would have its number."""
    spooled = shell.home / "spooled"
    words = words_of("ksql http://127.0.0.1:1")
    script = f"spool {spooled}\noutput\nspool off\noutput\n".encode()
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *words],
        input=script, stderr=subprocess.PIPE, env=shell.environment, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert spooled.read_text().count("Current output format") == 1
