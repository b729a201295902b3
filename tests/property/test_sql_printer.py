"""Whatever statement there is, its text is parsed as that statement: names, literals and clauses at random."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.pipelines.sql import types
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.keywords import KEYWORDS, UNITS
from riacho.pipelines.sql.parsing.parser import parse_expression, parse_one, parse_script, parse_type
from riacho.pipelines.sql.printer import expression_text, statement_text, type_text
from riacho.pipelines.sql.syntax import expressions as e
from riacho.pipelines.sql.syntax import statements as s

words = st.sampled_from(sorted(KEYWORDS | set(UNITS)))
odd = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
names = st.one_of(st.sampled_from(["A", "B2", "_C", "lower", "with space", "a.b", "`", '"', "1A", "é"]), words, odd)
variables = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
texts = st.one_of(st.sampled_from(["", "'", "a'b", "--", "/*", ";", "${x}", "\n"]), odd)
integers = st.integers(-(2**31), 2**31 - 1)
longs = st.one_of(st.integers(2**31, 2**63 - 1), st.integers(-(2**63), -(2**31) - 1))
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=2).map(lambda each: f"{each:f}")
doubles = st.floats(allow_nan=False, allow_infinity=False).map(lambda each: f"{each:.3e}")

known = st.one_of(
    st.sampled_from([types.BOOLEAN, types.INTEGER, types.BIGINT, types.DOUBLE, types.STRING, types.BYTES])
    | st.sampled_from([types.TIME, types.DATE, types.TIMESTAMP]),
    st.tuples(st.integers(1, 38), st.integers(0, 1)).map(lambda pair: types.Decimal(*pair)),
).map(e.KnownType)
customs = names.filter(lambda name: name not in ("INT", "VARCHAR", "DEC", "DECIMAL")).map(e.CustomType)
type_names = st.recursive(
    known | customs.filter(lambda each: each.name not in types.Base.__members__),
    lambda inner: st.one_of(
        inner.map(e.ArrayName),
        st.builds(e.MapName, inner, inner),
        st.lists(st.tuples(names, inner), max_size=3, unique_by=lambda pair: pair[0]).map(tuple).map(e.StructName),
    ),
    max_leaves=6,
)

literals = st.one_of(
    st.just(e.NullLiteral()),
    st.booleans().map(e.BooleanLiteral),
    integers.map(e.IntegerLiteral),
    longs.map(e.LongLiteral),
    decimals.map(e.DecimalLiteral),
    doubles.map(e.DoubleLiteral),
    texts.map(e.StringLiteral),
)
columns = st.builds(e.Column, names, st.none() | names)
_NUMBERS = (e.IntegerLiteral, e.LongLiteral, e.DecimalLiteral, e.DoubleLiteral)


def _compound(inner: st.SearchStrategy[e.Expression]) -> st.SearchStrategy[e.Expression]:
    many = st.lists(inner, min_size=1, max_size=3).map(tuple)
    operands = st.lists(inner, min_size=2, max_size=30).map(tuple)
    whens = st.lists(st.builds(e.When, inner, inner), min_size=1, max_size=2).map(tuple)
    # A number with a sign is read as a number.
    signed = inner.filter(lambda each: not isinstance(each, _NUMBERS))
    comparisons = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
    return st.one_of(
        st.builds(_chain, st.just(e.Arithmetic), st.sampled_from("+-*/%"), operands),
        st.builds(e.Comparison, comparisons, inner, inner),
        st.builds(_chain, st.just(e.Logical), st.sampled_from(["AND", "OR"]), operands),
        st.builds(e.Sign, st.sampled_from("+-"), signed),
        inner.map(e.Not),
        inner.map(e.IsNull),
        inner.map(e.IsNotNull),
        st.builds(e.Between, inner, inner, inner),
        st.builds(e.In, inner, many),
        st.builds(e.Like, inner, inner, st.none() | st.sampled_from("!'%")),
        st.builds(e.SearchedCase, whens, st.none() | inner),
        st.builds(e.SimpleCase, inner, whens, st.none() | inner),
        st.builds(e.Cast, inner, type_names),
        st.builds(e.FunctionCall, names.map(str.upper), st.lists(inner, max_size=3).map(tuple)),
        st.builds(
            _unit_call, st.sampled_from(["TIMESTAMPADD", "DATESUB"]), st.sampled_from(sorted(UNITS.values())), inner
        ),
        st.builds(_lambda_call, st.lists(names, min_size=1, max_size=2, unique=True).map(tuple), inner),
        st.builds(e.Subscript, inner, inner),
        st.builds(e.Dereference, inner, names),
        st.lists(inner, max_size=3).map(tuple).map(e.CreateArray),
        st.lists(st.tuples(inner, inner), max_size=2).map(tuple).map(e.CreateMap),
        st.lists(st.tuples(names, inner), max_size=2).map(tuple).map(e.CreateStruct),
    )


def _chain(kind: type[e.Arithmetic | e.Logical], operator: str, operands: tuple[e.Expression, ...]) -> e.Expression:
    """As it is read: what a chain begins with is none of its own operator."""
    first = operands[0]
    is_same = isinstance(first, kind) and first.operator == operator
    return kind(operator, (*first.operands, *operands[1:]) if is_same else operands)


def _unit_call(name: str, unit: str, argument: e.Expression) -> e.Expression:
    return e.FunctionCall(name, (e.IntervalUnit(unit), argument))


def _lambda_call(parameters: tuple[str, ...], argument: e.Expression) -> e.Expression:
    body = e.Arithmetic("+", (e.LambdaVariable(parameters[-1]), e.Column("NOT_BOUND", "S")))
    return e.FunctionCall("TRANSFORM", (argument, e.LambdaFunction(parameters, body)))


expressions = st.recursive(literals | columns, _compound, max_leaves=8)

durations = st.builds(s.Duration, st.integers(0, 10**6), st.sampled_from(["DAYS", "HOURS", "SECONDS", "MILLISECONDS"]))
maybe_durations = st.none() | durations
windows = st.one_of(
    st.builds(s.Window, st.just(s.WindowKind.TUMBLING), durations, st.none(), maybe_durations, maybe_durations),
    st.builds(s.Window, st.just(s.WindowKind.HOPPING), durations, durations, maybe_durations, maybe_durations),
    st.builds(s.Window, st.just(s.WindowKind.SESSION), durations, st.none(), maybe_durations, maybe_durations),
)
relations = st.builds(s.Relation, names, st.none() | names)
joins = st.builds(
    s.Join,
    st.sampled_from(s.JoinKind),
    relations,
    st.none() | st.builds(s.Within, durations, durations, maybe_durations),
    expressions,
)
parts = st.one_of(
    st.builds(s.SelectStar, st.none() | names),
    st.builds(s.SelectItem, expressions, st.none() | names),
    st.builds(s.SelectItem, columns.map(e.StructAll)),
)
limits = st.none() | st.integers(0, 10**9)
queries = st.builds(
    s.Query,
    st.lists(parts, min_size=1, max_size=3).map(tuple),
    relations,
    st.lists(joins, max_size=2).map(tuple),
    st.none() | windows,
    st.none() | expressions,
    st.lists(expressions, max_size=2).map(tuple),
    st.lists(expressions, max_size=2).map(tuple),
    st.none() | expressions,
    st.lists(st.builds(s.Ordering, expressions, st.booleans()), max_size=2).map(tuple),
    st.sampled_from(s.Emit),
    limits,
)

values = st.one_of(texts, st.integers(-(2**63) + 1, 2**63 - 1), st.booleans(), st.none())
properties = st.dictionaries(names.map(str.upper), values, max_size=3)
definitions = st.one_of(
    st.builds(s.ColumnDefinition, names, type_names, st.sampled_from(s.Constraint)),
    st.builds(s.ColumnDefinition, names, type_names, st.just(s.Constraint.HEADERS), texts),
)
kinds = st.sampled_from(s.Kind)
sources = st.builds(
    s.CreateSource,
    kinds,
    names,
    st.lists(definitions, max_size=3).map(tuple),
    properties,
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
plain_sources = st.builds(s.CreateSource, kinds, names, st.lists(definitions, max_size=2).map(tuple), properties)
rows = (names, st.lists(names, max_size=2).map(tuple), st.lists(expressions, min_size=1, max_size=3).map(tuple))
query_ids = st.none() | names
statements = st.one_of(
    queries,
    sources,
    st.builds(s.CreateAsSelect, kinds, names, queries, properties, st.booleans(), st.booleans()),
    st.builds(s.InsertInto, names, queries, properties),
    st.builds(s.InsertValues, *rows),
    st.builds(s.DeleteFrom, names, expressions),
    st.builds(s.DropSource, kinds, names, st.booleans(), st.booleans()),
    st.builds(
        s.AlterSource,
        kinds,
        names,
        st.lists(st.builds(s.ColumnDefinition, names, type_names), min_size=1, max_size=2).map(tuple),
    ),
    st.builds(s.CreateType, names, type_names, st.booleans()),
    st.builds(s.DropType, names, st.booleans()),
    st.builds(
        s.CreateConnector,
        st.sampled_from(["SOURCE", "SINK"]),
        names,
        st.dictionaries(texts, values, min_size=1, max_size=2),
        st.booleans(),
    ),
    st.builds(s.DropConnector, names, st.booleans()),
    st.sampled_from(s.Listed).map(s.Show),
    st.builds(s.Show, st.just(s.Listed.TOPICS), st.booleans(), st.booleans()),
    st.builds(s.Describe, names, st.booleans()),
    st.builds(s.DescribeAll, kinds, st.booleans()),
    names.map(s.DescribeFunction),
    names.map(s.DescribeConnector),
    names.map(s.Explain),
    st.builds(s.Explain, st.none(), queries),
    st.builds(s.PrintTopic, texts, st.booleans(), limits, limits),
    query_ids.map(s.Terminate),
    query_ids.map(s.Pause),
    query_ids.map(s.Resume),
    st.builds(s.SetProperty, texts, texts),
    texts.map(s.UnsetProperty),
    st.builds(s.AlterSystem, texts, texts),
    st.builds(s.DefineVariable, variables, texts),
    variables.map(s.UndefineVariable),
    texts.map(s.RunScript),
    st.builds(s.AssertTopic, texts, properties, st.booleans(), maybe_durations),
    st.builds(s.AssertSchema, st.none() | texts, st.none() | st.integers(0, 99), st.booleans(), maybe_durations),
    st.builds(s.AssertValues, *rows, st.booleans()),
    plain_sources.map(s.AssertSource),
)


@given(expressions)
@settings(max_examples=400, deadline=None)
def test_an_expression_is_parsed_as_it_was_printed(expression: e.Expression) -> None:
    assert parse_expression(expression_text(expression)) == expression


@given(type_names)
@settings(max_examples=100, deadline=None)
def test_a_type_is_parsed_as_it_was_printed(kind: e.TypeName) -> None:
    assert parse_type(type_text(kind)) == kind


@given(statements)
@settings(max_examples=600, deadline=None)
def test_a_statement_is_parsed_as_it_was_printed(statement: s.Statement) -> None:
    text = statement_text(statement)
    parsed = parse_one(text, require_terminator=True)
    assert parsed.statement == statement
    assert parsed.text == text


@given(st.lists(statements, max_size=3))
@settings(max_examples=50, deadline=None)
def test_a_script_is_its_statements(several: list[s.Statement]) -> None:
    script = "\n-- a comment; with a semicolon\n".join(map(statement_text, several))
    assert [each.statement for each in parse_script(script)] == several


_SIGNS = ("a", "1", "'x'", "`y`", "(", ")", "[", "]", "<", ">", ",", ".", "->", "=>", ":=", "*")
_PIECES = [*sorted(KEYWORDS), *_SIGNS]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join) | odd)
@settings(max_examples=400, deadline=None)
def test_any_text_is_statements_or_one_sentence(text: str) -> None:
    try:
        parse_script(text)
        message = "line 1:1: none"
    except KsqlError as error:
        message = error.message
    assert message.startswith("line ")
    assert len(message) < 1_000
    assert "_" not in message.partition("Expecting")[2]
