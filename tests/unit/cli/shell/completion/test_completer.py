"""What Tab offers at the prompt: of riacho's commands, of the tools, of the shell itself, and names."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from prompt_toolkit.document import Document

from riacho.cli.data_dir import DataDir
from riacho.cli.kafka.flags.options import options_of
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.main import COMMANDS
from riacho.cli.profiles import save_profile
from riacho.cli.shell.builtins import BUILTINS
from riacho.cli.shell.completion.completer import OFFERS_MAX
from riacho.cli.shell.completion.offers import NameKind
from unit.cli.shell.completion.known_names import Typist


@pytest.fixture
def typist() -> Typist:
    return Typist()


def test_the_first_word_is_any_command_and_says_what_it_is(typist: Typist) -> None:
    offered = {each.text: each.display_meta_text for each in typist.completions("")}
    assert set(offered) >= {*COMMANDS, *TOOLS, *BUILTINS, "riacho"}
    assert offered["topic"] == COMMANDS["topic"][1]
    assert offered["kafka-topics"] == TOOLS["kafka-topics"].help
    assert offered["watch"] == BUILTINS["watch"].about


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("top", ["topic"]),
        ("topic de", ["delete", "describe"]),
        ("riacho topic de", ["delete", "describe"]),
        ("topic describe o", ["orders", "others"]),
        ("consume b", ["books"]),
        ("consume orders --output ", ["table", "json", "raw"]),
        ("consume orders --gro", ["--group"]),
        ("consume orders --group s", ["shipping", "shared"]),
        ("group describe b", ["billing"]),
        ("user delete ", ["ana", "bruno"]),
        ("acl allow ana re", ["read"]),
        ("acl allow ana read --topic boo", ["books"]),
        ("pipeline pause ", ["archive", "mirror"]),
        ("schema show ", ["orders-key", "orders-value"]),
        ("schema compatibility orders-v", ["orders-value"]),
        ("quota set prod", ["producer_byte_rate="]),
        ("topic create new -c cleanup.policy=", ["compact", "delete"]),
        ("topic alter orders --unset retention.m", ["retention.ms"]),
        ("group reset billing --topic orders:0,", ["1", "2"]),
        ("consume orders --partition ", ["0", "1", "2"]),
        ("consume orders others --partition ", []),
        ("up --only broker,conn", ["connect"]),
        ("up -c unclean.leader.election.enable=t", ["true"]),
        ("broker --override broker.ra", ["broker.rack="]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("no-such-command ", []),
        ("topic no-such-command ", []),
    ],
)
def test_commands_of_riacho(typist: Typist, line: str, offered: list[str]) -> None:
    assert sorted(typist.offered(line)) == sorted(offered)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("kafka-topics --describe --topic o", ["orders", "others"]),
        ("kafka-topics.sh --describe -topic o", ["orders", "others"]),
        ("kafka-topics --topic=b", ["books"]),
        # The name of a new topic is not one of those that there are.
        ("kafka-topics --create --topic o", []),
        ("kafka-topics --create --config cleanup.p", ["cleanup.policy="]),
        ("kafka-consumer-groups --describe --group ", ["a group of $(two)", "billing", "shipping"]),
        ("kafka-consumer-groups --describe --group billing --group ship", ["shipping"]),
        ("kafka-consumer-groups --list --state Empty,St", ["Stable"]),
        ("kafka-consumer-groups --topic orders:1,", ["0", "2"]),
        ("kafka-share-groups --group ", ["shared"]),
        ("kafka-acls --group sha", ["shared"]),
        ("kafka-acls --add --operation Cr", ["Create", "CreateTokens"]),
        ("kafka-acls --add --allow-principal User:a", ["User:ana"]),
        ("kafka-console-consumer --topic orders --partition ", ["0", "1", "2"]),
        ("kafka-console-consumer --isolation-level read_c", ["read_committed"]),
        ("kafka-console-consumer --formatter-property print.k", ["print.key="]),
        ("kafka-console-consumer --formatter-property print.key=", ["true", "false"]),
        ("kafka-console-producer --compression-codec z", ["zstd"]),
        ("kafka-console-producer --command-property linger", ["linger.ms="]),
        ("kafka-get-offsets --topic-partitions books,orders:", ["0", "1", "2"]),
        ("kafka-get-offsets --time earliest-l", ["earliest-local"]),
        ("kafka-log-dirs --broker-list 1,", ["2", "3"]),
        ("kafka-log-dirs --topic-list books,o", ["orders", "others"]),
        ("kafka-metadata-quorum ", ["describe", "add-controller", "remove-controller"]),
        ("kafka-metadata-quorum describe --s", ["--status"]),
        ("kafka-transactions describe --transactional-id ", ["tx-1"]),
        ("kafka-cluster unregister --id ", ["1", "2", "3"]),
        ("kafka-configs --entity-type us", ["users"]),
        ("kafka-configs --describe --entity-type users --entity-name ", ["ana", "bruno"]),
        ("kafka-configs --entity-type users --entity-name ana --entity-type topics --entity-name b", ["books"]),
        ("kafka-configs --alter --client-metrics ", ["lags"]),
        ("kafka-configs --alter --topic orders --add-config retention.b", ["retention.bytes="]),
        ("kafka-configs --alter --topic orders --add-config a=1,cleanup.policy=", ["compact", "delete"]),
        ("kafka-configs --alter --topic orders --add-config cleanup.policy=[compact,", ["delete"]),
        ("kafka-configs --alter --topic orders --delete-config retention.ms,retention.b", ["retention.bytes"]),
        ("kafka-configs --alter --user ana --add-config SCRAM-SHA-5", ["SCRAM-SHA-512="]),
        ("kafka-configs --alter --broker 1 --add-config log.cleaner.th", ["log.cleaner.threads="]),
        ("kafka-features upgrade --release-version 4.2", ["4.2-IV0", "4.2-IV1"]),
    ],
)
def test_tools_of_kafka(typist: Typist, line: str, offered: list[str]) -> None:
    assert sorted(typist.offered(line)) == sorted(offered)


def test_every_flag_of_every_tool_is_offered_with_its_help(typist: Typist) -> None:
    for tool in TOOLS.values():
        for command in (None, *(each.name for each in tool.commands)):
            offered = {
                each.text: each.display_meta_text for each in typist.completions(f"{tool.name} {command or ''} --")
            }
            for option in options_of(tool, command):
                if option.gone:
                    assert f"--{option.name}" not in offered
                else:
                    assert offered[f"--{option.name}"] == option.help[:100]


def test_a_flag_that_was_given_is_not_offered_again_unless_it_may_be_repeated(typist: Typist) -> None:
    assert "--topic" not in typist.offered("kafka-topics --topic orders --")
    assert "--group" in typist.offered("kafka-consumer-groups --group billing --")
    # An argument that looks like a flag is none.
    assert "--topic" in typist.offered("kafka-consumer-groups --shift-by -10 --")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("cluster-select ", ["here", "there"]),
        ("cluster-describe th", ["there"]),
        ("cluster-select here ", []),
        ("watch topic descr", ["describe"]),
        ("watch -n 2 topic describe b", ["books"]),
        ("watch -n ", []),
        ("help kafka-topi", ["kafka-topics"]),
        ("help topic descr", ["describe"]),
        # Names are no business of help.
        ("help topic describe ", []),
        ("topic list | gre", ["grep"]),
        ("topic list | grep o | hea", ["head"]),
        ("!da", []),
    ],
)
def test_the_shells_own_commands_and_pipes(typist: Typist, line: str, offered: list[str]) -> None:
    assert typist.offered(line) == offered


def test_files_stand_behind_redirections_and_where_a_file_is_asked_for(typist: Typist, tmp_path: object) -> None:
    from pathlib import Path

    directory = Path(str(tmp_path))
    (directory / "client.properties").write_text("")
    (directory / "clients").mkdir()
    (directory / ".hidden").write_text("")
    (directory / "bad\x1b[31mname").write_text("")
    for before in ("topic list > ", "kafka-topics --command-config ", "broker ", "kafka-console-producer < "):
        assert typist.offered(f"{before}{directory}/") == ["client.properties", "clients/"]
        assert typist.lines(f"{before}{directory}/client.") == [f"{before}{directory}/client.properties"]
    assert typist.offered(f"broker {directory}/.") == [".hidden"]
    assert typist.offered("broker /no/such/directory/") == []


def test_names_with_odd_characters_are_quoted(typist: Typist) -> None:
    before = "kafka-consumer-groups --group "
    assert typist.lines(f"{before}a") == [f"{before}'a group of $(two)'"]
    assert typist.lines(f"{before}'a g") == [f"{before}'a group of $(two)'"]
    assert typist.lines(f'{before}"a g') == [f'{before}"a group of $(two)"']
    assert typist.lines(f"{before}a\\ gr") == [f"{before}'a group of $(two)'"]
    assert typist.lines("kafka-consumer-groups --group=a") == ["kafka-consumer-groups '--group=a group of $(two)'"]
    assert typist.lines("kafka-configs --topic orders --add-config cleanup.policy=[com") == [
        "kafka-configs --topic orders --add-config 'cleanup.policy=[compact'"
    ]


def test_fuzzy_search_finds_letters_in_their_order_and_marks_them(typist: Typist) -> None:
    assert typist.offered("kafka-topics --topic rds") == []
    typist.is_fuzzy = True
    assert typist.lines("kafka-topics --topic rds") == ["kafka-topics --topic orders"]
    assert typist.offered("topic dsc") == ["describe"]
    assert typist.offered("kafka-topics --topic O")[:2] == ["orders", "others"]
    [found] = typist.completions("kafka-topics --topic rds")
    marked = "".join(text for style, text, *_ in found.display if style.endswith("inside.character"))
    assert marked == "rds"
    assert found.display_meta_text == "a topic"


def test_sql_is_completed_where_the_line_is_sql(typist: Typist) -> None:
    assert typist.lines("SELECT * FROM ORD")[0] == "SELECT * FROM ORDERS"
    assert typist.lines("sql select * from ord")[0] == "sql select * from orders"
    assert "SELECT" in typist.offered("SEL")
    typist.is_in_sql = True
    assert typist.lines("show str")[0] == "show streams"
    assert "spool" in typist.offered("sp")


def test_a_pasted_text_is_left_alone(typist: Typist) -> None:
    started = time.perf_counter()
    assert typist.completions("kafka-topics " + "a" * 5_000_000) == []
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("is_fuzzy", [False, True])
@pytest.mark.parametrize("line", ["kafka-topics --topic te1", "topic describe t", "kafka-topics --topic "])
def test_ten_thousand_topics_are_completed_at_once(is_fuzzy: bool, line: str) -> None:
    typist = Typist({(NameKind.TOPIC, ""): [f"team-{i % 37}.orders-{i:05}" for i in range(10_000)]})
    typist.is_fuzzy = is_fuzzy
    typist.completions(line)
    took_s = []
    for _ in range(5):
        started = time.process_time()
        offered = typist.completions(line)
        took_s.append(time.process_time() - started)
    assert len(offered) == (OFFERS_MAX if is_fuzzy or not line.endswith("1") else 0)
    # 13 ms where it was measured; twice the goal of 20 for a machine that has other work.
    assert min(took_s) < 0.040


def test_a_document_is_completed_up_to_its_cursor(typist: Typist) -> None:
    line = "topic describe or --output json"
    found = list(typist._completer.get_completions(Document(line, len("topic describe or")), None))  # type: ignore[arg-type]
    assert [each.text for each in found] == ["orders"]


def test_the_prompts_library_is_loaded_for_the_prompt_alone() -> None:
    """And the first word is completed without the modules of the subcommands."""
    code = """
import sys
from riacho.cli.main import cli
import riacho.cli.argument_names, riacho.cli.completion_scripts
from riacho.cli.shell.completion.commands import complete_words
from riacho.cli.shell.completion.offers import NoNames
assert complete_words([], "top", NoNames()).matching()
loaded = [name for name in sys.modules if name.startswith(("prompt_toolkit", "riacho.cli.commands."))]
assert not loaded, loaded
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_parts_of_what_runs_here(typist: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RIACHO_DATA_DIR", str(tmp_path / "nothing"))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    directory = DataDir(tmp_path / "data")
    directory.logs.mkdir(parents=True)
    for name in ("error-1", "access-1", "error-2", "connect", "up"):
        (directory.logs / f"{name}.log").touch()
    where = f"--data-dir {directory.path}"
    assert typist.offered(f"logs {where} ") == ["access-1", "broker-1", "broker-2", "connect", "supervisor"]
    assert typist.offered(f"logs {where} --broker ") == ["1", "2"]
    assert typist.offered(f"logs {where} --service ") == ["connect", "supervisor"]
    # Nothing runs here, which is no matter of who types.
    assert typist.offered(f"restart {where} --service ") == typist.offered("down --broker ") == []
    settings = tmp_path / "shell.yaml"
    settings.write_text("clusters: {staging: {bootstrap_servers: 'a:1'}}")
    save_profile("kept", {"bootstrap.servers": "b:1"})
    assert typist.offered(f"shell --settings {settings} --cluster ") == ["staging", "kept"]
    assert typist.offered("shell --profile ") == ["kept"]
