"""The format `riacho` as Spark sees it: topics read and written, in batches and in streams.

Spark sends this class to the processes that plan and run a query, so it carries nothing but options; readers and
writers are imported where they are made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)

from riacho.pipelines.worker_heap import settle

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

FORMAT = "riacho"


class RiachoDataSource(DataSource):
    """`DEFAULTS` are options of every read and write that does not give them itself."""

    DEFAULTS: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def all_options(self) -> dict[str, str]:
        given = {str(key): str(value) for key, value in self.options.items()}
        names = {name.lower() for name in given}
        return {name: value for name, value in self.DEFAULTS.items() if name.lower() not in names} | given

    def schema(self) -> StructType:
        from riacho.pipelines.source.row_schema import row_schema

        return row_schema(self.all_options())

    def reader(self, schema: StructType) -> DataSourceReader:
        settle("reader")
        from riacho.pipelines.source.batch_reader import BatchReader

        return BatchReader(self.all_options())

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        settle("stream reader")
        from riacho.pipelines.source.stream_reader import StreamReader

        return StreamReader(self.all_options())

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        settle("writer")
        from riacho.pipelines.sink import writer

        return cast(DataSourceWriter, writer.batch_writer(self.all_options(), schema, overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        settle("stream writer")
        from riacho.pipelines.sink import writer

        return cast(DataSourceStreamWriter, writer.stream_writer(self.all_options(), schema, overwrite))


def data_source(defaults: Mapping[str, str]) -> type[RiachoDataSource]:
    """The class to register: with defaults it is one of its own, which Spark pickles by value."""
    if not defaults:
        return RiachoDataSource
    attributes: dict[str, Any] = {"DEFAULTS": dict(defaults), "__doc__": RiachoDataSource.__doc__}
    return type("ConfiguredDataSource", (RiachoDataSource,), attributes)
