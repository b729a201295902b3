"""Streaming queries: from a SELECT to what its result is made of, with ksqlDB's rules for keys and columns.

names of sources -> WHERE -> PARTITION BY | GROUP BY -> table functions -> select list -> key and value columns
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from riacho.pipelines.sql.analysis.aggregates import (
    aggregate_names,
    analyse_aggregation,
    refuse_aggregates,
    refuse_ungrouped,
    refuse_unstorable,
)
from riacho.pipelines.sql.analysis.aliases import AliasGenerator
from riacho.pipelines.sql.analysis.analysed import (
    Aggregation,
    AnalysedQuery,
    Rekeying,
    ResultColumn,
    TableFunction,
)
from riacho.pipelines.sql.analysis.as_value import without_as_value
from riacho.pipelines.sql.analysis.keys import key_names, refuse_repeated_names
from riacho.pipelines.sql.analysis.magic_times import with_times
from riacho.pipelines.sql.analysis.names import NamedSource, Names
from riacho.pipelines.sql.analysis.rekeying import rekeying_of
from riacho.pipelines.sql.analysis.select_list import (
    Selected,
    refuse_reserved_columns,
    select_list,
    source_columns,
)
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.source_columns import refuse_map_key
from riacho.pipelines.sql.analysis.table_functions import (
    extract_table_functions,
    has_table_function,
    refuse_table_functions,
)
from riacho.pipelines.sql.analysis.typing_of import Compiler
from riacho.pipelines.sql.analysis.windows import window_info
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.sources import Column as SourceColumn
from riacho.pipelines.sql.catalogue.sources import Namespace, WindowInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.expressions.wording import wording
from riacho.pipelines.sql.syntax.expressions import Column, Expression, NullLiteral
from riacho.pipelines.sql.syntax.statements import Kind, Query
from riacho.pipelines.sql.types import SqlType


def analyse_query(query: Query, catalogue: Catalogue, settings: Settings, sink: str | None) -> AnalysedQuery:
    """`sink` is the name of what a persistent query writes; None for one that is only looked at."""
    return _Analysis(query, catalogue, settings, sink).run()


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    expression: Expression
    type: SqlType


class _Analysis:
    def __init__(self, query: Query, catalogue: Catalogue, settings: Settings, sink: str | None) -> None:
        self._query = query
        self._functions = settings.functions
        self._aggregates = settings.aggregates
        self._sink = sink
        self._compiler = Compiler(settings.functions, catalogue.types)
        self._names = self._sources(catalogue)
        self._types: Mapping[str, SqlType] = self._names.types()

    def _sources(self, catalogue: Catalogue) -> Names:
        query = self._query
        source = catalogue.source(query.source.name)
        for join in query.joins:
            catalogue.source(join.right.name)
        if query.joins:
            raise KsqlError("JOIN is not supported by this server yet: join the sources' topics outside of it.")
        named = NamedSource(query.source.alias or source.name, source)
        return Names((named,), makes_windows=query.window is not None)

    def run(self) -> AnalysedQuery:
        query, source = self._query, self._names.sources[0].source
        rekeying = rekeying_of(query, self._names)
        where = self._where()
        keys = self._keys(rekeying)
        selected = self._selected(keys, rekeying)
        if rekeying is Rekeying.GROUP_BY:
            self._refuse_ungrouped(keys, selected)
        else:
            self._refuse_aggregates(selected)
        if self._sink is not None:
            refuse_reserved_columns(selected)
        keys = self._named(keys, selected, rekeying)
        selected, table_functions = self._table_functions(selected)
        aggregation: Aggregation | None = None
        if rekeying is Rekeying.GROUP_BY:
            aggregation, values = self._aggregation(keys, selected)
        else:
            values = self._values(keys, selected, table_functions)
        if self._sink is not None:
            refuse_repeated_names([*keys, *values])
            if not values:
                raise KsqlError("The projection contains no value columns.")
        kind = Kind.TABLE if rekeying is Rekeying.GROUP_BY else source.kind
        return AnalysedQuery(
            sources=self._names.sources,
            kind=kind,
            rekeying=rekeying,
            keys=tuple(ResultColumn(key.name, key.expression, key.type) for key in keys),
            values=values,
            order=tuple(each.name for each in selected),
            where=where,
            aggregation=aggregation,
            table_functions=table_functions,
            window=self._window(rekeying),
            emit=query.emit,
            limit=query.limit,
        )

    def _where(self) -> Expression | None:
        if self._query.where is None:
            return None
        where = with_times(self._names.resolve(self._query.where, "WHERE"))
        refuse_aggregates(where, self._aggregates, "WHERE")
        refuse_table_functions(where, self._functions, "WHERE")
        self._compiler.refuse_no_condition(where, self._types, "WHERE")
        return where

    def _keys(self, rekeying: Rekeying) -> list[_Key]:
        source = self._names.sources[0].source
        match rekeying:
            case Rekeying.NONE:
                return [_Key(column.name, Column(column.name), column.type) for column in source.schema.key]
            case Rekeying.PARTITION_BY:
                return self._partition_keys()
            case Rekeying.GROUP_BY:
                return self._expression_keys(self._query.group_by, "GROUP BY")

    def _partition_keys(self) -> list[_Key]:
        given = self._query.partition_by
        if len(given) == 1 and isinstance(given[0], NullLiteral):
            return []
        if any(isinstance(each, NullLiteral) for each in given):
            raise KsqlError("Cannot PARTITION BY multiple columns including NULL")
        return self._expression_keys(given, "PARTITION BY")

    def _expression_keys(self, given: Sequence[Expression], clause: str) -> list[_Key]:
        generator = AliasGenerator(self._types)
        keys: list[_Key] = []
        for each in given:
            expression = self._names.resolve(each, clause)
            refuse_aggregates(expression, self._aggregates, clause)
            refuse_table_functions(expression, self._functions, clause)
            if any(key.expression == expression for key in keys):
                raise KsqlError(f"Duplicate expression found in {clause} clause: {wording(expression)}")
            kind = self._compiler.known_type_of(expression, self._types)
            keys.append(_Key(generator.alias(expression), expression, kind))
        return keys

    def _selected(self, keys: Sequence[_Key], rekeying: Rekeying) -> tuple[Selected, ...]:
        def star() -> Sequence[Selected]:
            columns = source_columns(self._names, with_window_bounds=self._sink is None)
            if rekeying is not Rekeying.PARTITION_BY:
                return columns
            # The new key comes first; what was the key becomes a value, behind the others.
            first = [Selected(key.name, key.expression) for key in keys]
            named = {each.name for each in first}
            schema = self._names.sources[0].source.schema
            old_key = {column.name for column in schema.key}
            values = [each for each in columns if each.name not in old_key]
            olds = [each for each in columns if each.name in old_key]
            return [*first, *(each for each in (*values, *olds) if each.name not in named)]

        return select_list(
            self._query.select, self._names, star, lambda each: self._compiler.type_of(each, self._types)
        )

    def _named(self, keys: Sequence[_Key], selected: Sequence[Selected], rekeying: Rekeying) -> list[_Key]:
        names = key_names([key.expression for key in keys], selected, rekeying, self._sink)
        named = [_Key(name or key.name, key.expression, key.type) for key, name in zip(keys, names, strict=True)]
        for key in named:
            if rekeying is not Rekeying.NONE:
                refuse_map_key(SourceColumn(key.name, key.type, Namespace.KEY))
        return named

    def _table_functions(
        self, selected: tuple[Selected, ...]
    ) -> tuple[tuple[Selected, ...], tuple[TableFunction, ...]]:
        if not any(has_table_function(each.expression, self._functions) for each in selected):
            return selected, ()
        if self._names.sources[0].source.kind is Kind.TABLE:
            raise KsqlError("Table source is not supported with table functions")
        return extract_table_functions(
            selected, self._functions, lambda each: self._compiler.type_of(each, self._types)
        )

    def _having(self) -> Expression | None:
        return self._names.resolve(self._query.having, "HAVING") if self._query.having is not None else None

    def _refuse_ungrouped(self, keys: Sequence[_Key], selected: Sequence[Selected]) -> None:
        if any(has_table_function(each.expression, self._functions) for each in selected):
            raise KsqlError("Table functions cannot be used with aggregations.")
        makes_windows = self._query.window is not None
        refuse_ungrouped(selected, self._having(), [key.expression for key in keys], self._aggregates, makes_windows)

    def _refuse_aggregates(self, selected: Sequence[Selected]) -> None:
        called = [name for each in selected for name in aggregate_names(each.expression, self._aggregates)]
        names = list(dict.fromkeys(called))
        if names:
            plural = "s" if len(names) > 1 else ""
            raise KsqlError(f"Use of aggregate function{plural} {_and(names)} requires a GROUP BY clause.")
        if self._query.having is not None:
            raise KsqlError("HAVING clause requires a GROUP BY clause.")

    def _values(
        self, keys: Sequence[_Key], selected: Sequence[Selected], table_functions: Sequence[TableFunction]
    ) -> tuple[ResultColumn, ...]:
        types = {**self._types, **{each.name: each.type for each in table_functions}}
        key_expressions = [key.expression for key in keys] if self._sink is not None else []
        return tuple(self._value(each, types) for each in selected if each.expression not in key_expressions)

    def _value(self, each: Selected, types: Mapping[str, SqlType]) -> ResultColumn:
        expression = without_as_value(each.expression)
        return ResultColumn(each.name, expression, self._compiler.selected_type(expression, types))

    def _aggregation(
        self, keys: Sequence[_Key], selected: Sequence[Selected]
    ) -> tuple[Aggregation, tuple[ResultColumn, ...]]:
        source = self._names.sources[0].source
        aggregation, values = analyse_aggregation(
            query=self._query,
            keys=[ResultColumn(key.name, key.expression, key.type) for key in keys],
            selected=selected,
            having=self._having(),
            types=self._types,
            compiler=self._compiler,
            aggregates=self._aggregates,
            is_over_table=source.kind is Kind.TABLE,
            has_window_bounds=source.window is not None,
            keeps_keys=self._sink is None,
        )
        if self._sink is not None:
            refuse_unstorable(aggregation, source)
        return aggregation, values

    def _window(self, rekeying: Rekeying) -> WindowInfo | None:
        if rekeying is Rekeying.NONE:
            return self._names.sources[0].source.window
        if rekeying is Rekeying.GROUP_BY and self._query.window is not None:
            return window_info(self._query.window)
        return None


def _and(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " and " + texts[-1]
