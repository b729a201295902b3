"""A line of `riacho shell` while it is typed: which command it is of, and what may stand at the cursor."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import cache

from riacho.cli.shell.completion import values
from riacho.cli.shell.completion.offers import Answer, Names, NoNames, Offer, plain
from riacho.cli.shell.completion.typed_line import TypedLine

RIACHO = "riacho"
# Programs that take what a command prints; the line may have any other.
_FILTERS = {
    "grep": "lines that match",
    "jq": "parts of JSON",
    "sort": "lines in order",
    "uniq": "lines that follow their like, once",
    "head": "the first lines",
    "tail": "the last lines",
    "wc": "count lines, words, bytes",
    "less": "page by page",
    "cut": "columns of lines",
    "awk": "lines by a program",
    "sed": "lines, edited",
    "column": "as a table",
    "tr": "characters for others",
    "tee": "also into a file",
    "xargs": "as arguments of a command",
}
Clusters = Callable[[], Sequence[str]]


def complete_line(line: TypedLine, names: Names, clusters: Clusters = lambda: ()) -> Answer:
    if line.after not in ("", "|"):
        return values.file(line.word)
    if line.is_behind_pipe:
        return Answer(line.word, filters()) if not line.words else values.file(line.word)
    return complete_words(line.words, line.word, names, clusters)


def complete_words(words: Sequence[str], word: str, names: Names, clusters: Clusters = lambda: ()) -> Answer:
    from riacho.cli.kafka.flags.tools import TOOLS

    if not words:
        from riacho.cli.shell.completion.sql_words import statement_offers

        return Answer(word, [*first_words(), *(statement_offers(word) if word else ())])
    first, rest = words[0], words[1:]
    tool = TOOLS.get(first.removesuffix(".sh"))
    if tool is not None:
        from riacho.cli.shell.completion.tool_words import complete_tool

        return complete_tool(tool, rest, word, names)
    match first:
        case "watch":
            return complete_words(watched(rest), word, names) if not _is_number_awaited(rest) else Answer(word)
        case "help":
            return complete_words(rest, word, NoNames()) if not word.startswith("-") else Answer(word)
        case "cluster-select" | "cluster-describe":
            return Answer(word, plain(clusters()) if not rest else ())
        case "connect-distributed" | "connect-standalone":
            return values.file(word)
    found = riacho_words(words)
    if found is None:
        return Answer(word)
    from riacho.cli.shell.completion.click_words import complete_riacho

    return complete_riacho(found, word, names)


def riacho_words(words: Sequence[str]) -> list[str] | None:
    """What stands behind `riacho`, which the shell lets be left out; None where it is none of its commands."""
    from riacho.cli.main import COMMANDS

    if words[0] == RIACHO:
        return list(words[1:])
    return list(words) if words[0] in COMMANDS else None


def watched(words: Sequence[str]) -> Sequence[str]:
    """The command that `watch` repeats."""
    return words[2:] if words[:1] == ["-n"] else words


def _is_number_awaited(words: Sequence[str]) -> bool:
    return list(words) == ["-n"]


@cache
def first_words() -> list[Offer]:
    """The shell's own commands, those of `riacho` and the tools."""
    from riacho.cli.kafka.flags.tools import TOOLS
    from riacho.cli.main import COMMANDS
    from riacho.cli.shell.builtins import BUILTINS
    from riacho.cli.shell.programs import program_names

    abouts = {name: "" for name in program_names()}
    abouts |= {RIACHO: "One command for the whole platform; here it may be left out."}
    abouts |= {name: about for name, (_, about) in COMMANDS.items()}
    abouts |= {name: tool.help for name, tool in TOOLS.items()}
    abouts |= {name: builtin.about for name, builtin in BUILTINS.items()}
    return [Offer(name, abouts[name]) for name in sorted(abouts)]


@cache
def filters() -> list[Offer]:
    return [Offer(name, about) for name, about in sorted(_FILTERS.items()) if shutil.which(name) is not None]
