"""Java properties files, and `key=value` words: how Kafka's tools take client settings."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.cli.kafka.launch import ToolError


def load_properties(path: str) -> dict[str, str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError as error:
        raise ToolError(f"Error: cannot read {path}: {error.strerror}") from None
    from riacho.base.config import parse_properties

    return parse_properties(text)


def key_value_pairs(words: Iterable[str], flag: str) -> dict[str, str]:
    """`--formatter-property print.key=true`: only the first `=` divides, so separators may hold one."""
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise ToolError(f"Error: --{flag} takes key=value, not '{word}'")
        pairs[key] = value
    return pairs
