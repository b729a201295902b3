"""What a tool and its flags are: plain values that drive the parser, the help, shell completion and the docs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


def int32(text: str) -> int:
    """A number for a field of 32 bits."""
    value = int(text)
    if not -(1 << 31) <= value < 1 << 31:
        raise ValueError(text)
    return value


class Option(NamedTuple):
    """One flag. Without `value` it is a switch; with it, it takes an argument called that in the help."""

    name: str
    help: str
    value: str = ""
    # int, int32, float or str; an argument that does not convert is a usage error.
    kind: Callable[[str], Any] = str
    default: Any = None
    # Repeated flags collect; otherwise a second one is a usage error, as in jopt-simple.
    many: bool = False
    # The argument may be left out (`--state`, `--compression-codec`): the flag then stands with this text.
    bare: str | None = None
    # Takes every word up to the next flag (argparse4j's `nargs("+")`).
    plus: bool = False
    required: bool = False
    choices: tuple[str, ...] = ()
    # Values that completion offers and the help names; the tool itself says which others it takes. Of a `key=value`
    # they are keys, of a list (`states`) its parts.
    offers: tuple[str, ...] = ()
    short: str = ""
    # Names from older releases: understood, with a notice on stderr.
    old: tuple[str, ...] = ()
    # A flag whose meaning is gone: its argument is read, the notice printed, and nothing else happens.
    gone: str = ""


class Command(NamedTuple):
    """A sub-command, `kafka-cluster cluster-id`."""

    name: str
    help: str
    options: tuple[Option, ...] = ()


class Tool(NamedTuple):
    name: str
    help: str
    options: tuple[Option, ...] = ()
    commands: tuple[Command, ...] = ()
    # Words that older releases took without a flag, in order; each stands for an option.
    positional: tuple[str, ...] = ()


HELP = Option("help", "Print this help.", short="h")
VERSION = Option("version", "Print the version.")


def options_of(tool: Tool, command: str | None = None) -> tuple[Option, ...]:
    """Every flag that may stand on the line, the sub-command's among them."""
    own = next((c.options for c in tool.commands if c.name == command), ())
    return (*tool.options, *own, HELP, VERSION)
