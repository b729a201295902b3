"""SELECT: from rules of queries.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.errors import ParseError
from riacho.pipelines.sql.parsing.literals import Name
from riacho.pipelines.sql.syntax.expressions import Expression, StructAll
from riacho.pipelines.sql.syntax.statements import (
    Duration,
    Emit,
    Join,
    JoinKind,
    Ordering,
    Query,
    Relation,
    SelectItem,
    SelectPart,
    SelectStar,
    Window,
    WindowKind,
    Within,
)


@v_args(inline=True)
class QueryRules(Transformer[Token, object]):
    def query(
        self,
        select: tuple[SelectPart, ...],
        source: Relation,
        joins: tuple[Join, ...],
        window: Window | None,
        where: Expression | None,
        group_by: tuple[Expression, ...],
        partition_by: tuple[Expression, ...],
        having: Expression | None,
        order_by: tuple[Ordering, ...],
        emit: Emit,
        limit: int | None,
    ) -> Query:
        return Query(
            select, source, joins, window, where, group_by, partition_by, having, order_by, emit=emit, limit=limit
        )

    def select_item(self, expression: Expression, alias: Name | None = None) -> SelectPart:
        return SelectItem(expression, alias.text if alias else None)

    def select_star(self, source: Name | None = None) -> SelectPart:
        return SelectStar(source.text if source else None)

    def select_struct(self, base: Expression) -> SelectPart:
        return SelectItem(StructAll(base, at=base.at))

    def relation(self, name: Name, alias: Name | None = None) -> Relation:
        return Relation(name.text, alias.text if alias else None, at=name.at)

    # Joins

    def join(self, kind: JoinKind, right: Relation, within: Within | None, on: Expression) -> Join:
        return Join(kind, right, within, on)

    def inner_join(self) -> JoinKind:
        return JoinKind.INNER

    def left_join(self) -> JoinKind:
        return JoinKind.LEFT

    def right_join(self) -> JoinKind:
        return JoinKind.RIGHT

    def full_join(self) -> JoinKind:
        return JoinKind.FULL

    def within(self, span: Duration, grace: Duration | None) -> Within:
        return Within(span, span, grace)

    def within_both(self, before: Duration, after: Duration, grace: Duration | None) -> Within:
        return Within(before, after, grace)

    # Windows

    def tumbling(self, size: Duration, *limits: tuple[str, Duration]) -> Window:
        return _window(WindowKind.TUMBLING, size, None, limits)

    def hopping(self, size: Duration, advance: Duration, *limits: tuple[str, Duration]) -> Window:
        return _window(WindowKind.HOPPING, size, advance, limits)

    def session(self, gap: Duration, *limits: tuple[str, Duration]) -> Window:
        return _window(WindowKind.SESSION, gap, None, limits)

    def retention(self, duration: Duration) -> tuple[str, Duration]:
        return "RETENTION", duration

    def window_grace(self, duration: Duration) -> tuple[str, Duration]:
        return "GRACE PERIOD", duration

    # The end

    def ordering(self, expression: Expression) -> Ordering:
        return Ordering(expression)

    def descending(self, expression: Expression) -> Ordering:
        return Ordering(expression, is_descending=True)

    def emit_none(self) -> Emit:
        return Emit.NONE

    def emit_changes(self) -> Emit:
        return Emit.CHANGES

    def emit_final(self) -> Emit:
        return Emit.FINAL


def _window(
    kind: WindowKind, size: Duration, advance: Duration | None, limits: tuple[tuple[str, Duration], ...]
) -> Window:
    given = dict(limits)
    if len(given) < len(limits):
        raise ParseError("RETENTION and GRACE PERIOD of a window are given once each.", 1, 1)
    return Window(kind, size, advance, given.get("RETENTION"), given.get("GRACE PERIOD"))
