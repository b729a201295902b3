"""All functions that can be called by name: each module's table, and what users add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from riacho.pipelines.sql.functions.function import Function
from riacho.pipelines.sql.functions.scalar import (
    arrays,
    bytes,
    comparing,
    conditional,
    conversion,
    dates,
    json,
    lambdas,
    maps,
    masking,
    maths,
    positions,
    regexes,
    rounding,
    splitting,
    strings,
    substrings,
    times,
    trigonometry,
    urls,
)
from riacho.pipelines.sql.functions.table import explode

_MODULES = (
    arrays,
    bytes,
    comparing,
    conditional,
    conversion,
    dates,
    json,
    lambdas,
    maps,
    masking,
    maths,
    positions,
    regexes,
    rounding,
    splitting,
    strings,
    substrings,
    times,
    trigonometry,
    urls,
    explode,
)


class Registry:
    """Functions by name. Names are in upper case; an alias finds the function too."""

    def __init__(self, functions: Iterable[Function]) -> None:
        self._functions: dict[str, Function] = {}
        self._by_name: dict[str, Function] = {}
        for function in functions:
            self._functions[function.name] = function
            for name in (function.name, *function.aliases):
                self._by_name[name] = function

    def find(self, name: str) -> Function | None:
        return self._by_name.get(name.upper())

    def __iter__(self) -> Iterator[Function]:
        """By name, each once: what SHOW FUNCTIONS lists."""
        return iter(sorted(self._functions.values(), key=lambda function: function.name))

    def extended(self, functions: Iterable[Function]) -> Registry:
        """With functions of users; one of theirs takes the place of ours with the same name."""
        return Registry((*self._functions.values(), *functions))


REGISTRY = Registry(function for module in _MODULES for function in module.FUNCTIONS)
