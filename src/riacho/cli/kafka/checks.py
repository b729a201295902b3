"""Which flags go together: the rules and the words of Kafka's CommandLineUtils."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.cli.kafka.flags.jopt import Arguments, UsageError


def require(arguments: Arguments, *names: str) -> None:
    for name in names:
        if not arguments.has(name):
            raise UsageError(f'Missing required argument "[{name}]"')


def reject_together(arguments: Arguments, used: str, others: Iterable[str]) -> None:
    """`used` may not stand beside any of `others`."""
    if not arguments.has(used):
        return
    for other in others:
        if arguments.has(other):
            raise UsageError(f'Option "[{used}]" can\'t be used with option "[{other}]"')


def exactly_one(arguments: Arguments, names: Iterable[str], message: str) -> str:
    given = [name for name in names if arguments.has(name)]
    if len(given) != 1:
        raise UsageError(message)
    return given[0]


def named(arguments: Arguments, name: str, known: tuple[str, ...]) -> list[str]:
    """What a list with commas names of those that are known, in any case."""
    given = [part.strip() for part in (arguments.text(name) or "").split(",") if part.strip()]
    by_lower = {one.lower(): one for one in known}
    if any(part.lower() not in by_lower for part in given):
        raise UsageError(f"Invalid {name} list '{arguments.text(name)}'. Valid {name}s are: {', '.join(known)}")
    return [by_lower[part.lower()] for part in given]
