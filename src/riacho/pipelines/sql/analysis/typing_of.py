"""Types of expressions, by compiling them against columns that have types only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from riacho.pipelines.sql.analysis.names import TypesScope
from riacho.pipelines.sql.analysis.type_names import resolve_type
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.compiled import Compiled
from riacho.pipelines.sql.expressions.compiler import compile_expression
from riacho.pipelines.sql.expressions.scope import Scope
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.syntax.expressions import Expression
from riacho.pipelines.sql.types import BOOLEAN, SqlType


@dataclass(frozen=True, slots=True)
class Compiler:
    """The expression compiler with a session's functions and the catalogue's types."""

    functions: Registry
    types: Mapping[str, SqlType]

    def compile(self, expression: Expression, scope: Scope) -> Compiled:
        resolve = partial(resolve_type, types=self.types)
        return compile_expression(expression, scope, functions=self.functions, resolve_type=resolve)

    def type_of(self, expression: Expression, columns: Mapping[str, SqlType]) -> SqlType | None:
        return self.compile(expression, TypesScope(columns)).type

    def known_type_of(self, expression: Expression, columns: Mapping[str, SqlType]) -> SqlType:
        kind = self.type_of(expression, columns)
        if kind is None:
            raise KsqlError(f"Can't determine the type of {wording(expression)}: cast it to the type it should have.")
        return kind

    def selected_type(self, expression: Expression, columns: Mapping[str, SqlType]) -> SqlType:
        """Of an expression in a select list."""
        try:
            return self.known_type_of(expression, columns)
        except KsqlError as error:
            raise KsqlError(f"Invalid Select: {error.message}") from None

    def refuse_no_condition(self, condition: Expression, columns: Mapping[str, SqlType], clause: str) -> None:
        """WHERE and HAVING take a BOOLEAN."""
        try:
            kind = self.type_of(condition, columns)
        except KsqlError as error:
            # ksqlDB finds what a literal cannot be only when it makes code of the condition.
            is_literal = error.message.startswith("invalid input syntax")
            start = "Invalid Predicate" if is_literal else f"Error in {clause} expression"
            raise KsqlError(f"{start}: {error.message}") from None
        if kind is not None and kind != BOOLEAN:
            raise KsqlError(
                f"Type error in {clause} expression: Should evaluate to boolean but is {wording(condition)} "
                f"({kind}) instead."
            )
