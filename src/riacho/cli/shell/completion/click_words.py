"""`riacho`: subcommands, options, choices and arguments, from the tree of commands that click parses by."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.cli.shell.completion import values
from riacho.cli.shell.completion.offers import Answer, Names, Offer


def complete_riacho(words: Sequence[str], word: str, names: Names | None) -> Answer:
    """`words` stand between `riacho` and the `word` that is being typed. What a parameter may be it says itself
    (`shell_complete`), and finds `names` as the context's object; without them it asks by itself."""
    from click.shell_completion import CompletionItem, ShellComplete

    from riacho.cli.main import cli

    def items_for(incomplete: str) -> list[CompletionItem]:
        return ShellComplete(cli, {"obj": names}, "riacho", "").get_completions(list(words), incomplete)

    flag, equals, attached = word.partition("=")
    try:
        # Also those that do not begin so: the search may be fuzzy.
        items = [*items_for(word), *(items_for("-" if word.startswith("-") else "") if word and not equals else ())]
    except Exception:
        # Words that make no command: it is told when the line is run.
        return Answer(word)
    head, typed = (flag + equals, attached) if equals and flag.startswith("-") else ("", word)
    if any(item.type in ("file", "dir") for item in items):
        return values.file(typed).behind(head)
    offers = {str(item.value): item.help or "" for item in items}
    return Answer(typed, [Offer(text, about) for text, about in offers.items()], head)
