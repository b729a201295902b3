"""Cases of the transforms that change the fields of a key or value."""

from __future__ import annotations

from spark.transforms.transform_case import case, row, struct

PERSON = struct(("name", "string"), ("age", "int32"), name="Person", version=2)
ANA = {"name": "Ana", "age": 41}
NESTED = struct(
    ("id", "int64"),
    ("at", struct(("city", "string"), ("geo", struct(("lat", "float64"), ("lon", "float64"))))),
    ("a.b", struct(("c", "int32"))),
)
PLACE = {"id": 1, "at": {"city": "Rio", "geo": {"lat": -22.9, "lon": -43.2}}, "a.b": {"c": 9}}
ALL = struct(
    ("i8", "int8"),
    ("i16", "int16"),
    ("i32", "int32"),
    ("i64", "int64"),
    ("f32", "float32"),
    ("f64", "float64"),
    ("b", "boolean"),
    ("s", "string"),
    ("by", "bytes"),
    ("ts", "timestamp"),
    ("d", "date"),
    ("dec", "decimal"),
    ("arr", {"array": "int32"}),
    ("m", {"map": "int32"}),
    ("st", struct(("x", "int32"))),
)
FULL = {
    "i8": -5,
    "i16": 300,
    "i32": 70000,
    "i64": 5000000000,
    "f32": 1.5,
    "f64": -3.75,
    "b": True,
    "s": "12",
    "by": "AQID",
    "ts": "2024-02-29T13:14:15.678Z",
    "d": "2024-02-29",
    "dec": "12.34",
    "arr": [1, 2],
    "m": {"k": 1},
    "st": {"x": 5},
}
NUMBERS = "i8,i16,i32,i64,f32,f64,b"


def _spec(fields: str, target: str) -> dict[str, str]:
    return {"spec": ",".join(f"{field}:{target}" for field in fields.split(","))}


CAST = "Cast$Value"
CASTS = [
    *(
        case(f"all to {target}", CAST, _spec(f"{NUMBERS},s,ts,d,dec", target), ALL, FULL, {"s": "1"}, None)
        for target in ("int8", "int16", "int32", "int64", "float32", "float64", "boolean")
    ),
    case("all to string", CAST, _spec(f"{NUMBERS},s,by,ts,d,dec", "string"), ALL, FULL, {}, None),
    case(
        "text to int32",
        CAST,
        {"spec": "int32"},
        "string",
        *("12", "+12", "-12", "abc", " 12", "12.5", "2147483648", "", "007", None),
    ),
    case("text to int8", CAST, {"spec": "int8"}, "string", "127", "128", "-128", "-129"),
    case("text to int64", CAST, {"spec": "INT64"}, "string", "9223372036854775807", "9223372036854775808"),
    case(
        "text to float64",
        CAST,
        {"spec": "float64"},
        "string",
        *("1.5", " 1.5 ", "1e3", "1.5f", "NaN", "-Infinity", "inf", "abc", ".5", "5.", "1d2", ""),
    ),
    case("text to float32", CAST, {"spec": "float32"}, "string", "0.1", "1e40", "x"),
    case("text to boolean", CAST, {"spec": "boolean"}, "string", "true", "TRUE", "yes", "1", "", None),
    case("float to int32", CAST, {"spec": "int32"}, "float64", *(1.9, -1.9, 3e10, -3e10, 0.0, 4294967297.0, None)),
    case("float to int8", CAST, {"spec": "int8"}, "float64", 1.9, 300.0, -129.0, 3e10),
    case("float to int64", CAST, {"spec": "int64"}, "float64", 1e19, -1e19, 12345678901.5),
    case("float to boolean", CAST, {"spec": "boolean"}, "float64", 0.5, 1.0, 0.0),
    case("int64 wraps", CAST, {"spec": "int16"}, "int64", 32768, -32769, 65536, 5000000000),
    case("float to string", CAST, {"spec": "string"}, "float64", 1.0, 1e10, 1e-5, 123456.789),
    case(
        "timestamp to string",
        CAST,
        {"spec": "t:string"},
        struct(("t", "timestamp")),
        *({"t": "1970-01-01T01:02:03.004Z"}, {"t": "2024-01-01T00:00:00Z"}, {"t": "1969-01-01T00:00:00.001Z"}),
    ),
    case("bytes to int32", CAST, {"spec": "int32"}, "bytes", "AQID", None),
    case("array field", CAST, {"spec": "arr:string"}, ALL, FULL, {}),
    case("struct field", CAST, {"spec": "st:int32"}, ALL, FULL, {}),
    case("struct whole", CAST, {"spec": "string"}, PERSON, ANA, None),
    case("missing field", CAST, {"spec": "nope:int32,age:string"}, PERSON, ANA, None),
    case("missing field, schemaless", CAST, {"spec": "nope:int32,age:string"}, PERSON, ANA, None, schemaless=True),
    case("fields of text", CAST, {"spec": "a:int32"}, "string", "x", None),
    case("fields of text, schemaless", CAST, {"spec": "a:int32"}, "string", "x", schemaless=True),
    case("key", "Cast$Key", {"spec": "int64"}, "int32", 5, None),
]

EXTRACT = "ExtractField$Value"
V2 = {"field.syntax.version": "V2"}
EXTRACTS = [
    case("a field", EXTRACT, {"field": "age"}, PERSON, ANA, {"name": "B"}, None),
    case("a struct", EXTRACT, {"field": "at"}, NESTED, PLACE),
    case("V1 takes dots as they are", EXTRACT, {"field": "at.city"}, NESTED, PLACE),
    case("V2 nested", EXTRACT, {"field": "at.geo.lat", **V2}, NESTED, PLACE, {"id": 2}, {"at": {}}, None),
    case("V2 backticks", EXTRACT, {"field": "`a.b`.c", **V2}, NESTED, PLACE),
    case("V1 with a dotted name", EXTRACT, {"field": "a.b"}, NESTED, PLACE),
    case("V2 through a number", EXTRACT, {"field": "id.x", **V2}, NESTED, PLACE),
    case("V2 through a number, schemaless", EXTRACT, {"field": "id.x", **V2}, NESTED, PLACE, schemaless=True),
    case("unknown", EXTRACT, {"field": "nope"}, PERSON, ANA, None),
    case("unknown, schemaless", EXTRACT, {"field": "nope"}, PERSON, ANA, None, schemaless=True),
    case("V2 unknown nested", EXTRACT, {"field": "at.nope.x", **V2}, NESTED, PLACE),
    case("of text", EXTRACT, {"field": "a"}, "string", "x", None),
    case("of text, schemaless", EXTRACT, {"field": "a"}, "string", "x", None, schemaless=True),
    case("of a number", EXTRACT, {"field": "a"}, "int64", 5),
    case("key", "ExtractField$Key", {"field": "name"}, PERSON, ANA, None),
]

FLATTEN = "Flatten$Value"
FLATTENS = [
    case("nested", FLATTEN, {}, NESTED, PLACE, {"id": 2}, None),
    case("delimiter", FLATTEN, {"delimiter": "_"}, NESTED, PLACE),
    case("flat already", FLATTEN, {}, PERSON, ANA),
    case("array stays", FLATTEN, {}, struct(("l", {"array": "int32"}), ("s", PERSON)), {"l": [1, 2], "s": ANA}),
    case("map", FLATTEN, {}, struct(("m", {"map": "int32"})), {"m": {"k": 1}}, None),
    case("names meet", FLATTEN, {}, struct(("a.b", "int32"), ("a", struct(("b", "int32")))), {"a.b": 1, "a": {"b": 2}}),
    case("of text", FLATTEN, {}, "string", "x", None),
    case("schemaless", FLATTEN, {}, NESTED, PLACE, None, schemaless=True),
    case("of text, schemaless", FLATTEN, {}, "string", "x", schemaless=True),
    case("key", "Flatten$Key", {}, NESTED, PLACE, None),
]

HOISTS = [
    case("text", "HoistField$Value", {"field": "line"}, "string", "x", ""),
    case("struct", "HoistField$Value", {"field": "p"}, PERSON, ANA),
    case("number, schemaless", "HoistField$Value", {"field": "n"}, "int64", 5, None, schemaless=True),
    case("struct, schemaless", "HoistField$Value", {"field": "p"}, PERSON, ANA, None, schemaless=True),
    case("dotted name", "HoistField$Value", {"field": "a.b"}, "int32", 5),
    case("key", "HoistField$Key", {"field": "id"}, "int32", 5),
    case("array", "HoistField$Value", {"field": "l"}, {"array": "string"}, ["a", "b"]),
]

INSERT = "InsertField$Value"
META = {"topic.field": "t", "partition.field": "p?", "offset.field": "o", "timestamp.field": "ts"}
INSERTS = [
    case("all of them", INSERT, {**META, "static.field": "s", "static.value": "x"}, PERSON, ANA, None),
    case("required", INSERT, {"topic.field": "t!", "partition.field": "p!"}, PERSON, ANA),
    case("no partition, no timestamp", INSERT, META, PERSON, row(ANA, partition=0, timestamp=None)),
    case("schemaless", INSERT, META, PERSON, ANA, None, schemaless=True),
    case("schemaless replaces", INSERT, {"topic.field": "name"}, PERSON, ANA, schemaless=True),
    case("name twice", INSERT, {"topic.field": "name"}, PERSON, ANA, None),
    case("offset of a source", INSERT, {"offset.field": "o"}, PERSON, ANA, None, of_source=True),
    case("of text", INSERT, {"topic.field": "t"}, "string", "x", None),
    case("of text, schemaless", INSERT, {"topic.field": "t"}, "string", "x", schemaless=True),
    case("key", "InsertField$Key", {"static.field": "s", "static.value": "x"}, PERSON, ANA),
    case("nothing configured", INSERT, {}, PERSON, ANA),
]

MASK = "MaskField$Value"
MASKS = [
    case("null values", MASK, {"fields": "i8,i16,i32,i64,f32,f64,b,s,ts,d,arr,m"}, ALL, FULL, {}),
    case("replacement of text", MASK, {"fields": "s", "replacement": "***"}, ALL, FULL, {}),
    case("replacement of numbers", MASK, {"fields": "i8,i16,i32,i64,f32,f64,s", "replacement": "12"}, ALL, FULL),
    case("replacement too large", MASK, {"fields": "i16,i32", "replacement": "70000"}, ALL, FULL),
    case("no number", MASK, {"fields": "i32", "replacement": "abc"}, ALL, FULL, {}, only_fails=True),
    case("bytes", MASK, {"fields": "by"}, ALL, FULL, {}),
    case("struct", MASK, {"fields": "st"}, ALL, FULL, {}),
    case("boolean with replacement", MASK, {"fields": "b", "replacement": "1"}, ALL, FULL),
    case("date with replacement", MASK, {"fields": "ts", "replacement": "1"}, ALL, FULL),
    case("missing field", MASK, {"fields": "nope"}, PERSON, ANA),
    case("missing field, schemaless", MASK, {"fields": "nope,age"}, PERSON, ANA, schemaless=True),
    case("tombstone", MASK, {"fields": "age"}, PERSON, None, ANA),
    case("of text", MASK, {"fields": "age"}, "string", "x", None),
    case("key", "MaskField$Key", {"fields": "age"}, PERSON, ANA),
    case("named twice", MASK, {"fields": "age,age"}, PERSON, ANA),
    case("no fields", MASK, {"fields": ""}, PERSON, ANA),
    case("empty replacement", MASK, {"fields": "age", "replacement": ""}, PERSON, ANA),
]

REPLACE = "ReplaceField$Value"
REPLACES = [
    case("exclude", REPLACE, {"exclude": "age"}, PERSON, ANA, None),
    case("include", REPLACE, {"include": "age,nope"}, PERSON, ANA),
    case("exclude wins", REPLACE, {"include": "age,name", "exclude": "age"}, PERSON, ANA),
    case("renames", REPLACE, {"renames": "age:years,name:n.n"}, PERSON, ANA),
    case("renames swapped", REPLACE, {"renames": "age:name,name:age"}, PERSON, ANA),
    case("renames onto another", REPLACE, {"renames": "age:name"}, PERSON, ANA, None),
    case("nothing", REPLACE, {}, PERSON, ANA),
    case("everything out", REPLACE, {"exclude": "age,name"}, PERSON, ANA),
    case("schemaless", REPLACE, {"exclude": "age", "renames": "name:who"}, PERSON, ANA, None, schemaless=True),
    case("of text", REPLACE, {"exclude": "age"}, "string", "x", None),
    case("of text, schemaless", REPLACE, {"exclude": "age"}, "string", "x", schemaless=True),
    case("key", "ReplaceField$Key", {"exclude": "age"}, PERSON, ANA),
    case("bad rename", REPLACE, {"renames": "age"}, PERSON, ANA),
]

CASES = [*CASTS, *EXTRACTS, *FLATTENS, *HOISTS, *INSERTS, *MASKS, *REPLACES]
