"""The shell on a terminal: reads a line, has it run, reads the next. Keys are kafka-shell's."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import DummyCompleter, DynamicCompleter, ThreadedCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import DynamicLexer, Lexer

from riacho.cli.ksql.kept_history import open_history
from riacho.cli.shell.script import begins_sql
from riacho.cli.shell.toolbar import colour_depth, continuation, prompt_text, style, toolbar

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completer

    from riacho.cli.shell.completion.live_names import LiveNames
    from riacho.cli.shell.shell import Shell

_MENU_LINES = 8
# The prompt, and below it help and keys, which a narrow window breaks.
_OTHER_LINES = 5


class Prompt:
    def __init__(
        self,
        shell: Shell,
        *,
        history: History | None = None,
        completer: Completer | None = None,
        help_for: Callable[[str], str] = lambda line: "",
        after_line: Callable[[], None] = lambda: None,
    ) -> None:
        self._shell = shell
        self._after_line = after_line
        self._help_for = help_for
        # By F10, which ends the shell in every mode.
        self._is_left = False
        toggles = shell.settings.toggles
        in_sql = Condition(lambda: shell.is_in_sql)
        words = ThreadedCompleter(completer) if completer is not None else DummyCompleter()
        self._session: PromptSession[str] = PromptSession(
            lambda: prompt_text(shell),
            history=history or InMemoryHistory(),
            completer=DynamicCompleter(lambda: words),
            complete_while_typing=Condition(lambda: toggles.auto_complete),
            auto_suggest=AutoSuggestFromHistory() if toggles.auto_suggest else None,
            lexer=DynamicLexer(self._lexer),
            multiline=in_sql,
            prompt_continuation=continuation,
            bottom_toolbar=lambda: toolbar(shell, self._line, self._help_for),
            key_bindings=self._keys(in_sql),
            style=style(),
            color_depth=colour_depth(),
            include_default_pygments_style=False,
        )

    @property
    def _line(self) -> str:
        return self._session.default_buffer.document.text_before_cursor

    def _lexer(self) -> Lexer | None:
        """Colours for SQL, whose parser is loaded with the first of it."""
        if not self._shell.is_in_sql and not begins_sql(self._session.default_buffer.text):
            return None
        from riacho.cli.shell.completion.sql_lexer import SqlLexer

        return SqlLexer()

    def run(self) -> None:
        """Until exit, Ctrl-D or F10. Ctrl-C forgets what was typed, and ends what runs."""
        while not self._shell.is_ended:
            try:
                self._session.reserve_space_for_menu = menu_lines(shutil.get_terminal_size().lines)
                self._begin_line()
                text = self._session.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                if self._shell.is_in_sql and not self._is_left:
                    self._shell.is_in_sql = False
                    continue
                return
            with suppress(KeyboardInterrupt):
                # One that comes when the command is over ends nothing.
                self._shell.run_text(text)
            self._after_line()

    def _begin_line(self) -> None:
        """What was printed without a line's end, the terminal's own ^C too, would be drawn over. As many blanks as a
        line has end behind such a text on the next line, and else where they began."""
        output = self._session.output
        output.write_raw(" " * output.get_size().columns + "\r")
        output.flush()

    def ask(self, question: str) -> str:
        """For an answer that is no command: without history, completion and toolbar. EOFError, KeyboardInterrupt."""
        asking: PromptSession[str] = PromptSession(question, color_depth=colour_depth())
        return asking.prompt()

    def _keys(self, in_sql: Condition) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("f2")
        def _next(event: KeyPressEvent) -> None:
            self._shell.select_next()

        @keys.add("f3")
        def _fuzzy(event: KeyPressEvent) -> None:
            self._shell.toggle("fuzzy_search")

        @keys.add("f9")
        def _help(event: KeyPressEvent) -> None:
            self._shell.toggle("inline_help")

        @keys.add("f10")
        def _exit(event: KeyPressEvent) -> None:
            self._is_left = True
            event.app.exit(exception=EOFError, style="class:exiting")

        @keys.add("enter", filter=in_sql)
        def _enter(event: KeyPressEvent) -> None:
            """Enter ends a command, and a statement behind its semicolon; else it begins a line."""
            from riacho.cli.ksql.interpreter import is_finished

            buffer = event.current_buffer
            if is_finished(buffer.text):
                buffer.validate_and_handle()
            else:
                buffer.insert_text("\n")

        return keys


def history_path() -> Path:
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "riacho" / "shell-history"


def menu_lines(lines: int) -> int:
    """Kept free below the prompt for what Tab offers: in a low window fewer, since the prompt needs its own."""
    return max(min(_MENU_LINES, lines - _OTHER_LINES), 0)


def open_prompt(shell: Shell) -> tuple[Prompt, LiveNames]:
    """With history, completion of what the chosen cluster has, help and colours; whoever ends it closes the names."""
    from riacho.cli.shell.completion.completer import ShellCompleter
    from riacho.cli.shell.completion.inline_help import help_for
    from riacho.cli.shell.completion.live_names import LiveNames

    names = LiveNames(shell.clusters.chosen.addresses)
    shell.on_switch(lambda cluster: names.switch(cluster.addresses))
    completer = ShellCompleter(
        names,
        is_fuzzy=lambda: shell.settings.toggles.fuzzy_search,
        is_in_sql=lambda: shell.is_in_sql,
        clusters=lambda: shell.clusters.names,
    )
    history = open_history(history_path()) if shell.settings.toggles.history else None
    return Prompt(shell, history=history, completer=completer, help_for=help_for, after_line=names.renew), names
