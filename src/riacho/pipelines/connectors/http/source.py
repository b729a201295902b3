"""HTTP source: polls an API for JSON records. Confluent's settings, and two modes more (`http_pages`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import Value, at_least, one_of
from riacho.pipelines.config_def import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConfigValue,
    Definition,
    Importance,
    Outside,
    with_errors,
)
from riacho.pipelines.connectors.http.exchange import HttpExchange, valid_url
from riacho.pipelines.connectors.http.pages import (
    CHAINING,
    CURSOR,
    MODES,
    SNAPSHOT,
    PageOffset,
    PageSettings,
    fetch_page,
)
from riacho.pipelines.connectors.http.settings import HTTP, check_auth, http_settings, parse_headers
from riacho.pipelines.connectors.offset_values import check_count, check_keys
from riacho.pipelines.plugin import SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMATS = ("json", "string")


def _valid_pointer(name: str, value: Value) -> None:
    if value and not str(value).startswith("/"):
        raise ConfigError(f"Invalid value {value} for configuration {name}: A JSON pointer begins with /")


def _pointer(name: str, doc: str) -> Definition:
    return Definition(name, ConfigType.STRING, "", doc=doc, valid=_valid_pointer)


class HttpSourceConnector(SourceConnector):
    CLASS: ClassVar[str] = "io.confluent.connect.http.HttpSourceConnector"
    DOC: ClassVar[str] = "Records of an HTTP API, polled: pages, cursors, timestamps, ETags."
    CONFIG: ClassVar[ConfigDef] = HTTP + ConfigDef(
        Definition(
            "url",
            ConfigType.STRING,
            doc="What to poll; ${offset} is filled in.",
            required=True,
            valid=valid_url,
            outside=Outside.URL,
            importance=Importance.HIGH,
        ),
        Definition(
            "topic.name.pattern",
            ConfigType.STRING,
            doc="The topic of the records.",
            required=True,
            importance=Importance.HIGH,
        ),
        Definition(
            "http.offset.mode",
            ConfigType.STRING,
            SNAPSHOT,
            doc="How the next request follows from the last answer.",
            valid=one_of(*MODES),
            importance=Importance.HIGH,
            recommended=MODES,
        ),
        Definition("http.initial.offset", ConfigType.STRING, "", doc="${offset} of the first request."),
        Definition(
            "http.request.method", ConfigType.STRING, "GET", doc="GET or POST.", valid=one_of("GET", "POST", "PUT")
        ),
        Definition(
            "http.request.headers", ConfigType.STRING, "", doc="Headers of each request: name:value|name:value."
        ),
        Definition("http.request.parameters", ConfigType.STRING, "", doc="Query parameters: name=value&name=value."),
        Definition("http.request.body", ConfigType.STRING, "", doc="Body of each request."),
        _pointer("http.response.data.json.pointer", "Where the records are in an answer; empty: the answer itself."),
        _pointer("http.offset.json.pointer", "Where the offset is in a record, with CHAINING."),
        _pointer("http.next.page.json.pointer", "Where the next page is in an answer."),
        _pointer("http.key.json.pointer", "Where the key is in a record; empty: no key."),
        Definition(
            "http.response.value.format",
            ConfigType.STRING,
            "json",
            doc="Records as structs with inferred fields (json), or as text (string).",
            valid=one_of(*_FORMATS),
            recommended=_FORMATS,
        ),
        Definition(
            "request.interval.ms",
            ConfigType.LONG,
            "15000",
            doc="How long to wait when there was nothing new.",
            valid=at_least(0),
            importance=Importance.HIGH,
        ),
    )

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        needed = {CHAINING: "http.offset.json.pointer", CURSOR: "http.next.page.json.pointer"}
        name = needed.get(configs.get("http.offset.mode", ""), "")
        values = check_auth(configs, super().check(configs))
        if not name or configs.get(name):
            return values
        wrong = f"{name} must be set when http.offset.mode is {configs['http.offset.mode']}"
        return with_errors(values, {name: wrong})

    def page_settings(self) -> PageSettings:
        given: Mapping[str, Any] = self.settings
        http = http_settings(given, self.context.limits.urls)
        own = parse_headers("http.request.headers", given["http.request.headers"])
        return PageSettings(
            url=given["url"],
            http=replace(http, headers=http.headers | own),
            mode=given["http.offset.mode"],
            method=given["http.request.method"],
            parameters=given["http.request.parameters"],
            body=given["http.request.body"],
            initial=given["http.initial.offset"],
            records_pointer=given["http.response.data.json.pointer"],
            offset_pointer=given["http.offset.json.pointer"],
            next_pointer=given["http.next.page.json.pointer"],
            key_pointer=given["http.key.json.pointer"],
        )

    def prepare(self) -> None:
        """One request, to see that the API is there and answers with what can be read."""
        settings = self.page_settings()
        exchange = HttpExchange(replace(settings.http, retries_max=0))
        try:
            fetch_page(settings, exchange, PageOffset(settings.initial if settings.mode not in (SNAPSHOT,) else ""))
        finally:
            exchange.close()

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from pyspark.sql import functions as F

        from riacho.pipelines.connectors.http.stream import (
            DIRECTORY,
            FORMAT,
            INTERVAL,
            SETTINGS,
            START,
            HttpDataSource,
        )

        spark.dataSource.register(HttpDataSource)
        start = next((dict(each.offset) for each in offsets or () if each.offset), {})
        options = {
            SETTINGS: json.dumps(asdict(self.page_settings())),
            DIRECTORY: str(Path(self.context.scratch) / "pages"),
            INTERVAL: str(self.settings["request.interval.ms"]),
            START: json.dumps(start),
        }
        topic = F.lit(self.settings["topic.name.pattern"]).alias("topic")
        return spark.readStream.format(FORMAT).options(**options).load().select(topic, "key", "value")

    def shape(self, batch: DataFrame) -> DataFrame:
        if self.settings["http.response.value.format"] == "string":
            return batch
        from pyspark.sql import functions as F

        from riacho.pipelines.records import with_schema

        inferred = batch.sparkSession.read.json(batch.select("value")).schema
        if "_corrupt_record" in inferred.names or not inferred.names:
            # Not all of them are objects: they stay text.
            return batch
        return with_schema(batch, "value", F.from_json("value", inferred), {"connect.schemaless": True})

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        check_keys(offsets, ["url"], ["offset", "seen", "etag", "digest"])
        for each in offsets:
            if each.offset is not None and "seen" in each.offset:
                check_count(each.offset, "seen")

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        return [SourceOffset({"url": str(self.settings["url"]).partition("?")[0]}, PageOffset.of(end).as_json())]
