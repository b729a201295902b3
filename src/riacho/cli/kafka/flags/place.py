"""What may stand next on a line of a tool that is still being typed: the parser's view of it, which forgives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from riacho.cli.kafka.flags.jopt import by_word, looks_like_a_flag
from riacho.cli.kafka.flags.options import Option, Tool


class Place(NamedTuple):
    """`awaiting` takes the next word as its argument; `is_free`: it may also go without. `given` has the arguments of
    each option that stands before, by its name."""

    command: str | None
    known: Mapping[str, Option]
    given: Mapping[str, Sequence[str]]
    awaiting: Option | None = None
    is_free: bool = False


def find_place(tool: Tool, words: Sequence[str]) -> Place:
    """Behind `words`, which are all that stands there of the tool's line, its name aside."""
    command = _command(tool, words)
    known = by_word(tool, command)
    given: dict[str, list[str]] = {}
    awaiting: Option | None = None
    is_free = False
    for word in words:
        name, equals, attached = word.partition("=")
        if awaiting is not None and not (is_free and looks_like_a_flag(word) and name in known):
            given[awaiting.name].append(word)
            # One that takes every word up to the next flag goes on.
            awaiting, is_free = (awaiting, True) if awaiting.plus else (None, False)
            continue
        awaiting, is_free = None, False
        option = known.get(name) if looks_like_a_flag(word) else None
        if option is None:
            continue
        arguments = given.setdefault(option.name, [])
        if equals:
            arguments.append(attached)
        elif option.value:
            awaiting, is_free = option, option.bare is not None
    return Place(command, known, given, awaiting, is_free)


def _command(tool: Tool, words: Sequence[str]) -> str | None:
    names = {command.name for command in tool.commands}
    known = {word: option for name in (None, *names) for word, option in by_word(tool, name).items()}
    is_argument = False
    for word in words:
        if is_argument:
            is_argument = False
        elif looks_like_a_flag(word):
            option = known.get(word)
            is_argument = option is not None and bool(option.value) and option.bare is None
        elif word in names:
            return word
    return None
