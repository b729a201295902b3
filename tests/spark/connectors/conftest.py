"""What tests of connectors share: one PostgreSQL for all of them, and a way to run a connector without Connect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from riacho.pipelines.plugin import Connector, Context, SourceConnector, SourceOffset
from riacho.pipelines.reach.limits import without_limits
from support.postgresql import PostgreSQL, running_postgresql, why_no_postgresql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

C = TypeVar("C", bound=Connector)
DEADLINE_S = 400
_STARTS_MAX = 6

RunSource = Callable[..., list[list[Any]]]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    reason = why_no_postgresql()
    if reason is not None:
        pytest.skip(reason)
    with running_postgresql() as server:
        yield server


@pytest.fixture
def make_connector(tmp_path: Path) -> Callable[..., Any]:
    def make(kind: type[C], configs: Mapping[str, str], tasks_max: int = 1, bootstrap: str = "") -> C:
        assert [each.errors for each in kind.check(configs) if each.errors] == []
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        context = Context(
            "made", configs, bootstrap, tasks_max=tasks_max, scratch=str(scratch), limits=without_limits()
        )
        connector = kind(kind.CONFIG.parse(configs), context)
        connector.prepare()
        return connector

    return make


@pytest.fixture
def run_source(spark: SparkSession, tmp_path: Path) -> RunSource:
    """Everything that is there now, a list of rows for each micro-batch; goes on where the last run ended. With `then`,
    that is done with each micro-batch instead."""

    def run(
        connector: SourceConnector,
        offsets: Sequence[SourceOffset] | None = None,
        checkpoint: str = "checkpoint",
        then: Callable[[DataFrame], None] | None = None,
    ) -> list[list[Any]]:
        batches: list[list[Any]] = []

        def process(batch: DataFrame, batch_id: int) -> None:
            shaped = connector.shape(batch)
            if then is None:
                batches.append(shaped.collect())
            else:
                then(shaped)

        def start() -> StreamingQuery:
            stream = connector.open(spark, offsets).writeStream.foreachBatch(process)
            options = {"checkpointLocation": str(tmp_path / checkpoint)}
            return stream.options(**options).trigger(availableNow=True).start()

        _end_of(start)
        connector.close()
        return batches

    return run


def _end_of(start: Callable[[], StreamingQuery]) -> None:
    """Spark gives the process that plans a query ten seconds to start, too few on a machine with much to do: once more
    then, as nothing has been read yet."""
    from pyspark.errors import StreamingQueryException

    for attempt in range(_STARTS_MAX):
        query = start()
        try:
            assert query.awaitTermination(DEADLINE_S), "the query did not end"
            return
        except StreamingQueryException as error:
            if "failed to connect back" not in str(error) or attempt == _STARTS_MAX - 1:
                raise
