"""The parser: jopt-simple's rules, on which Kafka's tools are built.

`--name value`, `--name=value` and `-name value` mean the same; names are never abbreviated; a repeated flag collects
its arguments; a required argument takes the next word whatever it looks like, so `--shift-by -10` works.
"""

from __future__ import annotations

from typing import Any

from riacho.cli.kafka.flags.options import Option, Tool, options_of


class UsageError(Exception):
    """Words that make no command: printed before the help, on stderr."""


class Arguments:
    """What was on the line, by the names of the table."""

    def __init__(self, tool: Tool, command: str | None = None) -> None:
        self.tool = tool
        self.command = command
        self.values: dict[str, list[Any]] = {}
        # Flags in the order of the line, for tools in which one flag qualifies another.
        self.sequence: list[tuple[str, Any]] = []
        self.words: list[str] = []
        self.notices: list[str] = []

    def has(self, name: str) -> bool:
        """Whether the flag stood on the line; a default does not count."""
        return name in self.values

    def _option(self, name: str) -> Option:
        return next(o for o in options_of(self.tool, self.command) if o.name == name)

    def get(self, name: str) -> Any:
        values = self.values.get(name)
        return values[-1] if values else self._option(name).default

    def text(self, name: str) -> str | None:
        value = self.get(name)
        return None if value is None else str(value)

    def number(self, name: str) -> int | None:
        value = self.get(name)
        return None if value is None else int(value)

    def need(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise UsageError(f'Missing required argument "[{name}]"')
        return value

    def need_number(self, name: str) -> int:
        self.need(name)
        return int(self.get(name))

    def all(self, name: str) -> list[Any]:
        return list(self.values.get(name, ()))


def parse(tool: Tool, words: list[str]) -> Arguments:
    command, words = _sub_command(tool, words)
    arguments = Arguments(tool, command)
    known = by_word(tool, command)
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "--":
            arguments.words.extend(reversed(rest))
            break
        if not looks_like_a_flag(word):
            arguments.words.append(word)
            continue
        name, equals, attached = word.partition("=")
        option = known.get(name)
        if option is None:
            raise UsageError(f"{name.lstrip('-')} is not a recognized option")
        _notice(arguments, option, name.lstrip("-"))
        _take(arguments, option, attached if equals else None, rest, known)
    _place_words(arguments)
    if not (arguments.has("help") or arguments.has("version")):
        _check_required(arguments)
    return arguments


def _sub_command(tool: Tool, words: list[str]) -> tuple[str | None, list[str]]:
    if not tool.commands:
        return None, words
    names = [c.name for c in tool.commands]
    # Flags may stand before the command, and their arguments are no commands.
    known = {word: option for name in (None, *names) for word, option in by_word(tool, name).items()}
    is_argument = False
    for index, word in enumerate(words):
        if is_argument:
            is_argument = False
        elif looks_like_a_flag(word):
            option = known.get(word)
            is_argument = option is not None and bool(option.value) and option.bare is None
        elif word in names:
            return word, words[:index] + words[index + 1 :]
        else:
            raise UsageError(f"'{word}' is not one of the commands: {', '.join(names)}")
    return None, words


def by_word(tool: Tool, command: str | None) -> dict[str, Option]:
    """The options that may stand there, by every word that means one of them."""
    known: dict[str, Option] = {}
    for option in options_of(tool, command):
        for name in (option.name, *option.old):
            known[f"--{name}"] = option
            known.setdefault(f"-{name}", option)
        if option.short:
            known[f"-{option.short}"] = option
    return known


def looks_like_a_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


def _notice(arguments: Arguments, option: Option, name: str) -> None:
    text = option.gone
    if not text and name in option.old:
        text = f"--{name} is an old name of --{option.name}."
    if text and text not in arguments.notices:
        arguments.notices.append(text)


def _take(
    arguments: Arguments, option: Option, attached: str | None, rest: list[str], known: dict[str, Option]
) -> None:
    values = arguments.values.setdefault(option.name, [])
    if not option.value:
        if attached is not None:
            raise UsageError(f"Option {option.name} takes no argument, but got '{attached}'")
        arguments.sequence.append((option.name, None))
        return
    if attached is not None:
        texts = [attached]
    elif option.plus:
        texts = []
        while rest and rest[-1].partition("=")[0] not in known:
            texts.append(rest.pop())
    elif option.bare is not None:
        texts = [rest.pop()] if rest and not looks_like_a_flag(rest[-1]) else [option.bare]
    else:
        texts = [rest.pop()] if rest else []
    if not texts:
        raise UsageError(f"Option {option.name} requires an argument")
    values.extend(_convert(option, text) for text in texts)
    arguments.sequence.extend((option.name, value) for value in values[-len(texts) :])
    if len(values) > 1 and not (option.many or option.plus):
        raise UsageError(f"Found multiple arguments for option {option.name}, but you asked for only one")


def _convert(option: Option, text: str) -> Any:
    try:
        value = option.kind(text)
        if option.kind is int and not -(1 << 63) <= value < 1 << 63:
            raise ValueError(text)
    except ValueError:
        raise UsageError(f"Cannot parse argument '{text}' of option {option.name}") from None
    if option.choices and value not in option.choices:
        raise UsageError(f"Option {option.name} takes one of {', '.join(option.choices)}, not '{text}'")
    return value


def _place_words(arguments: Arguments) -> None:
    """Bare words stand for the options that `positional` names; jopt-simple ignores any others, and so do we."""
    for name in arguments.tool.positional:
        if not arguments.words:
            return
        if not arguments.has(name):
            option = arguments._option(name)
            word = arguments.words.pop(0)
            arguments.values[name] = [_convert(option, word)]
            arguments.notices.append(f"taking '{word}' as --{name}.")


def _check_required(arguments: Arguments) -> None:
    for option in options_of(arguments.tool, arguments.command):
        if option.required and not arguments.has(option.name):
            raise UsageError(f'Missing required argument "[{option.name}]"')
