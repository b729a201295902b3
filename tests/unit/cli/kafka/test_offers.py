"""What the table of tools offers as values is what the tools take: a name that a tool refuses is not offered."""

from __future__ import annotations

import pytest

from riacho.base.acl import PatternType
from riacho.cli.kafka.deserializers import _BY_NAME, deserializer
from riacho.cli.kafka.dump_batches import _class_decoder
from riacho.cli.kafka.flags.data_tools import DESERIALIZERS, FORMATTERS, LINE_READERS
from riacho.cli.kafka.flags.jopt import parse
from riacho.cli.kafka.flags.local_tools import DECODERS
from riacho.cli.kafka.flags.options import Option
from riacho.cli.kafka.flags.security_tools import PATTERN_TYPES
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.formatters import formatter
from riacho.cli.kafka.text.help import help_text

OFFERING = [
    (name, command.name if command else None, option)
    for name, tool in TOOLS.items()
    for command in (None, *tool.commands)
    for option in (command.options if command else tool.options)
    if option.offers
]


def test_classes_that_are_offered_are_there() -> None:
    assert set(DESERIALIZERS) == set(_BY_NAME)
    assert all(deserializer(name) for name in DESERIALIZERS)
    assert all(formatter(name, {}) for name in FORMATTERS)
    assert all(_class_decoder(name) for name in DECODERS)
    assert {name.upper() for name in PATTERN_TYPES} == set(PatternType.__members__) - {"UNKNOWN"}
    assert LINE_READERS[0] == "LineMessageReader"


@pytest.mark.parametrize(("tool", "command", "option"), OFFERING, ids=lambda each: getattr(each, "name", str(each)))
def test_every_value_that_is_offered_is_read_and_told_by_the_help(
    tool: str, command: str | None, option: Option
) -> None:
    words = [command] if command else []
    # Long names are wrapped at their hyphens.
    shown = "".join(help_text(TOOLS[tool], command).split())
    for value in option.offers:
        given = f"{value}=x" if option.value == "key=value" else value
        assert parse(TOOLS[tool], [*words, f"--{option.name}", given, "--help"]).text(option.name) == given
        assert value in shown
