"""Fields of a schema by name, and the tags that are written at them within its text.

Avro and JSON Schema keep tags in the text itself, in a list called `confluent:tags`; Protobuf keeps them in options.
An entity is a record or field by its dotted path, as clients name it: `.namespace.Record.field` or
`object.field`; `sr_record` and `sr_field` say which of the two is meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from riacho.schemas.parsed import ParsedSchema, SchemaError

TAGS = "confluent:tags"
RECORD = "sr_record"
FIELD = "sr_field"
Entity = tuple[str, str]  # path, kind


def has_top_level_field(schema: ParsedSchema, name: str) -> bool:
    if schema.schema_type == "PROTOBUF":
        return name in _protobuf_fields(schema)
    document = _document(schema.text)
    if not isinstance(document, dict):
        return False
    if schema.schema_type == "AVRO":
        return any(isinstance(each, dict) and each.get("name") == name for each in document.get("fields") or ())
    properties = document.get("properties")
    return isinstance(properties, dict) and name in properties


def _protobuf_fields(schema: ParsedSchema) -> set[str]:
    """Of the first message, which is the schema's own."""
    from riacho.schemas.protobuf.schema import ProtobufSchema

    if not isinstance(schema, ProtobufSchema) or not schema.file.element.messages:
        return set()
    message = schema.file.element.messages[0]
    alternatives = (each for oneof in message.oneofs for each in oneof.fields)
    return {each.name for each in (*message.fields, *alternatives)}


def tags_of(schema: ParsedSchema) -> dict[Entity, list[str]]:
    """The entities that have tags, in the order of the text."""
    found: dict[Entity, list[str]] = {}
    for entity, node in _entities(schema.schema_type, _document(schema.text)):
        tags = node.get(TAGS)
        if isinstance(tags, list) and tags:
            found[entity] = [str(tag) for tag in tags]
    return found


def entities_of(schema: ParsedSchema) -> frozenset[Entity]:
    """All that tags can stand at."""
    return frozenset(entity for entity, _ in _entities(schema.schema_type, _document(schema.text)))


def with_tags(schema: ParsedSchema, add: Mapping[Entity, Sequence[str]], remove: Mapping[Entity, Sequence[str]]) -> str:
    """The text with the tags changed; SchemaError where an entity is not in it."""
    if not add and not remove:
        return schema.text
    if schema.schema_type == "PROTOBUF":
        raise SchemaError("Tags of Protobuf schemas are part of their text: register the text with the options changed")
    document = _document(schema.text)
    nodes = dict(_entities(schema.schema_type, document))
    for entity, tags in add.items():
        node = _node(nodes, entity)
        present = [str(tag) for tag in node.get(TAGS) or ()]
        node[TAGS] = present + [tag for tag in dict.fromkeys(tags) if tag not in present]
    for entity, tags in remove.items():
        node = _node(nodes, entity)
        kept = [tag for tag in node.get(TAGS) or () if tag not in tags]
        if kept:
            node[TAGS] = kept
        else:
            node.pop(TAGS, None)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _node(nodes: Mapping[Entity, dict[str, Any]], entity: Entity) -> dict[str, Any]:
    node = nodes.get(entity)
    if node is None:
        raise SchemaError(f"No matching path '{entity[0]}' found in the schema")
    return node


def _entities(schema_type: str, document: Any) -> Iterator[tuple[Entity, dict[str, Any]]]:
    """Records and fields of the text, each with the node that its tags stand at."""
    walk = _avro if schema_type == "AVRO" else _json
    yield from walk(document)


def _avro(document: Any) -> Iterator[tuple[Entity, dict[str, Any]]]:
    pending: list[tuple[Any, str]] = [(document, "")]
    while pending:
        node, namespace = pending.pop(0)
        if isinstance(node, list):
            pending = [(each, namespace) for each in node] + pending
        elif isinstance(node, dict):
            kind = node.get("type")
            if kind in ("record", "error") and isinstance(node.get("fields"), list):
                namespace = str(node.get("namespace", namespace))
                name = str(node.get("name", ""))
                path = name if "." in name or not namespace else f"{namespace}.{name}"
                yield (path, RECORD), node
                inner: list[tuple[Any, str]] = []
                for each in node["fields"]:
                    if isinstance(each, dict):
                        yield (f"{path}.{each.get('name', '')}", FIELD), each
                        inner.append((each.get("type"), namespace))
                pending = inner + pending
            else:
                pending = [(node.get(part), namespace) for part in ("type", "items", "values")] + pending


def _json(document: Any) -> Iterator[tuple[Entity, dict[str, Any]]]:
    pending: list[tuple[Any, str]] = [(document, "object")]
    while pending:
        node, path = pending.pop(0)
        if not isinstance(node, dict):
            continue
        properties = node.get("properties")
        inner: list[tuple[Any, str]] = []
        if isinstance(properties, dict):
            yield (path, RECORD), node
            for name, each in properties.items():
                if isinstance(each, dict):
                    yield (f"{path}.{name}", FIELD), each
                    inner.append((each, f"{path}.{name}.object"))
        if isinstance(node.get("items"), dict):
            inner.append((node["items"], f"{path}.array.object"))
        pending = inner + pending
