"""Which plugins there are, of all kinds: connectors, converters, transforms and predicates, by Kafka's class names.

Their modules import pyspark, so this is used in the catalog's process only (`catalog_process.py`), and each kind is
imported when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from riacho.pipelines.config_def import ConfigDef
from riacho.pipelines.connect.plugins.definitions import SIMPLE_HEADERS
from riacho.pipelines.plugin import PLUGIN_VERSION, ConnectError, Connector, SinkConnector

HEADER_CONVERTER = "header_converter"


class Plugin(NamedTuple):
    class_name: str
    type: str
    version: str


class Plugins:
    def __init__(self, modules: Iterable[str] = ()) -> None:
        self._modules = tuple(modules)

    # Connectors

    def connector(self, class_name: str) -> type[Connector]:
        """ConnectError in Kafka's words where there is none of that name."""
        from riacho.pipelines.connectors.registry import find

        return find(class_name, self._modules)

    def is_connector(self, class_name: str) -> bool:
        try:
            self.connector(class_name)
        except ConnectError:
            return False
        return True

    def connectors(self) -> list[Plugin]:
        from riacho.pipelines.connectors.registry import plugins

        found = [Plugin(each.class_name, each.type, each.version) for each in plugins(self._modules)]
        return sorted(found)

    # The others

    @cached_property
    def converters(self) -> Mapping[str, Any]:
        from riacho.pipelines.formats.converters import CONVERTERS

        return dict(CONVERTERS)

    @cached_property
    def transforms(self) -> Mapping[str, Any]:
        from riacho.pipelines.transforms.chain import TRANSFORMS

        return dict(TRANSFORMS)

    @cached_property
    def predicates(self) -> Mapping[str, Any]:
        from riacho.pipelines.transforms.chain import PREDICATES

        return dict(PREDICATES)

    @cached_property
    def header_converters(self) -> Mapping[str, Any]:
        return {SIMPLE_HEADERS: None, **self.converters}

    def all(self) -> list[Plugin]:
        kinds = (
            ("converter", self.converters),
            (HEADER_CONVERTER, self.header_converters),
            ("transformation", self.transforms),
            ("predicate", self.predicates),
        )
        others = [Plugin(name, kind, PLUGIN_VERSION) for kind, table in kinds for name in main_names(table)]
        return self.connectors() + sorted(others, key=lambda each: (each.type, each.class_name))

    def config_of(self, name: str) -> ConfigDef | None:
        """Of a plugin that is no connector; None where there is none of that name."""
        for table in (self.converters, self.transforms, self.predicates):
            if name in table:
                return config_def_of(table[name])
        return ConfigDef() if name == SIMPLE_HEADERS else None


def lookup(table: Mapping[str, Any], name: str) -> str | None:
    """The name in the table that is meant: a class may be called by its simple name."""
    wanted = name.strip()
    if wanted in table:
        return wanted
    return next((each for each in table if wanted and each.endswith(f".{wanted}")), None)


def config_def_of(plugin: Any) -> ConfigDef:
    found = getattr(plugin, "CONFIG", None)
    return found if isinstance(found, ConfigDef) else ConfigDef()


def main_names(table: Mapping[str, Any]) -> list[str]:
    """The full class names: tables have short ones and aliases as well."""
    return sorted(name for name in table if "." in name)


def type_of(connector: type[Connector]) -> str:
    return "sink" if issubclass(connector, SinkConnector) else "source"
