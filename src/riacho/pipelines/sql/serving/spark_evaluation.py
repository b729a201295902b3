"""Asks the runner to evaluate expressions over rows that the server has found; each question has a number."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from riacho.pipelines.sql.analysis.outcomes import SelectedValue
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.functions.python_functions import called_python_functions
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.row_json import parsed_row, row_text
from riacho.pipelines.sql.runner.protocol import AnyCommand, Evaluate, Evaluated
from riacho.pipelines.sql.serving.conditions import HasColumns
from riacho.pipelines.sql.syntax.expressions import Column, Expression
from riacho.pipelines.sql.types import BIGINT, Field, SqlType, quoted

_TIMEOUT_S = 120.0
_CHARACTERS_AT_ONCE = 2 * 1024 * 1024
_decode = msgspec.json.Decoder(dict).decode


class RowScope:
    """Columns as fields of the struct `row`."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._fields = {field.name: field.type for field in fields}

    def resolve(self, column: Column) -> Resolved:
        kind = self._fields.get(column.name)
        if kind is None:
            raise KsqlError(f"Column '{column.name}' cannot be resolved.")
        return Resolved(f"row.{quoted(column.name)}", kind)


class SparkEvaluation:
    def __init__(
        self,
        send: Callable[[AnyCommand], Awaitable[None]],
        functions: Registry,
        types: Callable[[], Mapping[str, SqlType]],
    ) -> None:
        self._send = send
        self._functions = functions
        self._types = types
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Evaluated]] = {}

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    async def values(
        self,
        fields: Sequence[Field],
        rows: Sequence[HasColumns],
        select: Sequence[SelectedValue],
        where: Expression | None,
    ) -> list[list[Any] | None]:
        """Of each row the values of the select list, or None where the condition does not hold. KsqlError."""
        compiler = Compiler(self._functions, self._types())
        scope = RowScope(fields)
        selected = [(Field(f"C{number}", each.type), each) for number, each in enumerate(select)]
        values = [(field, compiler.compile(each.expression, scope).text) for field, each in selected]
        condition = None if where is None else compiler.compile(where, scope).text
        row, answer = parsed_row("text", fields), row_text(values)
        names = [field.name for field, _ in selected]
        found: list[list[Any] | None] = []
        for texts in _weighed([_text(each, fields) for each in rows]):
            answers = await self.ask(texts, row, answer, condition)
            found.extend(None if each is None else [_decode(each)[name] for name in names] for each in answers)
        return found

    async def constant(self, expression: str, kind: SqlType) -> Any:
        """The value of an expression without columns, in `row_json.py`'s form. KsqlError."""
        answer = row_text([(Field("C0", kind), expression)])
        (found,) = await self.ask(("{}",), parsed_row("text", [Field("C", BIGINT)]), answer)
        return None if found is None else _decode(found)["C0"]

    async def ask(
        self, rows: tuple[str, ...], row: str, answer: str, where: str | None = None
    ) -> tuple[str | None, ...]:
        number = next(self._numbers)
        waiting: asyncio.Future[Evaluated] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            functions = called_python_functions([row, answer, where or ""])
            await self._send(Evaluate(number, rows, row, answer, where, functions))
            async with asyncio.timeout(_TIMEOUT_S):
                found = await waiting
        except TimeoutError:
            raise KsqlError(f"Spark did not answer within {_TIMEOUT_S:g} seconds.") from None
        finally:
            self._waiting.pop(number, None)
        if found.error is not None:
            raise KsqlError(found.error)
        return found.rows

    def answered(self, answer: Evaluated) -> None:
        waiting = self._waiting.get(answer.request_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def runner_ended(self) -> None:
        for number, waiting in list(self._waiting.items()):
            if not waiting.done():
                waiting.set_result(Evaluated(number, (), "The runner ended before it had answered; try again."))


def _weighed(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A line has a bound, and rows may be large."""
    part: list[str] = []
    weight = 0
    for text in texts:
        if part and weight + len(text) > _CHARACTERS_AT_ONCE:
            yield tuple(part)
            part, weight = [], 0
        part.append(text)
        weight += len(text)
    if part:
        yield tuple(part)


def _text(row: HasColumns, fields: Sequence[Field]) -> str:
    return msgspec.json.encode({field.name: row.column(field.name) for field in fields}).decode()
