"""What `riacho` answers the functions of bash, zsh and fish, and what these do with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from riacho.cli.completion_scripts import answer, script
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.main import cli
from riacho.client.cluster import Cluster
from riacho.client.groups import commit_offsets
from riacho.client.settings import client_settings
from riacho.testing import KafkaCluster

SOURCES = Path(__file__).parents[3] / "src"
# A name of this form would be run by a shell that took it as it is.
EVIL = "$(touch evil)"


@pytest.fixture
def bootstrap(kafka_cluster: KafkaCluster, monkeypatch: pytest.MonkeyPatch) -> str:
    for topic in ("orders", "others", "books"):
        kafka_cluster.create_topic(topic, partitions=2)
    with Cluster(client_settings(kafka_cluster.bootstrap_servers, {})) as cluster:
        for group in ("billing", "odd group", EVIL, "red\x1b[31m"):
            commit_offsets(cluster, group, {("orders", 0): 0})
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka_cluster.bootstrap_servers)
    return kafka_cluster.bootstrap_servers


def _told(line: str, shell: str = "bash") -> list[str]:
    """The words, or what else is told."""
    told = answer({"_RIACHO_COMPLETE": f"{shell}_complete", "COMP_LINE": line})
    assert told is not None
    parts = [each.split("\t") for each in told.splitlines()]
    return [part[1] if part[0] == "word" else f"<{part[0]}>" for part in parts]


def test_words_are_told_as_the_shell_wants_them(bootstrap: str) -> None:
    assert _told("riacho topi") == ["topic"]
    assert _told("/usr/local/bin/riacho topic describe o") == ["orders", "others"]
    assert _told("kafka-topics.sh --describe --topic o") == ["orders", "others"]
    assert _told("kafka-topics --topics-w") == ["--topics-with-overrides"]
    # Bash begins a word behind `=` and `:`, the others do not.
    assert _told("kafka-topics --topic=b") == ["books"]
    assert _told("kafka-topics --topic=b", "zsh") == ["--topic=books"]
    assert _told("kafka-consumer-groups --topic orders:") == ["0", "1"]
    assert _told("kafka-topics --create --config retention.b") == ["<nospace>", "retention.bytes="]
    assert _told("riacho topic create x -c cleanup.policy=c", "fish") == ["cleanup.policy=compact"]
    assert _told("kafka-topics --command-config /e") == _told("riacho broker /e") == ["<file>"]
    assert _told("riacho topic list > o") == ["<file>"]
    assert _told("ksql --query-t") == _told("riacho ksql --query-t") == ["--query-timeout"]
    assert _told("ksql -f /e") == ["<file>"]


def test_names_that_mean_something_to_a_shell_are_quoted(bootstrap: str) -> None:
    groups = "kafka-consumer-groups --group "
    assert _told(groups) == [f"'{EVIL}'", "billing", "'odd group'"]
    assert _told(groups, "zsh") == [EVIL, "billing", "odd group"]
    # Within quotes that are open it would be run, or end them.
    assert _told(f'{groups}"') == _told(f"{groups}'") == ["billing"]


def test_the_cluster_that_the_line_names_is_asked(
    bootstrap: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1")
    assert _told("kafka-topics --topic b") == _told("riacho consume b") == []
    assert _told(f"kafka-topics --bootstrap-server {bootstrap} --topic b") == ["books"]
    assert _told(f"riacho consume -b {bootstrap} b") == ["books"]
    assert _told(f"kafka-topics --bootstrap-server {bootstrap} --command-config {tmp_path}/none --topic b") == []


def test_no_broker_no_word_no_wait(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        # It takes connections and never answers.
        monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", f"127.0.0.1:{silent.getsockname()[1]}")
        started = time.monotonic()
        assert _told("kafka-topics --topic o") == []
        assert _told("riacho group describe ") == []
        assert time.monotonic() - started < 2 * 0.6 + 1
    assert _told("riacho topic describe --profile none ") == []
    assert _told("kafka-topics 'unfinished") == []
    assert capfd.readouterr() == ("", "")


def test_who_is_not_asked_answers_nothing() -> None:
    assert answer({}) is None
    assert answer({"_RIACHO_COMPLETE": "bash_source", "COMP_LINE": "x"}) is None
    assert answer({"_RIACHO_COMPLETE": "tcsh_complete", "COMP_LINE": "x"}) is None
    # As click's scripts ask, which click answers.
    assert answer({"_RIACHO_COMPLETE": "bash_complete", "COMP_WORDS": "riacho to", "COMP_CWORD": "1"}) is None


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_tool_is_taught(shell: str) -> None:
    told = CliRunner().invoke(cli, ["completion", shell]).stdout
    assert told == script(shell)
    assert all(f" {name}" in told and f" {name}.sh" in told for name in TOOLS)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With `riacho` as a program, as an installation has it."""
    program = tmp_path / "bin" / "riacho"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCES} exec {sys.executable} -m riacho "$@"\n')
    program.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        (tmp_path / f"riacho.{shell}").write_text(script(shell))
    return tmp_path


def _run(home: Path, shell: str, words: list[str]) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    environment = {**os.environ, "PATH": f"{home}/bin{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}
    done = subprocess.run(
        [found, *words], cwd=home, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.stdout


def test_bash_gets_them(bootstrap: str, home: Path) -> None:
    typed = ["riacho topic describe o", "kafka-topics.sh --topic=o", "kafka-consumer-groups --group "]
    asked = "\n".join(
        f'COMP_LINE="{line}"; COMP_POINT={len(line)}; _riacho_completion; printf "%s;" "${{COMPREPLY[@]}}"; echo'
        for line in typed
    )
    told = _run(home, "bash", ["--norc", "-c", f"source riacho.bash; complete -p kafka-acls.sh\n{asked}"])
    assert told.splitlines() == [
        "complete -o nosort -F _riacho_completion kafka-acls.sh",
        "orders;others;",
        "orders;others;",
        f"'{EVIL}';billing;'odd group';",
    ]


def test_fish_gets_them(bootstrap: str, home: Path) -> None:
    typed = ["riacho topic describe o", "kafka-topics.sh --topic=o", "kafka-consumer-groups --group o"]
    asked = "; ".join(f"complete -C '{line}'" for line in typed)
    told = _run(home, "fish", ["--no-config", "-c", f"source riacho.fish; {asked}"])
    assert told.splitlines() == [
        "orders\t2 partitions",
        "others\t2 partitions",
        "--topic=orders\t2 partitions",
        "--topic=others\t2 partitions",
        "odd group\tClassic, Empty",
    ]


def test_fish_finds_them_where_the_help_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its `completions` are looked for by the name of the command: kafka-topics would have none."""
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    found = re.search(r"fish > ~/(\S+)", CliRunner().invoke(cli, ["completion", "--help"]).stdout)
    assert found is not None
    place = home / found.group(1)
    place.parent.mkdir(parents=True)
    place.write_text(script("fish"))
    told = _run(home, "fish", ["-c", "complete -C 'kafka-topics --topics-w'"])
    assert told.startswith("--topics-with-overrides\t")


def test_zsh_gets_them(bootstrap: str, home: Path) -> None:
    """`compadd` is taken over: outside of its line editor zsh completes nothing."""
    asked = """
compdef() { print -r -- ${(M)@:#kafka-acls*} }
compadd() { local -a given; given=("$@"); print -r -- "${(j:;:)texts}" }
source ./riacho.zsh
ask() { words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _riacho_completion }
ask riacho topic describe o
ask kafka-topics.sh --topic=o
ask kafka-consumer-groups --group ""
"""
    told = _run(home, "zsh", ["-f", "-c", asked])
    assert told.splitlines() == [
        "kafka-acls kafka-acls.sh",
        "orders;others",
        "--topic=orders;--topic=others",
        f"{EVIL};billing;odd group",
    ]
