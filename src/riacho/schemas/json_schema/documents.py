"""A schema and the registry's references that it is given, and how a `$ref` finds its way among them.

A reference is known by its name: as it stands, against the `$id` of the schema, or as the end of a longer address.
Nothing is ever fetched: what is not among the references, the schema itself or the drafts' own schemas is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.schemas.json_schema.check import check_schema
from riacho.schemas.json_schema.draft import Draft, draft_of, specification
from riacho.schemas.json_text import read_exact_json
from riacho.schemas.parsed import Json, SchemaError

Tree = Mapping[str, Json]

_VALUES = ("const", "default", "enum", "examples")  # what stands there is data, whatever it looks like


class Documents:
    """`references`: name -> text, as the registry resolved them."""

    def __init__(self, tree: Json, references: Mapping[str, str]) -> None:
        from referencing import Registry
        from referencing.jsonschema import SchemaResource

        self.draft = draft_of(tree)
        self.tree = _without_drafts(tree)
        self.references = {name: self._read_reference(name, text) for name, text in references.items()}
        for each, draft in self.all_trees():
            check_schema(each, draft)
        self._resources: dict[str, SchemaResource] = {
            _plain(name): specification(draft_of(each, self.draft)).create_resource(each)
            for name, each in self.references.items()
        }
        root = specification(self.draft).create_resource(self.tree)
        registry: Any = Registry(retrieve=self._retrieve)  # type: ignore[call-arg]
        try:
            self.registry: Any = registry.with_resources(self._resources.items()).crawl()
            base = root.id() or ""
            # Gone through once: a look-up that finds an id or an anchor unknown would go through all of it each time.
            self.root: Any = self.registry.with_resource(base, root).crawl().resolver(base_uri=base)
        except (ValueError, TypeError, AttributeError) as error:
            raise SchemaError(f"Invalid {self.draft.id_keyword}: {error}") from None
        self._known: set[int] | None = None

    def inside(self, contents: Json, resolver: Any) -> Any:
        """The resolver of a subschema: its own `$id` moves the base."""
        if isinstance(contents, bool):
            return resolver
        try:
            return resolver.in_subresource(specification(self.draft).create_resource(contents))
        except (ValueError, TypeError, AttributeError) as error:
            raise SchemaError(f"Invalid {self.draft.id_keyword}: {error}") from None

    def lookup(self, ref: Json, resolver: Any) -> tuple[Json, Any]:
        """What a `$ref` means, and the resolver there."""
        from referencing.exceptions import Unresolvable

        if not isinstance(ref, str):
            raise SchemaError(f"A $ref must be a string, not {type(ref).__name__}")
        try:
            found = resolver.lookup(ref)
        except (Unresolvable, LookupError, ValueError, TypeError, AttributeError):
            raise SchemaError(
                f"Could not resolve the $ref '{ref}': it is in neither the schema nor its references"
            ) from None
        if not isinstance(found.contents, Mapping | bool):
            raise SchemaError(f"The $ref '{ref}' does not lead to a schema")
        return found.contents, found.resolver

    def is_known_place(self, contents: Json) -> bool:
        """Whether it stands where the draft expects a schema, so that checking the document has checked it too."""
        if self._known is None:
            self._known = set()
            for tree, draft in self.all_trees():
                _gather(specification(draft).create_resource(tree), self._known)
        return id(contents) in self._known

    def all_trees(self) -> list[tuple[Json, Draft]]:
        return [(self.tree, self.draft)] + [(tree, draft_of(tree, self.draft)) for tree in self.references.values()]

    def _read_reference(self, name: str, text: str) -> Json:
        try:
            tree = read_exact_json(text)
        except SchemaError as error:
            raise SchemaError(f"The reference '{name}' is not a JSON Schema: {error}") from None
        if not isinstance(tree, Mapping | bool):
            raise SchemaError(f"The reference '{name}' is not a JSON Schema: neither an object nor true or false")
        plain, draft = _without_drafts(tree), draft_of(tree, self.draft)
        # One in another draft than the schema that needs it stays in that.
        return plain if draft is self.draft or not isinstance(plain, dict) else {**plain, "$schema": draft.url}

    def _retrieve(self, uri: str) -> Any:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
        from referencing.exceptions import NoSuchResource

        asked = _plain(uri)
        for name, resource in self._resources.items():
            if asked == name or asked.endswith(f"/{name}"):
                return resource
        try:
            return REGISTRY.get_or_retrieve(uri).value
        except NoSuchResource:
            raise NoSuchResource(ref=uri) from None  # type: ignore[call-arg]


def _plain(name: str) -> str:
    return name.removeprefix("./").rstrip("#")


def _without_drafts(tree: Json) -> Json:
    """The library would leave our validator for its own wherever it meets `$schema`: all of a text is one draft."""
    if isinstance(tree, list):
        return [_without_drafts(item) for item in tree]
    if not isinstance(tree, Mapping):
        return tree
    # A property of that name has a schema, not a string.
    kept = ((key, value) for key, value in tree.items() if key != "$schema" or not isinstance(value, str))
    return {key: value if key in _VALUES else _without_drafts(value) for key, value in kept}


def _gather(resource: Any, known: set[int]) -> None:
    known.add(id(resource.contents))
    for inner in resource.subresources():
        _gather(inner, known)
