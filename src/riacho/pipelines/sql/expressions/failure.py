"""Where ksqlDB's code would throw: the whole column is null then, whatever stands around what failed.

    COALESCE(1 / 0, 5)        is null, not 5: the division threw, and COALESCE was never called
    NOT (A + 1 > 5)           is null where A is null: arithmetic on null throws, a comparison with null does not

In Spark nothing throws. So a compiled expression carries the condition under which it would have (`failure`), and the
outermost text is null where that holds. Most need no such guard: arithmetic on null is null by itself, and stays so
until something makes another value of it (`shows_failure` says that nothing has yet).
"""

from __future__ import annotations

from collections.abc import Iterable

from riacho.pipelines.sql.expressions.compiled import Compiled


def any_of(conditions: Iterable[str]) -> str:
    """'' where none of them can hold."""
    present = list(dict.fromkeys(condition for condition in conditions if condition))
    return present[0] if len(present) == 1 else f"({' OR '.join(present)})" if present else ""


def failures(parts: Iterable[Compiled]) -> str:
    return any_of(part.failure for part in parts)


def null_failure(text: str, parts: Iterable[Compiled]) -> str:
    """Of a value that is null exactly where it, or a part of it, failed."""
    return any_of((*(part.failure for part in parts if not part.shows_failure), f"({text} IS NULL)"))


def guarded(value: Compiled) -> Compiled:
    """Null where it failed; whether it did is not known any more."""
    if not value.failure or value.shows_failure:
        return Compiled(value.text, value.type, value.literal, value.nullable, value.source)
    return Compiled(f"IF({value.failure}, NULL, {value.text})", value.type, source=value.source)
