"""SELECT, clause by clause."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.printer import statement_text
from riacho.pipelines.sql.syntax.expressions import (
    Column,
    Comparison,
    Dereference,
    FunctionCall,
    IntegerLiteral,
    NullLiteral,
    StructAll,
)
from riacho.pipelines.sql.syntax.statements import (
    Duration,
    Emit,
    Join,
    JoinKind,
    Ordering,
    Query,
    Relation,
    SelectItem,
    SelectStar,
    Window,
    WindowKind,
    Within,
)

A, B, C = Column("A"), Column("B"), Column("C")
COUNT = FunctionCall("COUNT", ())
MORE = Comparison(">", COUNT, IntegerLiteral(3))
ON = Comparison("=", Column("ID", "L"), Column("ID", "R"))


def seconds(amount: int) -> Duration:
    return Duration(amount, "SECONDS")


def query(**parts: object) -> Query:
    return Query(**{"select": (SelectItem(A),), "source": Relation("S"), **parts})  # type: ignore[arg-type]


def joined(kind: JoinKind, within: Within | None = None) -> Query:
    return Query((SelectStar(),), Relation("L"), (Join(kind, Relation("R"), within, ON),))


FORMS = [
    ("SELECT a FROM s", query()),
    ("SELECT a AS x, b y FROM s", query(select=(SelectItem(A, "X"), SelectItem(B, "Y")))),
    ("SELECT *, s.*, a FROM s", query(select=(SelectStar(), SelectStar("S"), SelectItem(A)))),
    (
        "SELECT a->*, a->b->* FROM s",
        query(select=(SelectItem(StructAll(A)), SelectItem(StructAll(Dereference(A, "B"))))),
    ),
    ("SELECT a FROM s AS x", query(source=Relation("S", "X"))),
    ("SELECT a FROM s x", query(source=Relation("S", "X"))),
    ("SELECT a FROM s WHERE a = 3", query(where=Comparison("=", A, IntegerLiteral(3)))),
    ("SELECT a FROM s GROUP BY a", query(group_by=(A,))),
    ("SELECT a FROM s GROUP BY a, b", query(group_by=(A, B))),
    ("SELECT a FROM s GROUP BY (a, b)", query(group_by=(A, B))),
    ("SELECT a FROM s GROUP BY (a, b), c", query(group_by=(A, B, C))),
    ("SELECT a FROM s GROUP BY (a)", query(group_by=(A,))),
    ("SELECT a FROM s PARTITION BY (a, b)", query(partition_by=(A, B))),
    ("SELECT a FROM s PARTITION BY NULL", query(partition_by=(NullLiteral(),))),
    ("SELECT a FROM s GROUP BY a HAVING COUNT(*) > 3", query(group_by=(A,), having=MORE)),
    ("SELECT a FROM s ORDER BY a, b DESC, c ASC", query(order_by=(Ordering(A), Ordering(B, True), Ordering(C)))),
    ("SELECT a FROM s EMIT CHANGES", query(emit=Emit.CHANGES)),
    ("SELECT a FROM s EMIT FINAL", query(emit=Emit.FINAL)),
    ("SELECT a FROM s LIMIT 5", query(limit=5)),
    ("SELECT a FROM s EMIT CHANGES LIMIT 5", query(emit=Emit.CHANGES, limit=5)),
    ("SELECT a FROM s WINDOW TUMBLING (SIZE 5 SECONDS)", query(window=Window(WindowKind.TUMBLING, seconds(5)))),
    ("SELECT a FROM s WINDOW w TUMBLING (SIZE 5 SECOND)", query(window=Window(WindowKind.TUMBLING, seconds(5)))),
    (
        "SELECT a FROM s WINDOW TUMBLING (SIZE 1 HOUR, RETENTION 2 DAYS, GRACE PERIOD 3 MINUTES)",
        query(
            window=Window(WindowKind.TUMBLING, Duration(1, "HOURS"), None, Duration(2, "DAYS"), Duration(3, "MINUTES"))
        ),
    ),
    (
        "SELECT a FROM s WINDOW HOPPING (SIZE 9 SECONDS, ADVANCE BY 3 SECONDS, GRACE PERIOD 1 SECOND)",
        query(window=Window(WindowKind.HOPPING, seconds(9), seconds(3), None, seconds(1))),
    ),
    ("SELECT a FROM s WINDOW SESSION (30 SECONDS)", query(window=Window(WindowKind.SESSION, seconds(30)))),
    (
        "SELECT a FROM s WINDOW SESSION (30 MILLISECONDS, RETENTION 1 DAY)",
        query(window=Window(WindowKind.SESSION, Duration(30, "MILLISECONDS"), None, Duration(1, "DAYS"))),
    ),
    ("SELECT * FROM l JOIN r ON l.id = r.id", joined(JoinKind.INNER)),
    ("SELECT * FROM l INNER JOIN r ON l.id = r.id", joined(JoinKind.INNER)),
    ("SELECT * FROM l LEFT JOIN r ON l.id = r.id", joined(JoinKind.LEFT)),
    ("SELECT * FROM l LEFT OUTER JOIN r ON l.id = r.id", joined(JoinKind.LEFT)),
    ("SELECT * FROM l RIGHT JOIN r ON l.id = r.id", joined(JoinKind.RIGHT)),
    ("SELECT * FROM l RIGHT OUTER JOIN r ON l.id = r.id", joined(JoinKind.RIGHT)),
    ("SELECT * FROM l FULL JOIN r ON l.id = r.id", joined(JoinKind.FULL)),
    ("SELECT * FROM l FULL OUTER JOIN r ON l.id = r.id", joined(JoinKind.FULL)),
    (
        "SELECT * FROM l JOIN r WITHIN 5 SECONDS ON l.id = r.id",
        joined(JoinKind.INNER, Within(seconds(5), seconds(5))),
    ),
    (
        "SELECT * FROM l JOIN r WITHIN (5 SECONDS, 6 SECONDS) GRACE PERIOD 7 SECONDS ON l.id = r.id",
        joined(JoinKind.INNER, Within(seconds(5), seconds(6), seconds(7))),
    ),
    (
        "SELECT * FROM l JOIN r ON l.id = r.id LEFT JOIN t x WITHIN 1 SECOND GRACE PERIOD 2 SECONDS ON l.id = r.id",
        Query(
            (SelectStar(),),
            Relation("L"),
            (
                Join(JoinKind.INNER, Relation("R"), None, ON),
                Join(JoinKind.LEFT, Relation("T", "X"), Within(seconds(1), seconds(1), seconds(2)), ON),
            ),
        ),
    ),
    (
        "SELECT a FROM s WINDOW TUMBLING (SIZE 5 SECONDS) WHERE a = 3 GROUP BY a HAVING COUNT(*)>3 EMIT FINAL LIMIT 2",
        query(
            window=Window(WindowKind.TUMBLING, seconds(5)),
            where=Comparison("=", A, IntegerLiteral(3)),
            group_by=(A,),
            having=MORE,
            emit=Emit.FINAL,
            limit=2,
        ),
    ),
]


@pytest.mark.parametrize(("text", "expected"), FORMS, ids=[text for text, _ in FORMS])
def test_a_query_is_read_and_its_text_is_read_again(text: str, expected: Query) -> None:
    assert parse_one(text).statement == expected
    assert parse_one(statement_text(expected)).statement == expected


def test_a_query_is_printed_a_clause_a_line() -> None:
    text = "select a, count(*) c from s x where a = 1 group by a emit changes limit 2"
    assert statement_text(parse_one(text).statement) == (
        "SELECT\n  A,\n  COUNT() AS C\nFROM S X\nWHERE (A = 1)\nGROUP BY A\nEMIT CHANGES\nLIMIT 2;"
    )
