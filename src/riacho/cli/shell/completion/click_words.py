"""`riacho`: subcommands, options, choices and arguments, from the tree of commands that click parses by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from riacho.cli.shell.completion import values
from riacho.cli.shell.completion.offers import Answer, Asking, Names, Offer

if TYPE_CHECKING:
    import click


class Found(NamedTuple):
    """A command, the words that lead to it, and those behind."""

    command: click.Command
    path: list[str]
    rest: list[str]


def find_command(words: Sequence[str]) -> Found | None:
    """None where there is no such subcommand."""
    import click

    from riacho.cli.main import cli

    found = Found(cli, [], list(words))
    while isinstance(found.command, click.Group) and found.rest and not found.rest[0].startswith("-"):
        command = found.command.get_command(click.Context(found.command), found.rest[0])
        if command is None:
            return None
        found = Found(command, [*found.path, found.rest[0]], found.rest[1:])
    return found


def complete_riacho(words: Sequence[str], word: str, names: Names | None) -> Answer:
    """`words` stand between `riacho` and the `word` that is being typed. What a parameter may be it says itself
    (`shell_complete`), and finds `names` as the context's object; without them it asks by itself."""
    from click.shell_completion import CompletionItem, ShellComplete

    from riacho.cli.main import cli

    asking = Asking(names) if names is not None else None

    def items_for(incomplete: str) -> list[CompletionItem]:
        return ShellComplete(cli, {"obj": asking}, "riacho", "").get_completions(list(words), incomplete)

    flag, equals, attached = word.partition("=")
    head, typed = (flag + equals, attached) if equals and flag.startswith("-") else ("", word)
    try:
        if find_command(words) is None:
            return Answer(word)
        items = items_for(word)
        if asking is not None and asking.answer is not None:
            return asking.answer.behind(head)
        if asking is not None and word and not equals:
            # Also those that do not begin so: the search may be fuzzy.
            items += items_for("-" if word.startswith("-") else "")
    except Exception:
        # Words that make no command: it is told when the line is run.
        return Answer(word)
    if any(item.type in ("file", "dir") for item in items):
        return values.file(typed).behind(head)
    offers = {str(item.value): item.help or "" for item in items}
    return Answer(typed, [Offer(text, about) for text, about in offers.items()], head)
