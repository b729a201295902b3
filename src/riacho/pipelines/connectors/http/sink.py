"""HTTP sink: records as JSON to an API, each by itself or several in a request. Confluent's settings.

At least once to the API, whose part of exactly once is to mind the `Idempotency-Key` (`http_requests`): a micro-batch
that is done again makes the same requests with the same keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least, one_of, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigType, ConfigValue, Definition, Importance, Outside
from riacho.pipelines.connectors.http.exchange import HttpExchange, valid_url
from riacho.pipelines.connectors.http.requests import RequestSettings, TaskRequests
from riacho.pipelines.connectors.http.settings import HTTP, check_auth, http_settings
from riacho.pipelines.plugin import Rejected, SinkConnector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_METHODS = ("POST", "PUT", "PATCH")
_ON_NULL = ("ignore", "fail", "delete")


class HttpSinkConnector(SinkConnector):
    CLASS: ClassVar[str] = "io.confluent.connect.http.HttpSinkConnector"
    DOC: ClassVar[str] = "Records as JSON to an HTTP API."
    CONFIG: ClassVar[ConfigDef] = HTTP + ConfigDef(
        Definition(
            "http.api.url",
            ConfigType.STRING,
            doc="Where records go; ${topic} and ${key} are filled in.",
            required=True,
            valid=valid_url,
            outside=Outside.URL,
            importance=Importance.HIGH,
        ),
        Definition(
            "request.method",
            ConfigType.STRING,
            "POST",
            doc="POST, PUT or PATCH.",
            valid=one_of_any_case(*_METHODS),
            recommended=_METHODS,
        ),
        Definition(
            "request.body.format",
            ConfigType.STRING,
            "json",
            doc="json: values in JSON; string: text as it is.",
            valid=one_of("json", "string"),
        ),
        Definition("batch.max.size", ConfigType.INT, "1", doc="How many records in a request.", valid=at_least(1)),
        Definition("batch.prefix", ConfigType.STRING, "", doc="What stands before the records of a request."),
        Definition("batch.suffix", ConfigType.STRING, "", doc="What stands after them."),
        Definition("batch.separator", ConfigType.STRING, ",", doc="What stands between them."),
        Definition("batch.json.as.array", ConfigType.BOOLEAN, "false", doc="Send the records as a JSON array."),
        Definition(
            "behavior.on.null.values",
            ConfigType.STRING,
            "ignore",
            doc="What a null value means: nothing, a bad record, or a DELETE.",
            valid=one_of(*_ON_NULL),
            recommended=_ON_NULL,
        ),
        Definition(
            "idempotency.header",
            ConfigType.STRING,
            "Idempotency-Key",
            doc="The header with a request's own name, the same when it comes again; empty: none.",
        ),
    )

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        return check_auth(configs, super().check(configs))

    def request_settings(self) -> RequestSettings:
        given: Mapping[str, Any] = self.settings
        return RequestSettings(
            url=given["http.api.url"],
            http=http_settings(given, self.context.limits.urls),
            method=given["request.method"].upper(),
            batch_size=given["batch.max.size"],
            prefix=given["batch.prefix"],
            suffix=given["batch.suffix"],
            separator=given["batch.separator"],
            as_array=given["batch.json.as.array"],
            content_type="application/json" if given["request.body.format"] == "json" else "text/plain; charset=utf-8",
            on_null=given["behavior.on.null.values"],
            id_header=given["idempotency.header"],
        )

    def prepare(self) -> None:
        """Only that somebody listens: a request of our own might be taken for a record."""
        settings = self.request_settings()
        url = settings.url.replace("${topic}", "").replace("${key}", "")
        exchange = HttpExchange(replace(settings.http, retries_max=0))
        try:
            exchange.reach(url)
        finally:
            exchange.close()

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        from pyspark.sql import functions as F

        from riacho.pipelines.connectors.row_text import as_text
        from riacho.pipelines.records import came_from

        rows = batch.select(
            came_from(batch).alias("topic"),
            "partition",
            "offset",
            F.when(F.col("key").isNotNull(), as_text(batch, "key")).alias("key"),
            F.when(F.col("value").isNotNull(), as_text(batch, "value")).alias("value"),
            F.col("topic").alias("routed"),
        )
        refused = rows.mapInArrow(
            TaskRequests(self.request_settings()), "topic string, partition int, offset bigint, message string"
        )
        return [Rejected(*row) for row in refused.collect()]
