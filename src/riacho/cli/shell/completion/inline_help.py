"""One line about what stands at the cursor: a flag, else the command. Below the prompt of `riacho shell`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from riacho.cli.shell.completion.click_words import find_command
from riacho.cli.shell.completion.commands import RIACHO, riacho_words, watched
from riacho.cli.shell.completion.sql_words import function_help, sql_part
from riacho.cli.shell.completion.typed_line import CHARACTERS_MAX, TypedLine, typed_line

if TYPE_CHECKING:
    import click

    from riacho.cli.kafka.flags.options import Option, Tool


def help_for(line: str) -> str:
    """Of a line up to the cursor; empty where nothing is known of it. The toolbar asks whenever it is drawn."""
    if len(line) > CHARACTERS_MAX:
        return ""
    try:
        statement = sql_part(line)
        return " ".join((_about(line) if statement is None else function_help(statement)).split())
    except Exception:
        # What is not installed, say: help is no place to tell it.
        return ""


@lru_cache(maxsize=64)
def _about(line: str) -> str:
    typed = typed_line(line)
    if typed.after not in ("", "|") or typed.is_behind_pipe:
        return ""
    return _of_command(typed)


def _of_command(typed: TypedLine) -> str:
    from riacho.cli.kafka.flags.tools import TOOLS
    from riacho.cli.shell.builtins import BUILTINS

    words = list(typed.words)
    while words[:1] == ["watch"] and len(words) > 1:
        words = list(watched(words[1:]))
    # The first word is what it is once it is complete.
    first, rest = (words[0], words[1:]) if words else (typed.word, [])
    tool = TOOLS.get(first.removesuffix(".sh"))
    if tool is not None:
        return _of_tool(tool, rest, typed.word if words else "")
    if first in BUILTINS:
        return f"{BUILTINS[first].usage}: {BUILTINS[first].about}"
    found = riacho_words([first, *rest]) if first else None
    return _of_riacho(found, typed.word if words else "") if found is not None else ""


def _of_tool(tool: Tool, words: Sequence[str], word: str) -> str:
    from riacho.cli.kafka.flags.place import find_place

    place = find_place(tool, words)
    option = place.known.get(word.partition("=")[0]) if word.startswith("-") else place.awaiting
    if option is not None:
        return _of_option(option)
    command = next((each for each in tool.commands if each.name in (place.command, word)), None)
    return f"{tool.name} {command.name}: {command.help}" if command is not None else f"{tool.name}: {tool.help}"


def _of_option(option: Option) -> str:
    if option.gone:
        return option.gone
    value = f" <{option.value}>" if option.value else ""
    default = "" if option.default in (None, "") else f" Default: {option.default}."
    choices = option.choices or option.offers
    told = f" One of {', '.join(choices)}." if choices and option.value != "key=value" else ""
    return f"--{option.name}{value}: {'required. ' if option.required else ''}{option.help}{told}{default}"


def _of_riacho(words: Sequence[str], word: str) -> str:
    import click

    found = find_command(words)
    if found is None:
        return ""
    command, path, rest = found
    if isinstance(command, click.Group) and word in command.list_commands(click.Context(command)):
        command, path, rest = find_command([*words, word]) or found
    parameter = _option(command, word, rest)
    if parameter is not None:
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        return f"{names}: {parameter.help or ''}"
    return f"{' '.join(path) or RIACHO}: {command.get_short_help_str(limit=200)}"


def _option(command: click.Command, word: str, before: Sequence[str]) -> click.Option | None:
    """The one that is typed, or whose value is."""
    import click

    options = [each for each in command.params if isinstance(each, click.Option)]
    if word.startswith("-"):
        return next((each for each in options if word.partition("=")[0] in (*each.opts, *each.secondary_opts)), None)
    last = before[-1] if before else ""
    return next((each for each in options if last in each.opts and not each.is_flag), None)
