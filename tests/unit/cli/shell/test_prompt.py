"""The prompt without a terminal: keys go in by a pipe, nothing is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.formatted_text import to_plain_text
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth, DummyOutput

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import Clusters, ShellCluster
from riacho.cli.shell.prompt import Prompt, menu_lines
from riacho.cli.shell.settings_file import Settings
from riacho.cli.shell.shell import Shell
from riacho.cli.shell.toolbar import colour_depth, prompt_text, style, toolbar

F2, F3, F9, F10 = "\x1bOQ", "\x1bOR", "\x1b[20~", "\x1b[21~"
CTRL_C, CTRL_D = "\x03", "\x04"


class Heard(Shell):
    """Writes down the lines that would be run."""

    def __init__(self, tmp_path: Path) -> None:
        names = {"local": False, "prod": True}
        super().__init__(
            Clusters(
                ShellCluster(addresses=ClusterAddresses(name=name, bootstrap="b:1", is_production=is_production))
                for name, is_production in names.items()
            ),
            Settings(tmp_path / "shell.yaml"),
        )
        self.lines: list[str] = []

    def run(self, text: str) -> int:
        self.lines.append(f"{self.clusters.chosen.name}: {text}")
        if text == "sql":
            self.is_in_sql = True
        elif text == "exit":
            self.is_in_sql, self.is_ended = False, not self.is_in_sql
        return 0


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as made, create_app_session(input=made, output=DummyOutput()):
        yield made


@pytest.fixture
def shell(tmp_path: Path) -> Heard:
    return Heard(tmp_path)


def test_lines_until_exit(keys: PipeInput, shell: Heard) -> None:
    keys.send_text("topic list\r\rgroup list; x\rexit\rnever\r")
    Prompt(shell).run()
    assert shell.lines == ["local: topic list", "local: group list", "local: x", "local: exit"]


def test_whoever_is_told_of_lines_is_told_when_they_have_run(keys: PipeInput, shell: Heard) -> None:
    keys.send_text("a\rb\rexit\r")
    run: list[int] = []
    Prompt(shell, after_line=lambda: run.append(len(shell.lines))).run()
    assert run == [1, 2, 3]


def test_ctrl_c_forgets_the_line_and_ctrl_d_ends(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"topic del{CTRL_C}topic list\r{CTRL_D}")
    Prompt(shell).run()
    assert shell.lines == ["local: topic list"]


def test_f10_ends_in_the_middle_of_a_line_and_of_sql(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"sql\rselect{F10}")
    Prompt(shell).run()
    assert shell.lines == ["local: sql"]


def test_f2_chooses_the_next_cluster(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"{F2}a\r{F2}b\r{F10}")
    Prompt(shell).run()
    assert shell.lines == ["prod: a", "local: b"]


def test_f3_and_f9_toggle(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"{F3}{F9}{F9}{F10}")
    Prompt(shell).run()
    assert (shell.settings.toggles.fuzzy_search, shell.settings.toggles.inline_help) == (False, True)


def test_statements_over_lines(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"sql\rselect *\rfrom a;\rexit\rsql\r{CTRL_D}topic list\r{CTRL_D}")
    Prompt(shell).run()
    assert shell.lines == [
        "local: sql",
        "local: select *\nfrom a;",
        "local: exit",
        "local: sql",
        # Ctrl-D goes back from SQL first.
        "local: topic list",
    ]


def test_what_is_pasted_is_as_many_lines(keys: PipeInput, shell: Heard) -> None:
    keys.send_text(f"\x1b[200~topic list\ngroup list\n\x1b[201~\r{F10}")
    Prompt(shell).run()
    assert shell.lines == ["local: topic list", "local: group list"]


def test_a_question_is_no_line(keys: PipeInput, shell: Heard) -> None:
    keys.send_text("orders\r")
    prompt = Prompt(shell)
    assert prompt.ask("Type orders: ") == "orders"
    keys.send_text(CTRL_C)
    with pytest.raises(KeyboardInterrupt):
        prompt.ask("Type orders: ")


def test_a_low_window_has_room_for_the_prompt() -> None:
    assert [menu_lines(lines) for lines in (3, 5, 8, 12, 13, 50)] == [0, 0, 3, 7, 8, 8]


def test_production_is_red(shell: Heard) -> None:
    assert prompt_text(shell) == [("class:cluster", "local"), ("", "> ")]
    shell.select_next()
    shell.is_in_sql = True
    assert prompt_text(shell) == [("class:cluster.production", "prod"), ("class:mode", " sql"), ("", "> ")]
    drawn = style({}).get_attrs_for_style_str("class:cluster.production")
    assert (drawn.color, drawn.bold) == ("ansired", True)


def test_no_color_is_honoured() -> None:
    assert colour_depth({"NO_COLOR": "1"}) is ColorDepth.DEPTH_1_BIT
    assert colour_depth({}) is None
    assert not style({"NO_COLOR": "1"}).get_attrs_for_style_str("class:cluster.production").color


def test_the_toolbar_shows_keys_and_help(shell: Heard) -> None:
    def shown() -> str:
        return to_plain_text(toolbar(shell, "topic ", lambda line: f"help for {line!r}"))

    assert shown() == "help for 'topic '\n F2  Cluster: local   F3  Fuzzy: ON   F9  Help: ON   F10  Exit  "
    shell.toggle("inline_help")
    shell.toggle("fuzzy_search")
    assert shown() == " F2  Cluster: local   F3  Fuzzy: OFF   F9  Help: OFF   F10  Exit  "
