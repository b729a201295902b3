"""AS_VALUE: a copy of a key column in the value."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.syntax_walk import rewrite
from riacho.pipelines.sql.syntax.expressions import Expression, FunctionCall


def without_as_value(expression: Expression) -> Expression:
    """What AS_VALUE says is done by its argument's not being the key any more."""

    def change(node: Expression) -> Expression | None:
        if isinstance(node, FunctionCall) and node.name == "AS_VALUE" and len(node.arguments) == 1:
            return without_as_value(node.arguments[0])
        return None

    return rewrite(expression, change)
