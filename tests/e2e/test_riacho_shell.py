"""`riacho shell` as a person uses it: on a pseudo-terminal, with a real broker; and over the lines of -c and a file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.shell import Shell
from e2e.terminal import Terminal
from riacho.testing import KafkaCluster

pytestmark = pytest.mark.timeout(120)
F2, F10, TAB, CTRL_C = "\x1bOQ", "\x1b[21~", "\t", "\x03"
SETTINGS = """\
# Mine.
version: 1
enable:
  history: true
  save_on_exit: false
  auto_complete: true
  auto_suggest: false
  inline_help: true
  fuzzy_search: false
cluster: local
clusters:
  local: {{bootstrap_servers: "{bootstrap}", ksql_server_url: "127.0.0.1:1"}}
  prod:
    bootstrap_servers: {bootstrap}   # the same, to be seen by its name
    zookeeper_connect: localhost:2181
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    with KafkaCluster() as running:
        for topic in ("orders", "order-lines", "payments"):
            running.create_topic(topic)
        yield running


@pytest.fixture
def shell(cluster: KafkaCluster, tmp_path: Path) -> Shell:
    made = Shell(tmp_path, {"TERM": "xterm"})
    settings = tmp_path / ".kafka-shell" / "config.yaml"
    settings.parent.mkdir()
    settings.write_text(SETTINGS.format(bootstrap=cluster.bootstrap_servers))
    return made


def test_a_session_on_a_terminal(shell: Shell, cluster: KafkaCluster) -> None:
    with Terminal(shell.command("shell"), shell.environment, timeout_s=30) as terminal:
        terminal.wait_for(r"config\.yaml these have no effect here: zookeeper_connect\.")
        terminal.wait_for("local>")
        terminal.wait_for("F10")

        # A live name, by Tab.
        terminal.write("topic describe pay")
        terminal.wait_for("payments +1 partition")
        terminal.write(f"{TAB}\r")
        terminal.wait_for("topic +payments")
        terminal.wait_for("local>")

        terminal.write("kafka-topics --list | grep ord | sort -r | head -1\r")
        terminal.wait_for(r"\norders\r\n")
        terminal.wait_for("local>")

        terminal.write("watch -n 0.2 kafka-topics --list\r")
        terminal.wait_for(r"Every 0\.2 s: kafka-topics --list[^\n]*q ends")
        cluster.create_topic("made-meanwhile")
        terminal.wait_for("made-meanwhile")
        terminal.write("q")
        terminal.wait_for("local>")

        # There is no KSQL server here, which is told as of any statement.
        terminal.write("watch SHOW STREAMS;\r")
        terminal.wait_for(r"Every 2 s: SHOW STREAMS;")
        terminal.wait_for("http://127.0.0.1:1 cannot be reached")
        terminal.write("q")
        terminal.wait_for("local>")

        # Nothing is drawn over what ends in the middle of a line.
        terminal.write("!printf unfinished\r")
        terminal.wait_for(r"\nunfinished {200}\rlocal>")
        terminal.write("produce orders first\r")
        terminal.wait_for(r"Sent 1 record")
        terminal.wait_for("local>")
        terminal.write("consume orders --from start --follow -o raw\r")
        terminal.wait_for(r"\nfirst\r\n")
        terminal.write(CTRL_C)
        terminal.wait_for("local>")
        terminal.write("kafka-console-consumer --topic orders --from-beginning\r")
        terminal.wait_for(r"\nfirst\r\n")
        terminal.write(CTRL_C)
        terminal.wait_for("Processed a total of 1 messages")
        terminal.wait_for("local>")

        terminal.write(F2)
        terminal.wait_for("prod>")

        # A user is made unasked, and a password that is there not replaced so.
        terminal.write("user create ana --password first\r")
        terminal.wait_for(r"Created user ana\.")
        terminal.wait_for("prod>")
        for again in (
            "user create ana --password other",
            "kafka-configs --alter --user ana --add-config SCRAM-SHA-256=a",
        ):
            terminal.write(f"{again}\r")
            terminal.wait_for(r"Replace the password of ana on prod\? \[y/N\]")
            terminal.write("n\r")
            terminal.wait_for(r"Nothing was done\.")
            terminal.wait_for("prod>")

        terminal.write("topic delete payments\r")
        terminal.wait_for(r"on prod\? This cannot be undone\. Type payments to go ahead:")
        terminal.write("y\r")
        terminal.wait_for(r"Nothing was done\.")
        terminal.wait_for("prod>")
        terminal.write(f"kafka-topics --list > {shell.home}/before\r")
        terminal.wait_for(r"/before\r\r\n *\rprod>")
        terminal.write("kafka-topics.sh --delete --topic payments\r")
        terminal.wait_for("Type payments to go ahead:")
        terminal.write("payments\r")
        terminal.wait_for("prod>")
        terminal.write(f"kafka-topics --list > {shell.home}/after; save\r")
        terminal.wait_for("Saved the settings in ")

        terminal.write(F10)
        assert terminal.wait_for_exit() == 0
    before, after = ((shell.home / name).read_text().split() for name in ("before", "after"))
    assert set(before) - set(after) == {"payments"}
    settings = (shell.home / ".kafka-shell" / "config.yaml").read_text()
    expected = SETTINGS.format(bootstrap=cluster.bootstrap_servers)
    assert settings == expected.replace("cluster: local", "cluster: prod")
    history = shell.home / ".local" / "state" / "riacho" / "shell-history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert "+topic delete payments\n" in history.read_text()


def test_lines_of_an_option(shell: Shell, cluster: KafkaCluster) -> None:
    out = shell.run(
        "shell", "-c", "topic create made; kafka-topics.sh --list | grep -x made | tr a-z A-Z\ntopic delete made"
    )
    assert out == "Created topic made with 1 partition.\nMADE\nDeleted topic made.\n"
    done = shell.try_("shell", "-c", "topic list | head -1; topic describe nowhere; version | true; nonsense; version")
    assert done.returncode == 2
    told = done.stderr.decode().splitlines()
    assert [re.sub(r"'.*", "", line) for line in told] == ["Error: Topic ", "Error: There is no command "]
    assert done.stdout.decode().splitlines()[-1].startswith("riacho ")


def test_lines_of_a_file_and_input_for_a_command(shell: Shell, cluster: KafkaCluster) -> None:
    lines = [
        "# Two.",
        "produce order-lines a",
        "produce order-lines b",
        "consume order-lines --from start -o raw | sort -r",
    ]
    script = "\n".join([*lines, "exit", "nonsense"])
    assert shell.run("shell", given=script).splitlines()[-2:] == ["b", "a"]
    shell.run("shell", "-c", "produce order-lines", given="c\nd\n")
    assert shell.run("shell", "-c", "consume order-lines --from start -o raw").split() == ["a", "b", "c", "d"]
