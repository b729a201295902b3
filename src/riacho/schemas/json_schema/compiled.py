"""A schema of everyday keywords made into closures, which tell in microseconds whether a value fits.

They answer exactly as the `jsonschema` library does, which a property test proves; only the verdict is theirs, the
reason is asked of the library. A schema with any other keyword is the library's: `compiled` answers None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from riacho.schemas.json_schema.compiled_values import CHECKS_OF_VALUES, type_check
from riacho.schemas.json_schema.documents import Documents, Tree
from riacho.schemas.json_schema.draft import Draft
from riacho.schemas.json_schema.pattern import searching
from riacho.schemas.json_schema.python_pattern import Search
from riacho.schemas.json_schema.steps import Steps
from riacho.schemas.parsed import Json

Fits = Callable[[Any], bool]

STEPS_MAX = 1_000_000  # about a second

# Which these closures do not do.
_LIBRARY_KEYWORDS = frozenset(
    (
        "$dynamicRef", "$recursiveRef", "dependencies", "dependentRequired", "dependentSchemas", "maxContains",
        "minContains", "unevaluatedItems", "unevaluatedProperties",
    )
)  # fmt: skip


class _NeedsLibraryError(Exception):
    pass


def compiled(documents: Documents) -> Fits | None:
    """What it returns raises TooManyStepsError where there is no end of references."""
    compiler = _Compiler(documents)
    try:
        root = compiler.fits(documents.tree, documents.root)
    except (_NeedsLibraryError, RecursionError):
        return None
    return compiler.counted(root)


def _always(value: Any) -> bool:
    return True


def _never(value: Any) -> bool:
    return False


class _Compiler:
    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._draft = documents.draft
        self._cells: dict[int, list[Fits]] = {}
        self._steps: Steps | None = None

    def counted(self, root: Fits) -> Fits:
        steps = self._steps
        if steps is None:
            return root

        def fits(value: Any) -> bool:
            steps.begin()
            return root(value)

        return fits

    def fits(self, contents: Json, resolver: Any) -> Fits:
        """For recursion, each object has a cell that its closure is put into once it is made."""
        if isinstance(contents, bool):
            return _always if contents else _never
        assert isinstance(contents, Mapping), contents
        if "$schema" in contents and contents is not self._documents.tree:
            # It may change the draft from here on.
            raise _NeedsLibraryError
        cell = self._cells.get(id(contents))
        if cell is None:
            cell = self._cells[id(contents)] = []
            cell.append(self._object(contents, resolver))
        return cell[0] if cell else lambda value: cell[0](value)

    def _child(self, contents: Json, resolver: Any) -> Fits:
        return self.fits(contents, self._documents.inside(contents, resolver))

    def _object(self, raw: Tree, resolver: Any) -> Fits:
        if "$ref" in raw and not self._draft.is_modern:
            return self._reference(raw, resolver)
        if not _LIBRARY_KEYWORDS.isdisjoint(raw):
            raise _NeedsLibraryError
        checks: list[Fits] = []
        for keyword, argument in raw.items():
            check = self._check(keyword, argument, raw, resolver)
            if check is not None:
                checks.append(check)
        return _all_of(checks)

    def _check(self, keyword: str, argument: Any, raw: Tree, resolver: Any) -> Fits | None:
        if keyword == "type":
            return type_check(argument, self._draft)
        if keyword in CHECKS_OF_VALUES:
            if self._draft is Draft.DRAFT_4 and (keyword == "const" or keyword.startswith("exclusive")):
                raise _NeedsLibraryError
            if keyword in ("minimum", "maximum") and isinstance(raw.get("exclusive" + keyword.capitalize()), bool):
                raise _NeedsLibraryError
            if keyword == "multipleOf" and not isinstance(argument, int):
                # How a double divides is the library's to say.
                raise _NeedsLibraryError
            return CHECKS_OF_VALUES[keyword](argument)
        if keyword == "$ref":
            return self._reference(raw, resolver)
        if keyword == "required":
            return _required(argument)
        if keyword == "properties":
            return _properties({name: self._child(member, resolver) for name, member in argument.items()})
        if keyword == "patternProperties":
            return _patterns([(searching(name), self._child(member, resolver)) for name, member in argument.items()])
        if keyword == "additionalProperties":
            names = raw.get("properties", {})
            patterns = raw.get("patternProperties", {})
            assert isinstance(names, Mapping), names
            assert isinstance(patterns, Mapping), patterns
            searches = [searching(pattern) for pattern in patterns]
            return _additional(frozenset(names), searches, self._child(argument, resolver))
        if keyword in ("items", "prefixItems", "additionalItems"):
            return self._items(keyword, argument, raw, resolver)
        if keyword in ("allOf", "anyOf", "oneOf"):
            return _COMBINED[keyword]([self._child(member, resolver) for member in argument])
        if keyword == "propertyNames" and self._draft.since_6():
            names_fit = self._child(argument, resolver)
            return lambda value: not isinstance(value, dict) or all(map(names_fit, value))
        if keyword == "contains" and self._draft.since_6():
            item_fits = self._child(argument, resolver)
            return lambda value: not isinstance(value, list) or any(map(item_fits, value))
        if keyword == "not":
            child = self._child(argument, resolver)
            return lambda value: not child(value)
        if keyword == "if" and self._draft.since_7():
            branches = [self._child(raw.get(word, True), resolver) for word in ("if", "then", "else")]
            return lambda value: branches[1](value) if branches[0](value) else branches[2](value)
        return None

    def _reference(self, raw: Tree, resolver: Any) -> Fits:
        contents, there = self._documents.lookup(raw["$ref"], resolver)
        target = self.fits(contents, there)
        steps = self._steps = self._steps or Steps(STEPS_MAX)

        def fits(value: Any) -> bool:
            steps.take()
            return target(value)

        return fits

    def _items(self, keyword: str, argument: Any, raw: Tree, resolver: Any) -> Fits | None:
        if self._draft is Draft.DRAFT_2020_12:
            if keyword == "additionalItems":
                return None
            prefix = raw.get("prefixItems", [])
            skipped = len(prefix) if isinstance(prefix, list) else 0
            is_list = keyword == "prefixItems"
        elif keyword == "prefixItems":
            return None
        else:
            is_list = isinstance(argument, list)
            items = raw.get("items")
            skipped = len(items) if keyword == "additionalItems" and isinstance(items, list) else 0
            if keyword == "additionalItems" and not isinstance(items, list):
                return None
        if is_list:
            return _prefix([self._child(member, resolver) for member in argument])
        return _rest(skipped, self._child(argument, resolver))


def _all_of(checks: list[Fits]) -> Fits:
    if not checks:
        return _always
    if len(checks) == 1:
        return checks[0]

    def fits(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 - a generator would cost more than the checks
            if not check(value):
                return False
        return True

    return fits


def _any_of(checks: list[Fits]) -> Fits:
    return lambda value: any(check(value) for check in checks)


def _one_of(checks: list[Fits]) -> Fits:
    return lambda value: sum(map(bool, (check(value) for check in checks))) == 1


_COMBINED: dict[str, Callable[[list[Fits]], Fits]] = {"allOf": _all_of, "anyOf": _any_of, "oneOf": _one_of}


def _required(names: list[str]) -> Fits:
    needed = frozenset(names)
    return lambda value: not isinstance(value, dict) or value.keys() >= needed


def _properties(members: Mapping[str, Fits]) -> Fits:
    def fits(value: Any) -> bool:
        if isinstance(value, dict):
            for name, check in members.items():
                if name in value and not check(value[name]):
                    return False
        return True

    return fits


def _patterns(members: list[tuple[Search, Fits]]) -> Fits:
    def fits(value: Any) -> bool:
        return not isinstance(value, dict) or all(
            check(item) for search, check in members for name, item in value.items() if search(name)
        )

    return fits


def _additional(names: frozenset[str], patterns: list[Search], check: Fits) -> Fits:
    def fits(value: Any) -> bool:
        if isinstance(value, dict) and not value.keys() <= names:
            for name, item in value.items():
                if name not in names and not any(search(name) for search in patterns) and not check(item):
                    return False
        return True

    return fits


def _prefix(members: list[Fits]) -> Fits:
    def fits(value: Any) -> bool:
        return not isinstance(value, list) or all(check(item) for check, item in zip(members, value, strict=False))

    return fits


def _rest(skipped: int, check: Fits) -> Fits:
    def fits(value: Any) -> bool:
        return not isinstance(value, list) or all(map(check, value[skipped:] if skipped else value))

    return fits
