"""Statements as they were written: one frozen class each.

`properties` are what stands in WITH (...), keys in upper case.
"""

# Long because: a class a statement, few lines each, and a catalogue of them is read by name.
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from riacho.pipelines.sql.syntax.expressions import Expression, Location, TypeName

PropertyValue: TypeAlias = str | int | float | bool | None
"""Numbers with a point are strings of their text, so that nothing is lost."""
Properties: TypeAlias = Mapping[str, PropertyValue]


class Kind(Enum):
    STREAM = "STREAM"
    TABLE = "TABLE"


class Constraint(Enum):
    NONE = ""
    KEY = "KEY"
    PRIMARY_KEY = "PRIMARY KEY"
    HEADERS = "HEADERS"


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """`header_key` for HEADER('key'); HEADERS alone has none."""

    name: str
    type: TypeName
    constraint: Constraint = Constraint.NONE
    header_key: str | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


# Queries


@dataclass(frozen=True, slots=True)
class SelectStar:
    """`*`, or `source.*`."""

    source: str | None = None


@dataclass(frozen=True, slots=True)
class SelectItem:
    expression: Expression
    alias: str | None = None


SelectPart: TypeAlias = SelectStar | SelectItem


@dataclass(frozen=True, slots=True)
class Duration:
    """`unit` is one of DAYS HOURS MINUTES SECONDS MILLISECONDS (singular is read as plural)."""

    amount: int
    unit: str

    @property
    def milliseconds(self) -> int:
        return self.amount * _MILLISECONDS[self.unit]


_MILLISECONDS = {"DAYS": 86_400_000, "HOURS": 3_600_000, "MINUTES": 60_000, "SECONDS": 1_000, "MILLISECONDS": 1}


class WindowKind(Enum):
    TUMBLING = "TUMBLING"
    HOPPING = "HOPPING"
    SESSION = "SESSION"


@dataclass(frozen=True, slots=True)
class Window:
    """`size` is a session's gap. `advance` of a hopping window only."""

    kind: WindowKind
    size: Duration
    advance: Duration | None = None
    retention: Duration | None = None
    grace: Duration | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    name: str
    alias: str | None = None
    at: Location | None = field(default=None, compare=False, repr=False)


class JoinKind(Enum):
    INNER = "INNER"
    LEFT = "LEFT OUTER"
    RIGHT = "RIGHT OUTER"
    FULL = "FULL OUTER"


@dataclass(frozen=True, slots=True)
class Within:
    before: Duration
    after: Duration
    grace: Duration | None = None


@dataclass(frozen=True, slots=True)
class Join:
    kind: JoinKind
    right: Relation
    within: Within | None
    on: Expression


class Emit(Enum):
    """NONE is a pull query, where a query stands alone."""

    NONE = ""
    CHANGES = "CHANGES"
    FINAL = "FINAL"


@dataclass(frozen=True, slots=True)
class Ordering:
    """Of pull queries: ksqlDB has no ORDER BY."""

    expression: Expression
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    select: tuple[SelectPart, ...]
    source: Relation
    joins: tuple[Join, ...] = ()
    window: Window | None = None
    where: Expression | None = None
    group_by: tuple[Expression, ...] = ()
    partition_by: tuple[Expression, ...] = ()
    having: Expression | None = None
    order_by: tuple[Ordering, ...] = ()
    emit: Emit = Emit.NONE
    limit: int | None = None


# Definitions


@dataclass(frozen=True, slots=True)
class CreateSource:
    """CREATE [OR REPLACE] [SOURCE] STREAM | TABLE name (columns) WITH (...)."""

    kind: Kind
    name: str
    columns: tuple[ColumnDefinition, ...]
    properties: Properties
    or_replace: bool = False
    if_not_exists: bool = False
    is_source: bool = False


@dataclass(frozen=True, slots=True)
class CreateAsSelect:
    kind: Kind
    name: str
    query: Query
    properties: Properties = field(default_factory=dict)
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class InsertInto:
    target: str
    query: Query
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InsertValues:
    target: str
    columns: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class DeleteFrom:
    """DELETE FROM table WHERE key = ...: beyond ksqlDB."""

    target: str
    where: Expression


@dataclass(frozen=True, slots=True)
class DropSource:
    kind: Kind
    name: str
    if_exists: bool = False
    delete_topic: bool = False


@dataclass(frozen=True, slots=True)
class AlterSource:
    kind: Kind
    name: str
    columns: tuple[ColumnDefinition, ...]


@dataclass(frozen=True, slots=True)
class CreateType:
    name: str
    type: TypeName
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropType:
    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateConnector:
    """`type` is SOURCE or SINK."""

    type: str
    name: str
    properties: Properties
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropConnector:
    name: str
    if_exists: bool = False


# Asking


class Listed(Enum):
    """What SHOW and LIST can name."""

    STREAMS = "STREAMS"
    TABLES = "TABLES"
    TOPICS = "TOPICS"
    QUERIES = "QUERIES"
    FUNCTIONS = "FUNCTIONS"
    PROPERTIES = "PROPERTIES"
    TYPES = "TYPES"
    VARIABLES = "VARIABLES"
    CONNECTORS = "CONNECTORS"
    SOURCE_CONNECTORS = "SOURCE CONNECTORS"
    SINK_CONNECTORS = "SINK CONNECTORS"
    CONNECTOR_PLUGINS = "CONNECTOR PLUGINS"


@dataclass(frozen=True, slots=True)
class Show:
    """`show_all` of SHOW ALL TOPICS; `is_extended` of STREAMS, TABLES, TOPICS and QUERIES."""

    what: Listed
    is_extended: bool = False
    show_all: bool = False


@dataclass(frozen=True, slots=True)
class Describe:
    name: str
    is_extended: bool = False


@dataclass(frozen=True, slots=True)
class DescribeAll:
    """DESCRIBE STREAMS | TABLES [EXTENDED]."""

    kind: Kind
    is_extended: bool = False


@dataclass(frozen=True, slots=True)
class DescribeFunction:
    name: str


@dataclass(frozen=True, slots=True)
class DescribeConnector:
    name: str


@dataclass(frozen=True, slots=True)
class Explain:
    """A query's id, or a statement."""

    query_id: str | None = None
    statement: Statement | None = None


@dataclass(frozen=True, slots=True)
class PrintTopic:
    topic: str
    from_beginning: bool = False
    interval: int | None = None
    limit: int | None = None


# Queries that run


@dataclass(frozen=True, slots=True)
class Terminate:
    """`query_id` is None for ALL; of Pause and Resume too."""

    query_id: str | None


@dataclass(frozen=True, slots=True)
class Pause:
    query_id: str | None


@dataclass(frozen=True, slots=True)
class Resume:
    query_id: str | None


# Sessions


@dataclass(frozen=True, slots=True)
class SetProperty:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class UnsetProperty:
    name: str


@dataclass(frozen=True, slots=True)
class AlterSystem:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class DefineVariable:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class UndefineVariable:
    name: str


@dataclass(frozen=True, slots=True)
class RunScript:
    path: str


# Assertions


@dataclass(frozen=True, slots=True)
class AssertTopic:
    topic: str
    properties: Properties = field(default_factory=dict)
    exists: bool = True
    timeout: Duration | None = None


@dataclass(frozen=True, slots=True)
class AssertSchema:
    subject: str | None
    schema_id: int | None
    exists: bool = True
    timeout: Duration | None = None


@dataclass(frozen=True, slots=True)
class AssertValues:
    """ASSERT VALUES / ASSERT NULL VALUES, of test scripts."""

    target: str
    columns: tuple[str, ...]
    values: tuple[Expression, ...]
    is_tombstone: bool = False


@dataclass(frozen=True, slots=True)
class AssertSource:
    """ASSERT STREAM | TABLE, of test scripts."""

    statement: CreateSource


Statement: TypeAlias = (
    Query
    | CreateSource
    | CreateAsSelect
    | InsertInto
    | InsertValues
    | DeleteFrom
    | DropSource
    | AlterSource
    | CreateType
    | DropType
    | CreateConnector
    | DropConnector
    | Show
    | Describe
    | DescribeAll
    | DescribeFunction
    | DescribeConnector
    | Explain
    | PrintTopic
    | Terminate
    | Pause
    | Resume
    | SetProperty
    | UnsetProperty
    | AlterSystem
    | DefineVariable
    | UndefineVariable
    | RunScript
    | AssertTopic
    | AssertSchema
    | AssertValues
    | AssertSource
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement with its text, as it stood in a script (without the semicolon's surroundings)."""

    statement: Statement
    text: str
    at: Location
