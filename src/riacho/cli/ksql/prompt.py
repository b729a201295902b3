"""The prompt: statements over several lines until their semicolon, history in a file, Tab for words and names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from riacho.cli.ksql.agreement import agrees
from riacho.cli.ksql.commands import Exit
from riacho.cli.ksql.completion import Names, completions, typed_word
from riacho.cli.ksql.console import PROMPT
from riacho.cli.ksql.interpreter import Interpreter, is_finished
from riacho.cli.ksql.kept_history import open_history
from riacho.cli.ksql.session import Session
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.variables import substituted

HISTORY_FILE = ".ksql-history"


class _Completer(Completer):
    def __init__(self, session: Session) -> None:
        self._names = Names(session)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        for word in completions(before, self._names.all()):
            yield Completion(word, start_position=-len(typed_word(before)))


def run_prompt(session: Session, interpreter: Interpreter) -> None:
    """Until EXIT or Ctrl-D. Ctrl-C forgets what was typed."""
    prompt: PromptSession[str] = PromptSession(
        PROMPT,
        history=open_history(_history_path()),
        completer=ThreadedCompleter(_Completer(session)),
        complete_while_typing=False,
        multiline=True,
        key_bindings=_keys(),
        prompt_continuation=lambda width, line_number, wrap_count: ">".rjust(width - 1) + " ",
    )
    while True:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if not text.strip():
            continue
        session.history.append(" ".join(text.split()))
        session.console.entered(text.strip())
        if not agrees.get()(_as_sent(session, text), session.server.shown_url):
            continue
        try:
            interpreter.run(text)
        except Exit:
            return
        except KeyboardInterrupt:
            session.console.write("")


def _as_sent(session: Session, text: str) -> str:
    try:
        return substituted(text, session.variables)
    except KsqlError:
        # Told when it is run.
        return text


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        """Enter ends a command, and a statement behind its semicolon; else it begins a line."""
        buffer = event.current_buffer
        if is_finished(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


def _history_path() -> Path:
    """In the home directory."""
    return Path(os.environ.get("KSQL_HISTORY_FILE") or Path.home() / HISTORY_FILE)
