"""`allOf` of JSON Schema as one thing that a column can be: objects are merged, of other things one speaks for all.

Two keywords beside each other, as `type` and `enum`, are an allOf too (see `json_schema/nodes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.nodes import Combined, Node, Null, Object, String, meaning
from riacho.schemas.logical.types import UnrepresentableError


def merged(product: Combined) -> Node:
    """UnrepresentableError where nothing speaks for all."""
    members = product.members
    if any(isinstance(member, nodes.Conditional | nodes.Negation) for member in members):
        raise UnrepresentableError("what holds under a condition (if, not) is no column")
    properties, required = _properties(product)
    if properties:
        return Object(properties=properties, required=required)
    texts = _enumerated_texts(product)
    if texts is not None:
        return texts
    for kind in _speakers(members):
        of_kind = [member for member in members if isinstance(member, kind)]
        if of_kind:
            return of_kind[-1]
    return _beside_object(members)


def _speakers(members: Sequence[Node]) -> tuple[type[Node], ...]:
    if any(isinstance(member, nodes.Constant | nodes.Enumeration) for member in members):
        return Combined, String, nodes.Numeric, nodes.Boolean
    # `format` beside a number makes a text of it that nobody meant.
    has_text = any(isinstance(member, String) for member in members)
    return (Combined, nodes.Numeric) if has_text else (Combined,)


def _properties(product: Combined) -> tuple[dict[str, Node], frozenset[str]]:
    """Of all objects in it, through references and further allOfs; of a name that stands twice the last one counts."""
    properties: dict[str, Node] = {}
    required: set[str] = set()
    seen: set[int] = set()
    waiting: list[Node] = [product]
    while waiting:
        node = waiting.pop()
        if id(node) in seen and not isinstance(node, Object):
            continue
        seen.add(id(node))
        if isinstance(node, nodes.Referred):
            waiting.append(node.find())
        elif isinstance(node, Combined) and node.criterion == "allOf":
            waiting.extend(reversed(node.members))
        elif isinstance(node, Object):
            properties.update(node.properties)
            required.difference_update(node.properties)
            required.update(node.required & node.properties.keys())
    return properties, frozenset(required)


def _enumerated_texts(product: Combined) -> Node | None:
    """An enum or a const beside the type string, and nothing else: its values, unless a length bounds the texts."""
    if len(product.members) != 2:
        return None
    values = [member for member in product.members if isinstance(member, nodes.Constant | nodes.Enumeration)]
    types = [member for member in product.members if _text_of(member) is not None]
    if len(values) != 1 or len(types) != 1:
        return None
    text = _text_of(types[0])
    assert text is not None
    if text.max_length is not None:
        return types[0]
    value = values[0]
    permitted = [value.value] if isinstance(value, nodes.Constant) else list(value.values)
    # Only the type says whether null may be: the two hold together.
    enum = nodes.Enumeration(raw=product.raw, values=[each for each in permitted if each is not None])
    if isinstance(types[0], String):
        return enum
    return Combined(criterion="anyOf", members=[enum, Null()])


def _text_of(node: Node) -> String | None:
    """The string in `"string"` and in `["string", "null"]`."""
    if isinstance(node, String):
        return node
    if not isinstance(node, Combined) or node.criterion == "allOf" or len(node.members) != 2:
        return None
    texts = [member for member in node.members if isinstance(member, String)]
    return texts[0] if len(texts) == 1 and any(isinstance(member, Null) for member in node.members) else None


def _beside_object(members: Sequence[Node]) -> Node:
    """Keywords of objects beside another type say nothing of its values."""
    objects = [member for member in members if isinstance(member, Object)]
    if len(members) == 2 and len(objects) == 1:
        other = next(member for member in members if not isinstance(member, Object))
        if not _is_typed(objects[0]) or (not objects[0].required and isinstance(meaning(other), nodes.Array)):
            return other
    raise UnrepresentableError("an allOf has nothing that stands for all of it")


def _is_typed(node: Object) -> bool:
    types = node.raw.get("type") if isinstance(node.raw, Mapping) else None
    return types == "object" or (isinstance(types, list) and "object" in types)
