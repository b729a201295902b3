"""What an aggregate is: a state machine over JSON values.

States are JSON values too (`row_json.py`'s forms), since they are kept as text; `add` and `undo` may change a state in
place, `merge` may not. `values` are the row's, one an argument. `sequence` counts the task's rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.spec import AggregateSpec


class Aggregate(ABC):
    """`can_undo`: it may stand over a table."""

    can_undo: ClassVar[bool] = False

    def __init__(self, spec: AggregateSpec) -> None:
        self.spec = spec

    def init(self) -> Any:
        return None

    @abstractmethod
    def add(self, state: Any, values: list[Any], sequence: int) -> Any: ...

    def undo(self, state: Any, values: list[Any]) -> Any:
        raise TaskError(f"{self.spec.function} cannot be applied to a table source, only to a stream source.")

    @abstractmethod
    def merge(self, left: Any, right: Any) -> Any:
        """Of two sessions: `left` is the earlier one, or no rows yet."""

    def result(self, state: Any) -> Any:
        return state
