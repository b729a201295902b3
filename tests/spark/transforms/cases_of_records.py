"""Cases of the transforms that change topics, headers, keys, schemas and timestamps; and of predicates."""

from __future__ import annotations

from spark.transforms.cases_of_fields import ALL, ANA, FULL, PERSON
from spark.transforms.transform_case import TIMESTAMP, case, row, struct

H = [("a", "1"), ("b", "2"), ("a", "3")]
HEADERS = [
    case("one", "DropHeaders", {"headers": "a"}, "string", row("x", headers=H), row(None, headers=[("b", "1")])),
    case("several", "DropHeaders", {"headers": "a,b"}, "string", row("x", headers=H)),
    case("none of that name", "DropHeaders", {"headers": "c"}, "string", row("x", headers=H), "y"),
    case("case matters", "DropHeaders", {"headers": "A"}, "string", row("x", headers=H)),
    case("empty list", "DropHeaders", {"headers": ""}, "string", "x"),
    *(
        case(
            f"literal {literal}",
            "InsertHeader",
            {"header": "h", "value.literal": literal},
            "string",
            row("x", headers=H),
        )
        for literal in ("abc", "1", "0010", "1.50", "1e3", "true", '"q"', "[1, 2]", "2024-02-29", "0.1234567890123", "")
    ),
    case("tombstone", "InsertHeader", {"header": "h", "value.literal": "x"}, "string", None),
    case("no literal", "InsertHeader", {"header": "h"}, "string", "x"),
]

FROM = "HeaderFrom$Value"


def _headers(fields: str, operation: str) -> dict[str, str]:
    return {"fields": fields, "headers": ",".join(f"h-{name}" for name in fields.split(",")), "operation": operation}


HEADERS_FROM = [
    case("copy", FROM, _headers("name,age", "copy"), PERSON, row(ANA, headers=H), {"name": "B"}),
    case("move", FROM, _headers("age", "move"), PERSON, row(ANA, headers=H)),
    case("all types", FROM, _headers("i8,i64,f32,f64,b,s,by,ts,d,dec,arr,m", "copy"), ALL, FULL, {}),
    case("missing field", FROM, _headers("nope", "copy"), PERSON, ANA, only_fails=True),
    case("missing field, schemaless", FROM, _headers("nope,age", "move"), PERSON, ANA, schemaless=True),
    case("tombstone", FROM, _headers("age", "move"), PERSON, None, ANA),
    case("of text", FROM, _headers("age", "copy"), "string", "x", None),
    case("of text, schemaless", FROM, _headers("age", "copy"), "string", "x", schemaless=True),
    case("key", "HeaderFrom$Key", _headers("age", "move"), PERSON, ANA),
    case("counts differ", FROM, {"fields": "a,b", "headers": "h", "operation": "move"}, PERSON, ANA),
    case("operation", FROM, {"fields": "a", "headers": "h", "operation": "take"}, PERSON, ANA),
]

ROUTER = "RegexRouter"


def _routes(regex: str, replacement: str, *topics: str) -> object:
    rows = [row("x", topic=topic) for topic in topics]
    return case(f"{regex} to {replacement}", ROUTER, {"regex": regex, "replacement": replacement}, "string", *rows)


ROUTES = [
    _routes("ord.*", "o", "orders", "my-orders"),
    _routes("(.*)-(\\d+)", "$2.$1", "orders-7", "orders"),
    _routes("(?<kind>[a-z]+)-.*", "${kind}!", "orders-7", "Orders-7"),
    _routes("a|ab", "x", "ab", "a", "abc"),
    _routes("orders", "a\\$b", "orders"),
    _routes("orders", "$5", "orders", "other"),
    _routes("orders", "$", "orders"),
    _routes("orders", "a\\", "orders"),
    _routes("(?i)ORDERS", "up", "orders"),
    _routes("[^(]+(s)", "$1$1", "orders"),
    _routes("\\Q(\\E.*", "q", "(x", "x"),
    case("open bracket", ROUTER, {"regex": "(", "replacement": "x"}, "string", "x", only_fails=True),
]

STAMPS = [
    case("defaults", "TimestampRouter", {}, "string", "x", row(None)),
    *(
        case(pattern, "TimestampRouter", {"topic.format": "${timestamp}", "timestamp.format": pattern}, "string", *rows)
        for pattern in (
            "yyyy-MM-dd'T'HH:mm:ss.SSS",
            "yy M d H m s S",
            "EEE, EEEE MMM MMMM a h hh K k kk",
            "D DDD F u dd ddd SSSSSS",
            "z zzzz Z X G ''yyyy''",
        )
        for rows in [
            [row("x"), row("x", timestamp="2023-12-31T00:00:00.005Z"), row("x", timestamp="1969-07-20T20:17:40Z")]
        ]
    ),
    case(
        "both", "TimestampRouter", {"topic.format": "${topic}.${timestamp}.${topic}"}, "string", row("x", topic="a$1")
    ),
    case("no timestamp", "TimestampRouter", {}, "string", row("x", timestamp=None), "y", only_fails=True),
]

CONVERT = "TimestampConverter$Value"
MOMENT = struct(("t", "string"), ("u", "int64"), ("ts", "timestamp"), ("d", "date"), ("tm", "time"), ("n", "int32"))
NOW = {"t": "2024-02-29 13:14:15", "u": 1709212455678, "ts": TIMESTAMP, "d": "2024-02-29", "tm": 3723004, "n": 5}
FORMAT = {"format": "yyyy-MM-dd HH:mm:ss"}
CONVERSIONS = [
    *(
        case(f"{field} to {target}", CONVERT, {"field": field, "target.type": target, **FORMAT}, MOMENT, NOW, {}, None)
        for field in ("t", "u", "ts", "d", "tm")
        for target in ("string", "unix", "Date", "Time", "Timestamp")
    ),
    *(
        case(
            f"{precision} to Timestamp",
            CONVERT,
            {"target.type": "Timestamp", "unix.precision": precision},
            "int64",
            1709212455,
            -1500,
        )
        for precision in ("seconds", "milliseconds", "microseconds", "nanoseconds")
    ),
    *(
        case(
            f"to {precision}",
            CONVERT,
            {"target.type": "unix", "unix.precision": precision},
            "timestamp",
            TIMESTAMP,
            "1969-12-31T23:59:58.500Z",
        )
        for precision in ("seconds", "milliseconds", "microseconds", "nanoseconds")
    ),
    *(
        case(f"parses {pattern}", CONVERT, {"target.type": "Timestamp", "format": pattern}, "string", *texts)
        for pattern, texts in {
            "yyyy-MM-dd": ("2024-02-29", "2024-2-9", "2024-13-45", "2024-02-29 and more", "24-02", "x", "", None),
            "yyyyMMddHHmmss": ("20240229131415", "2024022913"),
            "dd MMM yyyy hh:mm a": ("29 Feb 2024 01:14 PM", "29 february 2024 12:00 am", "29 Foo 2024 01:14 PM"),
            "yyyy-MM-dd'T'HH:mm:ss.SSSX": ("2024-02-29T13:14:15.678Z", "2024-02-29T13:14:15.5+02", "2024-02-29T13:14"),
            "yyyy-MM-dd HH:mm:ss Z": ("2024-02-29 13:14:15 -0330", "2024-02-29 13:14:15 +0000"),
            "yyyy DDD": ("2024 060", "2023 366"),
        }.items()
    ),
    case("unparsable field", CONVERT, {"field": "t", "target.type": "unix", **FORMAT}, MOMENT, {"t": "soon"}, NOW),
    case("text without a format", CONVERT, {"field": "t", "target.type": "unix"}, MOMENT, NOW, {}, only_fails=True),
    case("an int32 is none", CONVERT, {"field": "n", "target.type": "unix"}, MOMENT, NOW, only_fails=True),
    case("an int32 is none, schemaless", CONVERT, {"field": "n", "target.type": "unix"}, MOMENT, NOW, schemaless=True),
    case("missing field", CONVERT, {"field": "no", "target.type": "unix"}, PERSON, ANA, None),
    case(
        "missing field, schemaless", CONVERT, {"field": "no", "target.type": "unix"}, PERSON, ANA, None, schemaless=True
    ),
    case("field of text", CONVERT, {"field": "no", "target.type": "unix"}, "string", "x", None),
    case("key", "TimestampConverter$Key", {"target.type": "Date"}, "int64", 1709212455678, None),
    case("no format", CONVERT, {"target.type": "string"}, "int64", 1),
    case("target", CONVERT, {"target.type": "Instant"}, "int64", 1),
    case("bad format", CONVERT, {"target.type": "string", "format": "bogus"}, "int64", 1, only_fails=True),
]

SCHEMAS = [
    case("name", "SetSchemaMetadata$Value", {"schema.name": "Q"}, PERSON, ANA),
    case("version", "SetSchemaMetadata$Value", {"schema.version": "9"}, PERSON, ANA),
    case("both", "SetSchemaMetadata$Value", {"schema.name": "Q", "schema.version": "9"}, PERSON, ANA),
    case("schemaless", "SetSchemaMetadata$Value", {"schema.name": "Q"}, PERSON, ANA, None, schemaless=True),
    case("key", "SetSchemaMetadata$Key", {"schema.name": "Q"}, PERSON, ANA),
    case("neither", "SetSchemaMetadata$Value", {}, PERSON, ANA),
    case("version is no number", "SetSchemaMetadata$Value", {"schema.version": "x"}, PERSON, ANA),
]

KEYS = [
    case("one", "ValueToKey", {"fields": "age"}, PERSON, ANA, {"name": "B"}),
    case("order is theirs", "ValueToKey", {"fields": "age,name"}, PERSON, ANA),
    case("missing", "ValueToKey", {"fields": "age,nope"}, PERSON, ANA, None),
    case("missing, schemaless", "ValueToKey", {"fields": "age,nope"}, PERSON, ANA, schemaless=True),
    case("tombstone", "ValueToKey", {"fields": "age"}, PERSON, None, ANA),
    case("of text", "ValueToKey", {"fields": "age"}, "string", "x", None),
    case("nested", "ValueToKey", {"fields": "p"}, struct(("p", PERSON)), {"p": ANA}),
    case("empty item", "ValueToKey", {"fields": "age,,name"}, PERSON, ANA),
]


def _if(type: str, negate: bool = False, **config: str) -> dict[str, object]:
    return {"predicate": {"type": type, "config": config, "negate": negate}}


TOPICS = [row(ANA, topic="orders"), row(ANA, topic="my-orders"), row(None, topic="orders", headers=[("a", "1")])]
PREDICATES = [
    case("all", "Filter", {}, PERSON, *TOPICS),
    case("tombstones", "Filter", {}, PERSON, *TOPICS, **_if("RecordIsTombstone")),
    case("all but tombstones", "Filter", {}, PERSON, *TOPICS, **_if("RecordIsTombstone", True)),
    case("by topic", "Filter", {}, PERSON, *TOPICS, **_if("TopicNameMatches", pattern="ord.*")),
    case("not by topic", "Filter", {}, PERSON, *TOPICS, **_if("TopicNameMatches", True, pattern="ord.*")),
    case("by a part of the topic", "Filter", {}, PERSON, *TOPICS, **_if("TopicNameMatches", pattern="ord")),
    case("by header", "Filter", {}, PERSON, *TOPICS, **_if("HasHeaderKey", name="a")),
    case("without header", "Filter", {}, PERSON, *TOPICS, **_if("HasHeaderKey", True, name="a")),
    case("header of another case", "Filter", {}, PERSON, *TOPICS, **_if("HasHeaderKey", name="A")),
    case(
        "routes some", "RegexRouter", {"regex": ".*", "replacement": "x"}, PERSON, *TOPICS, **_if("RecordIsTombstone")
    ),
    case("masks some", "MaskField$Value", {"fields": "age"}, PERSON, *TOPICS, **_if("RecordIsTombstone", True)),
    case(
        "name for all",
        "SetSchemaMetadata$Value",
        {"schema.name": "Q"},
        PERSON,
        ANA,
        **_if("TopicNameMatches", pattern=".*"),
    ),
    case("text for none", "Cast$Value", {"spec": "string"}, PERSON, ANA, **_if("RecordIsTombstone")),
]

CASES = [*HEADERS, *HEADERS_FROM, *ROUTES, *STAMPS, *CONVERSIONS, *SCHEMAS, *KEYS, *PREDICATES]
