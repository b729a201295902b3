"""What is done with a line: who runs it, on which cluster, whether it is meant."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from riacho.cli.ksql.agreement import agrees
from riacho.cli.shell import shell as module
from riacho.cli.shell.builtins import BUILTINS
from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import Clusters, ShellCluster
from riacho.cli.shell.programs import Program
from riacho.cli.shell.settings_file import Settings, read_settings_file
from riacho.cli.shell.shell import Shell

Ran = list[tuple[str, ...]]


def cluster(name: str, ksql_url: str | None = None) -> ShellCluster:
    return ShellCluster(addresses=ClusterAddresses(name=name, bootstrap=f"{name}:9092", ksql_url=ksql_url))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """The commands that would run, in place of running them; one that names `fails` in its words fails."""
    seen: Ran = []

    def run(program: Program, environment: object, *streams: int | None) -> int:
        seen.append((program.name, *program.words))
        return 3 if "fails" in program.words else 0

    monkeypatch.setattr(module, "run_program", run)
    return seen


def shell(tmp_path: Path, ask: Callable[[str], str] | None = None) -> Shell:
    return Shell(Clusters([cluster("a"), cluster("b")]), Settings(tmp_path / "shell.yaml"), ask=ask)


def test_lines_run_one_by_one_and_the_last_failure_is_the_code(tmp_path: Path, ran: Ran) -> None:
    code = shell(tmp_path).run_text("topic list; topic describe fails\nnonsense; group list; kafka-topics.sh --list")
    assert code == 2
    assert [each[1:3] for each in ran] == [
        ("topic", "list"),
        ("topic", "describe"),
        ("group", "list"),
        ("--bootstrap-server", "a:9092"),
    ]


def test_exit_ends_with_the_code_so_far(tmp_path: Path, ran: Ran) -> None:
    made = shell(tmp_path)
    assert made.run_text("topic describe fails; exit; topic list") == 3
    assert made.is_ended
    assert len(ran) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tpic list", "There is no command 'tpic'; did you mean 'topic'?"),
        ("SHOW STREAMS", "A statement of SQL ends with a semicolon."),
        ("topic 'list", "A quote is not closed: '."),
        ("> x", "There is no command in front of the redirection."),
        ("cluster-select", "Say which cluster: a, b."),
        ("cluster-select c", "There is no cluster 'c'."),
        ("watch topic list", "watch needs a terminal."),
        ("topic list < /nowhere/x", "No such file or directory: /nowhere/x."),
        ("sql", "The cluster a names no KSQL server; ksql_server_url in the settings does."),
        ("show streams;", "The cluster a names no KSQL server; ksql_server_url in the settings does."),
    ],
)
def test_what_cannot_be_run_is_told_in_a_sentence(
    tmp_path: Path, ran: Ran, capfd: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    assert shell(tmp_path).run(line) in (1, 2)
    assert capfd.readouterr().err == f"Error: {told}\n"
    assert ran == []


def test_a_bug_of_ours_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*about: object) -> None:
        raise LookupError("gone")

    monkeypatch.setattr(module, "with_cluster", broken)
    assert shell(tmp_path).run("topic list") == 1
    assert capfd.readouterr().err.startswith("The shell could not do that: LookupError: gone (")


def test_the_chosen_cluster_is_the_one_that_commands_get(tmp_path: Path, ran: Ran) -> None:
    made = shell(tmp_path)
    told: list[str] = []
    made.on_switch(lambda cluster: told.append(cluster.name))
    made.run_text("cluster-select b; topic list")
    made.select_next()
    made.run("topic list")
    assert [each[-1] for each in ran] == ["b:9092", "a:9092"]
    assert told == ["b", "a"]


def test_programs_of_the_system_get_it_in_their_environment(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert shell(tmp_path).run("!echo $KAFKA_BOOTSTRAP_SERVERS; exit 4") == 4
    assert capfd.readouterr().out == "a:9092\n"


def test_what_destroys_runs_when_it_is_meant(tmp_path: Path, ran: Ran, capfd: pytest.CaptureFixture[str]) -> None:
    answers = iter(["no", "orders"])
    made = shell(tmp_path, lambda question: next(answers))
    assert made.run("topic delete orders") == 1
    assert ran == []
    assert made.run("topic delete orders") == 0
    assert ran == [("riacho", "topic", "delete", "--bootstrap-server", "a:9092", "--yes", "orders")]
    assert "Nothing was done." in capfd.readouterr().err


def test_statements_at_the_prompt_that_ksql_opens_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    told: list[bool] = []

    def at_the_prompt(*about: object) -> int:
        for text in ("SHOW STREAMS;", "DROP STREAM a;"):
            told.append(agrees.get()(text, "http://k:8088"))
        return 0

    def no(question: str) -> str:
        asked.append(question)
        return "n"

    monkeypatch.setattr(module, "run_program", at_the_prompt)
    assert shell(tmp_path, no).run("ksql http://k:8088") == 0
    assert told == [True, False]
    assert asked == ["Drop the stream a on http://k:8088? [y/N] "]
    assert shell(tmp_path).run("ksql") == 0
    assert told[2:] == [True, True]
    assert agrees.get()("DROP STREAM a;", "elsewhere")


def test_nobody_is_asked_where_there_is_nobody(tmp_path: Path, ran: Ran) -> None:
    assert shell(tmp_path).run("topic delete orders") == 0
    assert "--yes" not in ran[0]


def test_the_shells_own_commands_go_into_pipes_and_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = shell(tmp_path)
    assert made.run_text(f"cluster-describe b | grep bootstrap; cluster-describe > {tmp_path}/a; help | head -1") == 0
    out = capfd.readouterr().out.splitlines()
    assert out[0].split() == ["bootstrap", "servers", "b:9092"]
    assert out[1].split()[0] == "exit"
    assert "a:9092" in (tmp_path / "a").read_text()


def test_a_reader_that_ends_early_and_a_failure_within_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    made = shell(tmp_path)
    gone = tmp_path / "gone"

    def told_to_nobody(made: Shell, words: object) -> int:
        deadline = time.monotonic() + 30
        while not gone.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        click.echo("told")
        return 0

    monkeypatch.setitem(BUILTINS, "version", BUILTINS["version"]._replace(run=told_to_nobody))
    assert made.run(f"version | exec 0<&-; touch {gone}") == 0
    assert capfd.readouterr().err == ""
    assert made.run("cluster-describe nowhere 2>&1 | cat; echo behind") == 2
    assert capfd.readouterr().out == "Error: There is no cluster 'nowhere'.\nbehind\n"


def test_describing_shows_no_secret(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    secret = ShellCluster(
        addresses=ClusterAddresses(
            name="s", bootstrap="s:1", properties={"sasl.password": "s3cret"}, ksql_url="http://u:s3cret@k:1"
        )
    )
    assert Shell(Clusters([secret]), Settings(tmp_path / "x")).run("cluster-describe") == 0
    out = capfd.readouterr().out
    assert "s3cret" not in out
    assert "[hidden]" in out


def test_help_of_a_command_is_its_own(tmp_path: Path, ran: Ran) -> None:
    shell(tmp_path).run("help topic create")
    assert (ran[0][1:3], ran[0][-1]) == (("topic", "create"), "--help")


def test_save_writes_what_was_chosen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = shell(tmp_path)
    made.select("b")
    made.toggle("fuzzy_search")
    assert made.run("save") == 0
    kept = read_settings_file(tmp_path / "shell.yaml")
    assert (kept.cluster, kept.toggles.fuzzy_search, kept.toggles.inline_help) == ("b", False, True)


def test_a_broken_file_is_not_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("enable: [")
    made = Shell(Clusters([cluster("a")]), read_settings_file(path))
    assert made.run("save") == 1
    assert path.read_text() == "enable: ["
    assert "could not be read, so nothing is written to it." in capfd.readouterr().err


def test_sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing listens there: the error is KSQL's own, and the mode goes on."""
    made = Shell(Clusters([cluster("a", "http://127.0.0.1:1")]), Settings(tmp_path / "x"), environment=dict(os.environ))
    assert made.run("SHOW STREAMS;") == 1
    assert "127.0.0.1:1" in capfd.readouterr().err
    assert made.run_text("sql\nSET 'auto.offset.reset' =\n 'earliest';\nproperties\nexit\nversion") == 0
    out = capfd.readouterr().out
    assert "auto.offset.reset" in out
    assert out.splitlines()[-1].startswith("riacho ")
    assert not made.is_in_sql
    made.close()


def test_statements_that_destroy_are_asked_about(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return ""

    made = Shell(Clusters([cluster("a", "http://127.0.0.1:1")]), Settings(tmp_path / "x"), ask=ask)
    assert made.run("DROP STREAM orders DELETE TOPIC;") == 1
    assert made.run("sql drop table t;") == 1
    assert [question.split("?")[0] for question in asked] == [
        "Drop the stream orders and delete its topic with all records on a",
        "Drop the table t on a",
    ]
    assert "127.0.0.1" not in capfd.readouterr().err
