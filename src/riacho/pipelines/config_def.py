"""The settings of a connector, converter, transform or predicate: definitions that parse, check and explain.

    CONFIG = ConfigDef(
        Definition("topic", ConfigType.STRING, doc="Where the records go.", required=True, importance=Importance.HIGH),
        Definition("batch.size", ConfigType.INT, "2000", doc="How many lines at most in one go."),
    )
    settings = CONFIG.parse(configs)          # typed values, or ConfigError in one sentence
    answers = CONFIG.check(configs)           # one ConfigValue a definition, each with what is wrong with it

It is Kafka's ConfigDef: the same kinds, the same sentences, the same fields that the validate call of Connect shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from riacho.base.config import ConfigError, ConfigKey, ConfigType, Importance, Value

__all__ = ["ConfigDef", "ConfigError", "ConfigType", "ConfigValue", "Definition", "Importance", "Outside"]


class Outside(Enum):
    """The kind of thing outside the worker that a setting names. The worker refuses those that it does not allow."""

    FILE = "a file of this machine"
    FOLDER = "a path or a URL of storage, as Spark takes it"
    URL = "an address that is called"
    JDBC = "a database"


@dataclass(frozen=True, slots=True)
class Definition(ConfigKey):
    """A definition describes one setting of a connector.

    `default` is text, or None where there is none; `valid` checks the parsed value; `recommended` is what a form would
    offer. A setting that names a file, a folder, an address or a database must say so with `outside`.
    """

    group: str | None = None
    order: int = -1
    width: str = "NONE"
    display_name: str = ""
    dependents: tuple[str, ...] = ()
    recommended: tuple[str, ...] = ()
    outside: Outside | None = None


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A config value is what a config gave for one definition, or its default, as text, with the errors in it."""

    definition: Definition
    value: str | None
    errors: tuple[str, ...] = ()


def with_errors(values: Iterable[ConfigValue], errors: Mapping[str, str]) -> list[ConfigValue]:
    """Return the values with errors that several settings make together, by name, where none is wrong by itself."""
    return [
        replace(each, errors=(errors[each.definition.name],))
        if each.definition.name in errors and not each.errors
        else each
        for each in values
    ]


class ConfigDef:
    """A ConfigDef holds the definitions of a connector's settings. It parses and checks configs by them."""

    def __init__(self, *definitions: Definition) -> None:
        self._definitions = {definition.name: definition for definition in definitions}
        assert len(self._definitions) == len(definitions), "a setting is defined twice"

    def __iter__(self) -> Iterator[Definition]:
        return iter(self._definitions.values())

    def __contains__(self, name: str) -> bool:
        return name in self._definitions

    def __getitem__(self, name: str) -> Definition:
        return self._definitions[name]

    def __add__(self, other: ConfigDef) -> ConfigDef:
        """Both; where a name is in both, `other` has the say."""
        return ConfigDef(*(self._definitions | other._definitions).values())

    def parse(self, configs: Mapping[str, str]) -> dict[str, Value]:
        """Return the typed values of all settings. Raise ConfigError for the first that is wrong."""
        return {name: definition.parse(configs.get(name)) for name, definition in self._definitions.items()}

    def check(self, configs: Mapping[str, str]) -> list[ConfigValue]:
        """Return the value of each setting with the errors in it. It raises nothing."""
        return [_checked(definition, configs.get(definition.name)) for definition in self]

    def under(self, prefix: str, group: str | None = None) -> ConfigDef:
        """Return the same settings with `prefix` before their names, as those of one transform among several."""
        return ConfigDef(
            *(
                replace(
                    definition,
                    name=prefix + definition.name,
                    group=group or definition.group,
                    dependents=tuple(prefix + name for name in definition.dependents),
                )
                for definition in self
            )
        )


def _checked(definition: Definition, text: str | None) -> ConfigValue:
    shown = definition.default if text is None else text
    try:
        definition.parse(text)
    except ConfigError as error:
        return ConfigValue(definition, shown, (str(error),))
    return ConfigValue(definition, shown)
