"""An HTTP API as a streaming source of Spark: each micro-batch is one page.

An API cannot be asked for the same page twice, so a page is written to a file before its offset is reported; a
micro-batch that is read again comes from there. Files go when Spark has said that their batch is done.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from riacho.pipelines.connectors.http.exchange import HttpExchange, HttpSettings
from riacho.pipelines.connectors.http.pages import PageOffset, PageSettings, fetch_page
from riacho.pipelines.plugin import ConnectError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "riacho_http"
SETTINGS = "secret.settings"
START = "start"
DIRECTORY = "directory"
INTERVAL = "interval.ms"


class HttpDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        from pyspark.sql.types import StringType, StructField, StructType

        return StructType([StructField("key", StringType()), StructField("value", StringType())])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        given = json.loads(self.options[SETTINGS])
        settings = PageSettings(**{**given, "http": HttpSettings(**given["http"])})
        start = json.loads(self.options.get(START, "{}"))
        return HttpStreamReader(settings, Path(self.options[DIRECTORY]), int(self.options[INTERVAL]) / 1000, start)


class Records(InputPartition):
    """The rows themselves: whoever reads them need not have the file."""

    def __init__(self, rows: list[tuple[str | None, str]]) -> None:
        self.rows = rows


class HttpStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, settings: PageSettings, directory: Path, interval_s: float, start: dict[str, Any]) -> None:
        self._settings = settings
        self._directory = directory
        self._interval_s = interval_s
        self._start = start
        self._idle_since: float | None = None
        self._is_now = False

    def initialOffset(self) -> dict[str, Any]:
        return {"page": 0, **PageOffset.of(self._start).as_json()}

    def prepareForTriggerAvailableNow(self) -> None:
        self._is_now = True

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Page after page while there is something new; then a pause of the interval."""
        now = time.monotonic()
        if self._idle_since is not None and (self._is_now or now - self._idle_since < self._interval_s):
            return start
        exchange = HttpExchange(self._settings.http)
        position = PageOffset.of(start)
        try:
            page = fetch_page(self._settings, exchange, position)
            # An empty page may still lead to another.
            while not page.records and page.position.offset != position.offset:
                position = page.position
                page = fetch_page(self._settings, exchange, position)
        finally:
            exchange.close()
        if not page.records:
            self._idle_since = now
            return start
        self._idle_since = None
        number = int(start["page"]) + 1
        self._keep(number, page.records)
        return {"page": number, **page.position.as_json()}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        pages = [self._kept(number) for number in range(int(start["page"]) + 1, int(end["page"]) + 1)]
        return [Records(page) for page in pages if page]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        assert isinstance(partition, Records)
        columns = zip(*partition.rows, strict=True)
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], ["key", "value"])

    def commit(self, end: dict[str, Any]) -> None:
        for path in self._directory.glob("page-*.json"):
            if int(path.stem.removeprefix("page-")) <= int(end["page"]):
                path.unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self._directory / f"page-{number}.json"

    def _keep(self, number: int, rows: list[tuple[str | None, str]]) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        written = self._path(number).with_suffix(".new")
        with written.open("w", encoding="utf-8") as file:
            json.dump(rows, file)
            file.flush()
            os.fsync(file.fileno())
        written.replace(self._path(number))

    def _kept(self, number: int) -> list[tuple[str | None, str]]:
        try:
            rows = json.loads(self._path(number).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ConnectError(f"Page {number} was asked for, but its file in {self._directory} is lost") from None
        return [(key, value) for key, value in rows]
