"""Connectors, converters and transforms that do nothing, and a catalog of them which needs no Spark.

As a program it is a catalog's process (`riacho.catalog.command`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.connect.plugins import catalog_process
from riacho.pipelines.connect.plugins.catalog import Validated
from riacho.pipelines.connect.plugins.plugins import Plugin, Plugins, type_of
from riacho.pipelines.connectors.file_stream.source import FileStreamSource
from riacho.pipelines.plugin import ConnectError, Connector, SinkConnector, SourceConnector
from riacho.web.errors import ApiError

SOURCE = "org.apache.kafka.connect.file.FileStreamSourceConnector"
SINK = "org.apache.kafka.connect.file.FileStreamSinkConnector"
JSON = "org.apache.kafka.connect.json.JsonConverter"
STRING = "org.apache.kafka.connect.storage.StringConverter"
ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"
MATCHES = "org.apache.kafka.connect.transforms.predicates.TopicNameMatches"


class FakeSource(SourceConnector):
    CLASS = SOURCE
    CONFIG = ConfigDef(
        Definition("topic", ConfigType.STRING, required=True, importance=Importance.HIGH, doc="Where records go."),
        Definition("file", ConfigType.STRING, doc="What is read."),
        Definition("batch.size", ConfigType.INT, "2000", doc="How much at a time."),
        Definition("password", ConfigType.PASSWORD, doc="Nobody may see it."),
    )

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Any) -> None:
        FileStreamSource.alter_offsets(configs, offsets)

    def open(self, spark: Any, offsets: Any) -> Any:
        raise ConnectError("a fake is never opened")


class FakeSink(SinkConnector):
    CLASS = SINK
    CONFIG = ConfigDef(Definition("file", ConfigType.STRING, doc="What is written."))

    def put(self, batch: Any, batch_id: int) -> Any:
        raise ConnectError("a fake takes nothing")


class FakeConverter:
    CONFIG = ConfigDef(Definition("schemas.enable", ConfigType.BOOLEAN, "true", doc="Whether schemas go along."))


class FakeRouter:
    CONFIG = ConfigDef(
        Definition("regex", ConfigType.STRING, required=True, doc="What matches."),
        Definition("replacement", ConfigType.STRING, required=True, doc="What it becomes."),
    )


class FakeMatches:
    CONFIG = ConfigDef(Definition("pattern", ConfigType.STRING, required=True, doc="What matches."))


class FakePlugins(Plugins):
    _classes = (FakeSink, FakeSource)

    def connector(self, class_name: str) -> type[Connector]:
        for each in self._classes:
            simple = each.CLASS.rpartition(".")[2]
            if class_name in (each.CLASS, simple, simple.removesuffix("Connector")):
                return each
        known = ", ".join(each.CLASS for each in self._classes)
        raise ConnectError(
            "Failed to find any class that implements Connector and which name matches "
            f"{class_name}, available connectors are: {known}"
        )

    def connectors(self) -> list[Plugin]:
        return [Plugin(each.CLASS, type_of(each), each.VERSION) for each in self._classes]

    @cached_property
    def converters(self) -> Mapping[str, Any]:
        return {JSON: FakeConverter, STRING: object}

    @cached_property
    def transforms(self) -> Mapping[str, Any]:
        return {ROUTER: FakeRouter}

    @cached_property
    def predicates(self) -> Mapping[str, Any]:
        return {MATCHES: FakeMatches}


class FakeCatalog:
    """In this process."""

    def __init__(self) -> None:
        self._questions = catalog_process.Questions(FakePlugins(), {})

    def _ask(self, **question: Any) -> Any:
        answer = self._questions.answer(question)
        if "wrong" in answer:
            raise ApiError(400, 400, answer["wrong"])
        return answer["ok"]

    async def plugins(self, *, is_all: bool) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self._ask(ask="plugins", all=is_all)
        return found

    async def config_of(self, plugin: str) -> list[dict[str, Any]] | None:
        found: list[dict[str, Any]] | None = self._ask(ask="config", plugin=plugin)
        return found

    async def validate(self, name: str, config: Mapping[str, str]) -> Validated:
        return Validated(**self._ask(ask="validate", name=name, configs=dict(config)))

    async def check_offsets(self, config: Mapping[str, str], pairs: Any) -> None:
        self._ask(ask="offsets", configs=dict(config), pairs=list(pairs))

    async def are_same(self, one: str, other: str) -> bool:
        return bool(self._ask(ask="class", a=one, b=other))

    async def close(self) -> None:
        return


if __name__ == "__main__":
    catalog_process.Plugins = FakePlugins  # type: ignore[misc]
    catalog_process.main()
