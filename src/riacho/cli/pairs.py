"""Words of the form KEY=VALUE on the command line."""

from __future__ import annotations

from collections.abc import Iterable

import click


def parse_pairs(words: Iterable[str], option: str) -> dict[str, str]:
    return dict(split_pair(word, option) for word in words)


def split_pair(word: str, option: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals or not key.strip():
        raise click.UsageError(f"{option} takes KEY=VALUE, not {word!r}.")
    return key.strip(), value.strip()
