"""The help text, out of the table of tools."""

from __future__ import annotations

import textwrap

from riacho.cli.kafka.flags.options import Option, Tool, options_of

_LEFT_WIDTH = 42
_RIGHT_WIDTH = 76


def help_text(tool: Tool, command: str | None = None) -> str:
    usage = f"{tool.name} {command or ('<command>' if tool.commands else '')}".rstrip()
    lines = [tool.help, f"Usage: {usage} [options]"]
    if tool.commands and command is None:
        lines += ["", "Command" + " " * (_LEFT_WIDTH - 7) + "Description"]
        for one in tool.commands:
            lines += _entry(one.name, one.help)
    lines += ["", "Option" + " " * (_LEFT_WIDTH - 6) + "Description"]
    for option in sorted(options_of(tool, command), key=lambda o: o.name):
        if not option.gone:
            lines += _entry(_left(option), _right(option))
    return "\n".join(lines)


def _left(option: Option) -> str:
    name = f"--{option.name}" + (f", -{option.short}" if option.short else "")
    if not option.value:
        return name
    return f"{name} [{option.value}]" if option.bare is not None else f"{name} <{option.value}>"


def _right(option: Option) -> str:
    text = ("REQUIRED: " if option.required else "") + option.help
    if option.choices or option.offers:
        before = "Keys:" if option.value == "key=value" else "One of"
        text += f" {before} {', '.join(option.choices or option.offers)}."
    if option.default is not None:
        text += f" (default: {option.default!r})" if option.default in ("\t", "\n") else f" (default: {option.default})"
    return text


def _entry(left: str, right: str) -> list[str]:
    wrapped = textwrap.wrap(right, _RIGHT_WIDTH) or [""]
    if len(left) >= _LEFT_WIDTH:
        return [left, *(" " * _LEFT_WIDTH + line for line in wrapped)]
    return [left.ljust(_LEFT_WIDTH) + wrapped[0], *(" " * _LEFT_WIDTH + line for line in wrapped[1:])]
