"""Users' functions are found in the modules that the server's operator names in its settings, nowhere else:
importing a module runs it, so no statement and no setting of a session may name one.

A module has what its decorators made, imported names included. A name that two modules define is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module

from riacho.pipelines.sql.functions.aggregate_signatures import AggregateFunction
from riacho.pipelines.sql.functions.function import Function
from riacho.pipelines.sql.functions.python_functions import PythonFunction
from riacho.pipelines.sql.functions.user.aggregates import aggregate_function, opener
from riacho.pipelines.sql.functions.user.definition import ATTRIBUTE, Definition, UserFunctionError, UserKind
from riacho.pipelines.sql.functions.user.functions import python_functions, registry_function
from riacho.pipelines.tasks.aggregates import opening
from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.spec import AggregateSpec


@dataclass(frozen=True, slots=True)
class UserFunctions:
    """`functions` go to `Registry.extended`; `python_functions` to a Spark session, by the names that plans call;
    `aggregates` are what statements may call, `openers` what tasks run."""

    functions: tuple[Function, ...] = ()
    python_functions: dict[str, PythonFunction] = field(default_factory=dict)
    aggregates: dict[str, AggregateFunction] = field(default_factory=dict)
    openers: dict[str, Callable[[AggregateSpec], Aggregate]] = field(default_factory=dict)


def load_user_functions(modules: Sequence[str]) -> UserFunctions:
    """UserFunctionError in one sentence where a module cannot be had. Modules are imported once a process."""
    return _loaded(tuple(modules))


@lru_cache(maxsize=16)
def _loaded(modules: tuple[str, ...]) -> UserFunctions:
    found: dict[str, Definition] = {}
    for name in modules:
        for definition in _definitions(name):
            known = found.setdefault(definition.name, definition)
            if known is not definition:
                raise UserFunctionError(f"The function {definition.name} of {name} is defined twice.")
    return collected(found.values())


def collected(definitions: Iterable[Definition]) -> UserFunctions:
    listed = list(definitions)
    calls = [each for each in listed if each.kind is not UserKind.AGGREGATE]
    aggregates = [each for each in listed if each.kind is UserKind.AGGREGATE]
    return UserFunctions(
        functions=tuple(registry_function(each) for each in calls),
        python_functions={made.name: made for each in calls for made in python_functions(each)},
        aggregates={each.name: aggregate_function(each) for each in aggregates},
        openers={each.name: opener(each) for each in aggregates},
    )


def install_user_aggregates(modules: Sequence[str]) -> None:
    """For a process that runs tasks: the aggregates of the modules can be opened by name from here on. One of ours is
    never replaced: state of others may depend on it."""
    for name, opened in load_user_functions(modules).openers.items():
        opening.AGGREGATES.setdefault(name, opened)


def _definitions(name: str) -> list[Definition]:
    try:
        module = import_module(name)
    except Exception as error:
        raise UserFunctionError(
            f"The module {name} with functions for statements cannot be imported: {error!r}."
        ) from error
    values = (getattr(value, ATTRIBUTE, None) for value in vars(module).values())
    return list({id(value): value for value in values if isinstance(value, Definition)}.values())
