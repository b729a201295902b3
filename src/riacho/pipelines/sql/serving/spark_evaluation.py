"""Asks the runner to evaluate expressions over rows that the server has found; each question has a number."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from riacho.pipelines.sql.analysis.outcomes import PullOutcome
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.scope import Resolved
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.row_json import parsed_row, row_text
from riacho.pipelines.sql.runner.protocol import AnyCommand, Evaluate, Evaluated
from riacho.pipelines.sql.serving.pull import evaluation_fields
from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.syntax.expressions import Column
from riacho.pipelines.sql.types import Field, SqlType, quoted

_TIMEOUT_S = 120.0
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

    async def pull(self, source: DataSource, rows: Sequence[ServedRow], outcome: PullOutcome) -> list[list[Any] | None]:
        """Of each row the values of the select list, or None where the condition does not hold. KsqlError."""
        fields = evaluation_fields(source)
        compiler = Compiler(self._functions, self._types())
        scope = RowScope(fields)
        selected = [(Field(f"C{number}", each.type), each) for number, each in enumerate(outcome.select)]
        values = [(field, compiler.compile(each.expression, scope).text) for field, each in selected]
        where = None if outcome.where is None else compiler.compile(outcome.where, scope).text
        texts = tuple(_text(row, fields) for row in rows)
        answers = await self.ask(texts, parsed_row("text", fields), row_text(values), where)
        names = [field.name for field, _ in selected]
        return [None if each is None else [_decode(each)[name] for name in names] for each in answers]

    async def ask(
        self, rows: tuple[str, ...], row: str, answer: str, where: str | None = None
    ) -> tuple[str | None, ...]:
        number = next(self._numbers)
        waiting: asyncio.Future[Evaluated] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            await self._send(Evaluate(number, rows, row, answer, where))
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


def _text(row: ServedRow, fields: Sequence[Field]) -> str:
    return msgspec.json.encode({field.name: row.column(field.name) for field in fields}).decode()
