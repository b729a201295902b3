"""Expressions as errors name them: their canonical text, of large ones its beginning."""

from __future__ import annotations

from riacho.pipelines.sql.printing.expressions import expression_text
from riacho.pipelines.sql.syntax.expressions import Expression, When

# An error is read by a person.
LENGTH_MAX = 2_000


def wording(expression: Expression) -> str:
    text = expression_text(expression)
    return text if len(text) <= LENGTH_MAX else text[:LENGTH_MAX] + "..."


def when_wording(when: When) -> str:
    return f"WHEN {wording(when.condition)} THEN {wording(when.result)}"
