"""How large an expression may be: what is written, and the Spark SQL that it becomes."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError

# Deeper ones are no query a person wrote, and would exhaust the stack of Spark's parser or ours.
DEPTH_MAX = 200
# Spark takes some milliseconds to parse and plan this much; constructs that repeat an operand could multiply it.
TEXT_LENGTH_MAX = 400_000


def check_depth(depth: int) -> None:
    if depth > DEPTH_MAX:
        raise KsqlError(f"The expression is nested more than {DEPTH_MAX} levels deep.")


def check_text(text: str) -> None:
    if len(text) > TEXT_LENGTH_MAX:
        raise KsqlError(
            f"The expression is too large: it would take more than {TEXT_LENGTH_MAX} characters to compute."
        )
