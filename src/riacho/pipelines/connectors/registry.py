"""Which connectors there are, by the class name that a config gives.

    find("FileStreamSource")                                             # a short name
    find("org.apache.kafka.connect.file.FileStreamSourceConnector")      # Kafka's own
    plugins()                                                            # what GET /connector-plugins lists

A connector is known by its `CLASS`, its `ALIASES`, and the simple names of both, with or without `Connector` at the
end, as in Kafka. Modules are imported when somebody first asks: a platform that runs no pipeline pays nothing.

Others add theirs by an entry point of the group `riacho.connectors` that names the class, or by naming modules
(`plugin.modules`), every public Connector of which is taken. One that cannot be imported is left out with a reason
(`Registry.broken`): it must not take the rest away.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from riacho.pipelines.connectors.counterparts import counterpart
from riacho.pipelines.plugin import ConnectError, Connector, SinkConnector, SourceConnector

ENTRY_POINTS = "riacho.connectors"

# One module a row, in the order in which the plugins are listed.
_BUILT_IN = tuple(
    f"riacho.pipelines.connectors.{module}"
    for module in (
        "file_stream.source",
        "file_stream.sink",
        "directory.source",
        "directory.sink",
        "jdbc.source",
        "jdbc.sink",
        "datagen.source",
        "http.source",
        "http.sink",
        "mirror.source",
        "mirror.checkpoint",
        "mirror.heartbeat",
        "spark.source",
        "spark.sink",
    )
)


@dataclass(frozen=True, slots=True)
class PluginInfo:
    class_name: str
    type: str
    version: str


class Registry:
    """Connectors by name. The first that takes a name keeps it."""

    def __init__(self, modules: Iterable[str] = ()) -> None:
        self._modules = (*_BUILT_IN, *modules)
        self._by_name: dict[str, type[Connector]] = {}
        self._types: list[type[Connector]] = []
        self.broken: dict[str, str] = {}
        self._load()

    def find(self, class_name: str) -> type[Connector]:
        found = self._by_name.get(class_name.strip())
        if found is None:
            known = ", ".join(sorted(each.CLASS for each in self._types))
            advice = counterpart(class_name)
            raise ConnectError(
                f"Failed to find any class that implements Connector and which name matches {class_name}, "
                f"available connectors are: {known}{'' if advice is None else f'. {advice}'}"
            )
        return found

    def plugins(self) -> list[PluginInfo]:
        return [PluginInfo(each.CLASS, type_of(each), each.VERSION) for each in self._types]

    def names(self) -> dict[str, type[Connector]]:
        return dict(self._by_name)

    def _load(self) -> None:
        for module in self._modules:
            for found in self._imported(module):
                self._add(found)
        for point in entry_points(group=ENTRY_POINTS):
            try:
                found = point.load()
            except Exception as error:  # somebody else's code: whatever it raises
                self.broken[point.name] = _reason(error)
                continue
            if _is_connector(found):
                self._add(found)
            else:
                self.broken[point.name] = f"{point.value} is not a connector class"

    def _imported(self, module: str) -> Iterator[type[Connector]]:
        try:
            imported = import_module(module)
        except Exception as error:
            self.broken[module] = _reason(error)
            return
        for name, member in vars(imported).items():
            if not name.startswith("_") and _is_connector(member) and member.__module__ == module:
                yield member

    def _add(self, found: type[Connector]) -> None:
        full = (found.CLASS, *found.ALIASES)
        simple = [name.rpartition(".")[2] for name in full]
        short = [name.removesuffix("Connector") for name in simple]
        if self._by_name.setdefault(found.CLASS, found) is not found:
            self.broken[found.CLASS] = f"{found.CLASS} is already the name of another connector"
            return
        self._types.append(found)
        for name in (*full, *simple, *short):
            self._by_name.setdefault(name, found)


def type_of(connector: type[Connector]) -> str:
    return "source" if issubclass(connector, SourceConnector) else "sink"


def find(class_name: str, modules: Iterable[str] = ()) -> type[Connector]:
    return registry(tuple(modules)).find(class_name)


def plugins(modules: Iterable[str] = ()) -> list[PluginInfo]:
    return registry(tuple(modules)).plugins()


@cache
def registry(modules: tuple[str, ...] = ()) -> Registry:
    """One of its kind for each list of modules, which is settled when the worker starts."""
    return Registry(modules)


def _is_connector(member: object) -> bool:
    return (
        inspect.isclass(member)
        and issubclass(member, SourceConnector | SinkConnector)
        and not inspect.isabstract(member)
        and isinstance(getattr(member, "CLASS", None), str)
    )


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
