"""What stands around the line: the cluster in the prompt, red where it is production, and the keys below."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import BaseStyle, DummyStyle, Style

if TYPE_CHECKING:
    from riacho.cli.shell.shell import Shell

_STYLE = {
    "cluster": "ansigreen bold",
    "cluster.production": "ansired bold",
    "mode": "ansicyan bold",
    "bottom-toolbar": "noreverse",
    "key": "reverse",
    "value": "bold",
    "help": "italic",
}
_HELP_CHARACTERS_MAX = 1_000


def style(environment: Mapping[str, str] = os.environ) -> BaseStyle:
    return DummyStyle() if environment.get("NO_COLOR") else Style.from_dict(_STYLE)


def colour_depth(environment: Mapping[str, str] = os.environ) -> ColorDepth | None:
    """None is what the terminal can."""
    return ColorDepth.DEPTH_1_BIT if environment.get("NO_COLOR") else None


def prompt_text(shell: Shell) -> StyleAndTextTuples:
    addresses = shell.clusters.chosen.addresses
    cluster = "class:cluster.production" if addresses.is_production else "class:cluster"
    mode: StyleAndTextTuples = [("class:mode", " sql")] if shell.is_in_sql else []
    return [(cluster, addresses.name), *mode, ("", "> ")]


def continuation(width: int, line_number: int, wrap_count: int) -> str:
    return ">".rjust(max(width - 1, 1)) + " "


def toolbar(shell: Shell, line: str, help_for: Callable[[str], str]) -> StyleAndTextTuples:
    toggles = shell.settings.toggles
    parts: StyleAndTextTuples = []
    told = help_for(line)[:_HELP_CHARACTERS_MAX] if toggles.inline_help else ""
    if told:
        parts += [("class:help", told), ("", "\n")]
    for key, name, value in (
        ("F2", "Cluster", shell.clusters.chosen.name),
        ("F3", "Fuzzy", _on_off(toggles.fuzzy_search)),
        ("F9", "Help", _on_off(toggles.inline_help)),
        ("F10", "Exit", ""),
    ):
        parts += [
            ("class:key", f" {key} "),
            ("", f" {name}{': ' if value else ''}"),
            ("class:value", value),
            ("", "  "),
        ]
    return parts


def _on_off(is_on: bool) -> str:
    return "ON" if is_on else "OFF"
