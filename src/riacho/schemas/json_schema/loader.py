"""From the JSON of a schema to the nodes that are compared, for all drafts: their differences are few and stand here.

Each JSON object becomes the product of what it says: enum, combinations, not, const, its types, and what keywords of
other types stand beside them. One alone is itself, none is any value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.schemas.json_schema import nodes
from riacho.schemas.json_schema.check import check_schema
from riacho.schemas.json_schema.documents import Documents, Tree
from riacho.schemas.json_schema.draft import Draft
from riacho.schemas.json_schema.nodes import Node
from riacho.schemas.json_schema.pattern import searching
from riacho.schemas.parsed import Json

STRING_KEYWORDS = ("minLength", "maxLength", "pattern")
NUMBER_KEYWORDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
OBJECT_KEYWORDS = ("required", "minProperties", "maxProperties", "additionalProperties")
ARRAY_KEYWORDS = ("items", "minItems", "maxItems", "uniqueItems")


class Loader:
    """One of each JSON object, so that recursion comes back to the same node."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._draft: Draft = documents.draft
        self._loaded: dict[int, Node] = {}
        self._unfound: list[nodes.Referred] = []
        self._keywords = _keywords_of(self._draft)

    def load_root(self) -> Node:
        """Everything that can be reached, so that a `$ref` that leads nowhere is found now."""
        root = self.load(self._documents.tree, self._documents.root)
        while self._unfound:
            self._unfound.pop().find()
        return root

    def load(self, contents: Json, resolver: Any) -> Node:
        if isinstance(contents, bool):
            return nodes.Empty(raw=True) if contents else nodes.Nothing(raw=False)
        loaded = self._loaded.get(id(contents))
        if loaded is None:
            assert isinstance(contents, Mapping), contents
            loaded = self._loaded[id(contents)] = self._load_object(contents, resolver)
        return loaded

    def _child(self, contents: Json, resolver: Any) -> Node:
        return self.load(contents, self._documents.inside(contents, resolver))

    def _children_of(self, keyword: str, raw: Tree, resolver: Any) -> dict[str, Node]:
        members = raw.get(keyword)
        assert members is None or isinstance(members, Mapping), members
        return {name: self._child(member, resolver) for name, member in (members or {}).items()}

    def _list_of(self, members: Json, resolver: Any) -> list[Node]:
        assert isinstance(members, list), members
        return [self._child(member, resolver) for member in members]

    def _load_object(self, raw: Tree, resolver: Any) -> Node:
        notes = self._notes(raw)
        if "$ref" in raw and not self._draft.is_modern:
            return self._referred("$ref", raw, notes, resolver)
        if self._draft.is_modern:
            self._children_of("$defs", raw, resolver)
        members = self._members(raw, resolver)
        if not members:
            return nodes.Empty(raw=raw, notes=notes)
        if len(members) == 1:
            members[0].notes = notes
            return members[0]
        return nodes.Combined(raw=raw, notes=notes, criterion="allOf", members=members)

    def _members(self, raw: Tree, resolver: Any) -> list[Node]:
        members: list[Node] = []
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword in raw and self._draft.is_modern:
                members.append(self._referred(keyword, raw, nodes.Notes(), resolver))
        if isinstance(values := raw.get("enum"), list):
            members.append(nodes.Enumeration(raw=raw, values=values))
        for criterion in ("allOf", "anyOf", "oneOf"):
            if criterion in raw:
                of = self._list_of(raw[criterion], resolver)
                members.append(nodes.Combined(raw=raw, criterion=criterion, members=of))
        if "not" in raw:
            members.append(nodes.Negation(raw=raw, child=self._child(raw["not"], resolver)))
        if "const" in raw and self._draft.since_6():
            members.append(nodes.Constant(raw=raw, value=raw["const"]))
        types = raw.get("type", [])
        if isinstance(types, list):
            if types:
                alternatives = [self._of_type(str(name), raw, resolver) for name in types]
                members.append(nodes.Combined(raw=raw, criterion="anyOf", members=alternatives))
        else:
            members.append(self._of_type(str(types), raw, resolver))
        members.extend(self._beside(types if isinstance(types, list) else [types], raw, resolver))
        if self._draft.since_7() and any(keyword in raw for keyword in ("if", "then", "else")):
            for keyword in ("if", "then", "else"):
                if keyword in raw:
                    self._child(raw[keyword], resolver)
            members.append(nodes.Conditional(raw=raw))
        return members

    def _beside(self, types: list[Json], raw: Tree, resolver: Any) -> list[Node]:
        """What keywords say of values of other types than those named."""
        named = {"number" if name == "integer" else name for name in types}
        return [
            self._of_type(name, raw, resolver)
            for name, keywords in self._keywords.items()
            if name not in named and any(_says(keyword, raw, self._draft) for keyword in keywords)
        ]

    def _of_type(self, name: str, raw: Tree, resolver: Any) -> Node:
        if name == "object":
            return self._object(raw, resolver)
        if name == "array":
            return self._array(raw, resolver)
        if name == "string":
            pattern = raw.get("pattern")
            if isinstance(pattern, str):
                searching(pattern)
            return nodes.String(
                raw=raw,
                min_length=_number(raw, "minLength"),
                max_length=_number(raw, "maxLength"),
                pattern=pattern if isinstance(pattern, str) else None,
            )
        if name in ("number", "integer"):
            return nodes.Numeric(
                raw=raw,
                minimum=_number(raw, "minimum"),
                maximum=_number(raw, "maximum"),
                exclusive_minimum=_number(raw, "exclusiveMinimum"),
                exclusive_maximum=_number(raw, "exclusiveMaximum"),
                multiple_of=_number(raw, "multipleOf"),
                is_integer=name == "integer",
            )
        return nodes.Boolean(raw=raw) if name == "boolean" else nodes.Null(raw=raw)

    def _object(self, raw: Tree, resolver: Any) -> Node:
        patterns = self._children_of("patternProperties", raw, resolver)
        for pattern in patterns:
            searching(pattern)
        permits_additional, additional = self._additional("additionalProperties", raw, resolver)
        arrays, schemas = self._dependencies(raw, resolver)
        if "propertyNames" in raw and self._draft.since_6():
            self._child(raw["propertyNames"], resolver)
        required = raw.get("required", [])
        return nodes.Object(
            raw=raw,
            properties=self._children_of("properties", raw, resolver),
            required=frozenset(map(str, required)) if isinstance(required, list) else frozenset(),
            pattern_properties=patterns,
            permits_additional=permits_additional,
            additional=additional,
            unevaluated=self._modern_child("unevaluatedProperties", raw, resolver),
            property_dependencies=arrays,
            schema_dependencies=schemas,
            min_properties=_number(raw, "minProperties"),
            max_properties=_number(raw, "maxProperties"),
        )

    def _dependencies(self, raw: Tree, resolver: Any) -> tuple[dict[str, frozenset[str]], dict[str, Node]]:
        arrays: dict[str, frozenset[str]] = {}
        schemas: dict[str, Node] = {}
        keywords = ("dependentRequired", "dependentSchemas") if self._draft.is_modern else ("dependencies",)
        for keyword in keywords:
            members = raw.get(keyword)
            for name, member in members.items() if isinstance(members, Mapping) else ():
                if not isinstance(member, list):
                    schemas[name] = self._child(member, resolver)
                elif member:
                    arrays[name] = frozenset(map(str, member))
        return arrays, schemas

    def _array(self, raw: Tree, resolver: Any) -> Node:
        items, permits_additional, additional = self._items(raw, resolver)
        has_contains = "contains" in raw and self._draft.since_6()
        if has_contains:
            self._child(raw["contains"], resolver)
        counts = has_contains and self._draft.is_modern
        return nodes.Array(
            raw=raw,
            all_items=self._child(items, resolver) if isinstance(items, Mapping | bool) else None,
            items=self._list_of(items, resolver) if isinstance(items, list) else (),
            permits_additional=permits_additional,
            additional=additional,
            unevaluated=self._modern_child("unevaluatedItems", raw, resolver),
            min_items=_number(raw, "minItems"),
            max_items=_number(raw, "maxItems"),
            min_contains=_number(raw, "minContains", 1) if counts else None,
            max_contains=_number(raw, "maxContains") if counts else None,
            needs_unique=raw.get("uniqueItems") is True,
        )

    def _items(self, raw: Tree, resolver: Any) -> tuple[Json, bool, Node | None]:
        """What stands for one item, a list of them or all, and what may follow a list."""
        items = raw.get("items")
        if self._draft is Draft.DRAFT_2020_12 and "prefixItems" in raw:
            return (raw["prefixItems"], *self._additional("items", raw, resolver))
        if self._draft.is_modern and isinstance(items, bool):
            # Not a schema of all items, but whether any may follow a list of none.
            return None, items, None
        if self._draft is Draft.DRAFT_2020_12:
            return items, True, None
        return (items, *self._additional("additionalItems", raw, resolver))

    def _additional(self, keyword: str, raw: Tree, resolver: Any) -> tuple[bool, Node | None]:
        contents = raw.get(keyword, True)
        if isinstance(contents, bool):
            return contents, None
        return True, self._child(contents, resolver)

    def _modern_child(self, keyword: str, raw: Tree, resolver: Any) -> Node | None:
        return self._child(raw[keyword], resolver) if self._draft.is_modern and keyword in raw else None

    def _referred(self, keyword: str, raw: Tree, notes: nodes.Notes, resolver: Any) -> Node:
        found: list[Node] = []

        def find() -> Node:
            if not found:
                contents, there = self._documents.lookup(raw[keyword], resolver)
                if not self._documents.is_known_place(contents):
                    check_schema(contents, self._draft)
                found.append(self.load(contents, there))
            return found[0]

        referred = nodes.Referred(raw=raw, notes=notes, find=find)
        self._unfound.append(referred)
        return referred

    def _notes(self, raw: Tree) -> nodes.Notes:
        default = raw.get("default")
        return nodes.Notes(
            id=None if self._draft.is_modern and raw is self._documents.tree else raw.get(self._draft.id_keyword),
            title=raw.get("title"),
            description=raw.get("description"),
            default=default,
            # The parser of the modern drafts takes a default of null for none.
            has_default="default" in raw and not (self._draft.is_modern and default is None),
            connect_type=raw.get("connect.type"),
        )


def _keywords_of(draft: Draft) -> Mapping[str, tuple[str, ...]]:
    """By type, what makes a node of that type even where none is named."""
    contains = ("contains",) if draft.since_6() else ()
    names = ("propertyNames",) if draft.since_6() else ()
    strings: tuple[str, ...] = STRING_KEYWORDS
    if draft.is_modern:
        arrays = (*ARRAY_KEYWORDS, "prefixItems", "unevaluatedItems", *contains)
        objects = (*OBJECT_KEYWORDS, "dependentRequired", "dependentSchemas", "unevaluatedProperties", *names)
    else:
        arrays = (*ARRAY_KEYWORDS, "additionalItems", *contains)
        objects = (*OBJECT_KEYWORDS, "dependencies", *names)
        strings = (*strings, "format")
    objects = ("properties", "patternProperties", *objects)
    return {"array": arrays, "object": objects, "number": NUMBER_KEYWORDS, "string": strings}


def _says(keyword: str, raw: Tree, draft: Draft) -> bool:
    if keyword not in raw:
        return False
    # In the modern drafts, properties that name none say nothing; before, they were enough to make an object.
    return not (draft.is_modern and keyword in ("properties", "patternProperties")) or bool(raw[keyword])


def _number(raw: Tree, keyword: str, default: nodes.Number | None = None) -> nodes.Number | None:
    value = raw.get(keyword, default)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
