"""Avro schemas with `arg.properties` as recipes for made-up records: the language of avro-random-generator.

    {"type": "int", "arg.properties": {"range": {"min": 1, "max": 5}}}          options, regex, range, iteration,
    {"type": "string", "arg.properties": {"regex": "User_[1-9]"}}               length, odds, prefix, suffix, keys

A record is a function of (seed, task, index) and nothing else, so that it can be made again: `iteration` counts by the
index, everything else is drawn from a source seeded with them.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from riacho.base.config import ConfigError
from riacho.pipelines.connectors.datagen.regex import RegexText

if TYPE_CHECKING:
    import pyarrow as pa

Draw = Callable[[random.Random, int], Any]

_PROPERTIES = "arg.properties"
_INTEGERS = {"int": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
_FLOATS = ("float", "double")
_LENGTH = (1, 16)
_LETTERS = string.ascii_letters + string.digits
_EPOCH = dt.datetime.fromtimestamp(0, dt.UTC)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a value is made, and its Arrow type by name of a function of pyarrow, deferred: checking needs no Arrow."""

    draw: Draw
    arrow: Callable[[], pa.DataType]


def record_recipe(text: str) -> tuple[Recipe, list[str]]:
    """The recipe of a record schema and the names of its fields; ConfigError when it is none."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"The schema is not JSON: {error}") from None
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise ConfigError("The schema must be an Avro record")
    return recipe(schema, {}), [field["name"] for field in schema["fields"]]


def record_at(made: Recipe, seed: str, task: int, index: int) -> Any:
    return made.draw(random.Random(f"{seed}/{task}/{index}"), index)


def recipe(schema: Any, known: dict[str, Any]) -> Recipe:
    """`known` are the named types so far."""
    if isinstance(schema, str):
        schema = known.get(schema, {"type": schema})
    if isinstance(schema, list):
        return _union(schema, known)
    if not isinstance(schema, dict) or "type" not in schema:
        raise ConfigError(f"{json.dumps(schema)} is no Avro type")
    kind = schema["type"]
    if isinstance(kind, dict | list):
        return recipe(kind, known)
    if kind in known:
        return recipe(known[kind], known)
    if "name" in schema and kind in ("record", "enum", "fixed"):
        known[schema["name"]] = schema
    properties = schema.get(_PROPERTIES, {})
    plain = _plain(kind, schema, properties, known)
    return Recipe(_chosen(plain.draw, kind, schema, properties), plain.arrow)


def _chosen(draw: Draw, kind: str, schema: Mapping[str, Any], properties: Mapping[str, Any]) -> Draw:
    """`options` and `iteration` go before whatever the type itself would make."""
    fit = _fitting(kind, schema)
    if "options" in properties:
        options = properties["options"]
        if not isinstance(options, list) or not options:
            raise ConfigError("options must be a list with something in it")
        fitted = [fit(option) for option in options]
        return lambda source, index: source.choice(fitted)
    if "iteration" in properties:
        return _iteration(properties["iteration"], fit)
    return lambda source, index: fit(draw(source, index))


def _iteration(given: Mapping[str, Any], fit: Callable[[Any], Any]) -> Draw:
    start, step = given.get("start", 0), given.get("step", 1)
    restart, initial = given.get("restart"), given.get("initial", start)
    if step == 0 or (restart is not None and restart == start):
        raise ConfigError("iteration must have a step that is not 0 and a restart that is not its start")
    if restart is None:
        return lambda source, index: fit(initial + index * step)
    return lambda source, index: fit(start + (initial - start + index * step) % (restart - start))


def _plain(kind: str, schema: Mapping[str, Any], properties: Mapping[str, Any], known: dict[str, Any]) -> Recipe:
    match kind:
        case "record":
            return _record(schema, known)
        case "array":
            return _array(schema, properties, known)
        case "map":
            return _map(schema, properties, known)
        case "enum":
            symbols = schema["symbols"]
            return Recipe(lambda source, index: source.choice(symbols), _arrow(kind, schema))
        case "fixed":
            size = schema["size"]
            return Recipe(lambda source, index: source.randbytes(size), _arrow(kind, schema))
        case "int" | "long":
            least, most = _range(properties, *_INTEGERS[kind])
            return Recipe(
                lambda source, index: source.randrange(int(least), max(int(most), least + 1)), _arrow(kind, schema)
            )
        case "float" | "double":
            low, high = _range(properties, 0.0, 1.0)
            return Recipe(lambda source, index: low + source.random() * (high - low), _arrow(kind, schema))
        case "boolean":
            odds = float(properties.get("odds", 0.5))
            return Recipe(lambda source, index: source.random() < odds, _arrow(kind, schema))
        case "string" | "bytes":
            return Recipe(_text(properties, kind), _arrow(kind, schema))
        case "null":
            return Recipe(lambda source, index: None, _arrow(kind, schema))
    raise ConfigError(f"{kind} is no Avro type")


def _range(properties: Mapping[str, Any], least: float, most: float) -> tuple[Any, Any]:
    given = properties.get("range", {})
    low, high = given.get("min", least), given.get("max", most)
    if low > high:
        raise ConfigError(f"range has a min of {low} above its max of {high}")
    return low, high


def _length(properties: Mapping[str, Any]) -> Callable[[random.Random], int]:
    given = properties.get("length", {"min": _LENGTH[0], "max": _LENGTH[1]})
    if isinstance(given, int):
        return lambda source: given
    least, most = given.get("min", 0), given.get("max", _LENGTH[1])
    return lambda source: source.randrange(least, max(most, least + 1))


def _text(properties: Mapping[str, Any], kind: str) -> Draw:
    before, after = properties.get("prefix", ""), properties.get("suffix", "")
    if "regex" in properties:
        pattern = RegexText(properties["regex"])
        return lambda source, index: before + pattern.draw(source) + after
    length = _length(properties)
    if kind == "bytes":
        return lambda source, index: source.randbytes(length(source))
    return lambda source, index: before + "".join(source.choices(_LETTERS, k=length(source))) + after


def _record(schema: Mapping[str, Any], known: dict[str, Any]) -> Recipe:
    fields = {field["name"]: recipe(field["type"], known) for field in schema.get("fields", ())}
    if not fields:
        raise ConfigError(f"The record {schema.get('name', '')} has no fields")

    def arrow() -> pa.DataType:
        import pyarrow as pa

        return pa.struct([pa.field(name, each.arrow()) for name, each in fields.items()])

    return Recipe(lambda source, index: {name: each.draw(source, index) for name, each in fields.items()}, arrow)


def _array(schema: Mapping[str, Any], properties: Mapping[str, Any], known: dict[str, Any]) -> Recipe:
    item, length = recipe(schema["items"], known), _length(properties)

    def arrow() -> pa.DataType:
        import pyarrow as pa

        return pa.list_(item.arrow())

    return Recipe(lambda source, index: [item.draw(source, index) for _ in range(length(source))], arrow)


def _map(schema: Mapping[str, Any], properties: Mapping[str, Any], known: dict[str, Any]) -> Recipe:
    value, length = recipe(schema["values"], known), _length(properties)
    key = recipe({"type": "string", _PROPERTIES: properties.get("keys", {})}, known)

    def arrow() -> pa.DataType:
        import pyarrow as pa

        return pa.map_(pa.string(), value.arrow())

    def draw(source: random.Random, index: int) -> list[tuple[str, Any]]:
        drawn = {key.draw(source, index): value.draw(source, index) for _ in range(length(source))}
        return list(drawn.items())

    return Recipe(draw, arrow)


def _union(branches: Sequence[Any], known: dict[str, Any]) -> Recipe:
    others = [recipe(each, known) for each in branches if each not in ("null", {"type": "null"})]
    if len(others) != 1:
        raise ConfigError("A union must be of null and one other type")
    inner = others[0]
    if len(branches) == 1:
        return inner
    return Recipe(lambda source, index: inner.draw(source, index) if source.random() < 0.5 else None, inner.arrow)


def _fitting(kind: str, schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    """From the schema's JSON form to what Arrow takes for the logical type."""
    match schema.get("logicalType"):
        case "timestamp-millis":
            return lambda value: _EPOCH + dt.timedelta(milliseconds=value)
        case "timestamp-micros":
            return lambda value: _EPOCH + dt.timedelta(microseconds=value)
        case "date":
            return lambda value: _EPOCH.date() + dt.timedelta(days=value)
        case "decimal":
            scale = schema.get("scale", 0)
            return lambda value: Decimal(int.from_bytes(value, "big", signed=True)).scaleb(-scale)
    if kind in _INTEGERS:
        return int
    if kind in _FLOATS:
        return float
    return (lambda value: value.encode()) if kind == "bytes" and "options" in schema.get(_PROPERTIES, {}) else _same


def _same(value: Any) -> Any:
    return value


def _arrow(kind: str, schema: Mapping[str, Any]) -> Callable[[], pa.DataType]:
    def made() -> pa.DataType:
        import pyarrow as pa

        match schema.get("logicalType"):
            case "timestamp-millis" | "timestamp-micros":
                return pa.timestamp("us", "UTC")
            case "date":
                return pa.date32()
            case "decimal":
                return pa.decimal128(schema.get("precision", 38), schema.get("scale", 0))
        return {
            "int": pa.int32(),
            "long": pa.int64(),
            "float": pa.float32(),
            "double": pa.float64(),
            "boolean": pa.bool_(),
            "bytes": pa.binary(),
            "fixed": pa.binary(),
        }.get(kind, pa.string())

    return made
