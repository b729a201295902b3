"""Users' aggregates as tasks run them: over JSON values, with a class of theirs inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.pipelines.sql.functions.aggregate_signatures import AggregateFunction
from riacho.pipelines.sql.functions.function import Parameter, Signature, sql
from riacho.pipelines.sql.functions.user.definition import Definition
from riacho.pipelines.sql.functions.user.values import from_python, to_python
from riacho.pipelines.sql.type_text import type_from_text
from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec


class UserAggregate(Aggregate):
    """A row that the class cannot take stops the statement: its state would be wrong from there on."""

    def __init__(self, spec: AggregateSpec, implementation: Callable[[], Any]) -> None:
        super().__init__(spec)
        self._inner = implementation()
        self._types = [type_from_text(text) for text in spec.types]
        self._result = type_from_text(spec.result_type)

    def init(self) -> Any:
        return self._called("init")

    def add(self, state: Any, values: list[Any], sequence: int) -> Any:
        return self._called("add", state, *self._values(values))

    def undo(self, state: Any, values: list[Any]) -> Any:
        return self._called("undo", state, *self._values(values))

    def merge(self, left: Any, right: Any) -> Any:
        return self._called("merge", left, right)

    def result(self, state: Any) -> Any:
        try:
            return from_python(self._called("result", state), self._result, as_json=True)
        except ValueError as error:
            raise TaskError(f"The result of the aggregate {self.spec.function} is wrong: {error}.") from error

    def _values(self, values: list[Any]) -> list[Any]:
        return [to_python(value, kind) for value, kind in zip(values, self._types, strict=True)]

    def _called(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self._inner, method)(*arguments)
        except Exception as error:
            raise TaskError(f"The aggregate {self.spec.function} failed in {method}: {error!r}.") from error


def opener(definition: Definition) -> Callable[[AggregateSpec], Aggregate]:
    """For `tasks/aggregates/opening.py`'s table."""
    implementation = definition.implementation

    class Opened(UserAggregate):
        can_undo = callable(getattr(implementation, "undo", None))

        def __init__(self, spec: AggregateSpec) -> None:
            super().__init__(spec, implementation)

    return Opened


def aggregate_function(definition: Definition) -> AggregateFunction:
    """As statements call it."""
    signatures = tuple(
        Signature(
            tuple(Parameter(f"arg{place}", kind) for place, kind in enumerate(signature.parameters)),
            signature.result,
            sql(""),
            is_variadic=signature.is_variadic,
        )
        for signature in definition.signatures
    )
    can_undo = callable(getattr(definition.implementation, "undo", None))
    return AggregateFunction(definition.name, signatures, can_undo=can_undo, about=definition.about)
