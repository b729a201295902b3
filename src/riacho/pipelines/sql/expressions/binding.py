"""Values that are used more than once in a text, yet computed and written once.

Spark SQL has no LET. A lambda over an array of one element is one: `element_at(transform(array(value), x -> ...), 1)`.
Short texts are repeated instead, since columns and literals cost nothing and Spark folds them.
"""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

REPEATED_LENGTH_MAX = 60
# What the names of Python functions begin with (`functions/python_functions.py`).
PYTHON_PREFIX = "riacho_"


def let(value: str, body: Callable[[str], str]) -> str:
    """The text of `body`, in which the name that it is given stands for `value`."""
    if len(value) <= REPEATED_LENGTH_MAX and not is_fresh(value):
        return body(value)
    # Named after the value: no value contains itself, so no inner name hides an outer one that is still needed.
    name = f"_v{crc32(value.encode()):08x}"
    bound = body(name)
    if PYTHON_PREFIX in bound:
        # Spark calls no Python function inside of a lambda.
        return body(value)
    return f"element_at(transform(array({value}), {name} -> {bound}), 1)"


def let_all(values: tuple[str, ...], body: Callable[..., str]) -> str:
    """As `let`, for several values."""
    if not values:
        return body()
    return let(values[0], lambda first: let_all(values[1:], lambda *rest: body(first, *rest)))


def is_fresh(text: str) -> bool:
    """Whether each use of the text gives another value."""
    return "rand(" in text or "uuid(" in text
