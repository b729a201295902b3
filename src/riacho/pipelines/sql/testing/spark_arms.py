"""Arms, computed by Spark: many at once, as one statement.

A Spark statement costs more in its parsing and planning than in its rows, so arms of many cases go together. Where one
of them cannot be planned or fails, the batch is halved until it fails alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from riacho.pipelines.sql.functions.python_functions import called_python_functions, register_python_functions
from riacho.pipelines.sql.row_json import row_text
from riacho.pipelines.sql.runner.session import MEANING
from riacho.pipelines.sql.testing.arms import Arm, ResultRow, result_row
from riacho.pipelines.sql.testing.case_run import ArmFailedError
from riacho.pipelines.sql.types import Field, SqlType

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[2]"
_SMALL = {
    # Generated code costs far more than the few rows that it would run over.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.subexpressionElimination.enabled": "false",
    # Texts of plans are made for every statement, and nobody reads them.
    "spark.sql.maxPlanStringLength": "0",
    "spark.sql.debug.maxToStringFields": "1",
}
_PROCESS = {
    "spark.default.parallelism": "1",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "10",
    "spark.driver.memory": "1g",
    # A run is over before the second compiler's work pays: a third less CPU.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # What Spark logs of a case that fails, the case says.
    "spark.log.level": "OFF",
}
REASON_MAX = 500


def open_session() -> SparkSession:
    from riacho.pipelines.spark.session import spark

    session = spark("ksql-test-runner", master=MASTER, conf={**_PROCESS, **_SMALL, **MEANING})
    session.sparkContext.setLogLevel("OFF")
    return session


def session_beside(session: SparkSession) -> SparkSession:
    """Of a process that has one already: the same settings for statements, and functions of its own."""
    beside = session.newSession()
    for name, value in {**_SMALL, **MEANING}.items():
        beside.conf.set(name, value)
    return beside


class SparkArms:
    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._registered: set[str] = set()
        self._registering = Lock()

    def run(self, arms: Sequence[Arm]) -> list[list[ResultRow] | ArmFailedError]:
        """Rows of each arm, or why there are none."""
        try:
            return list(self._together(arms))
        except Exception as error:
            if len(arms) == 1:
                return [ArmFailedError(reason_of(error))]
            middle = len(arms) // 2
            return self.run(arms[:middle]) + self.run(arms[middle:])

    def _together(self, arms: Sequence[Arm]) -> list[list[ResultRow]]:
        texts = [arm.sql(number) for number, arm in enumerate(arms)]
        self._register(texts)
        frame = self._session.sql(" UNION ALL ".join(texts))
        if len(arms) > 1:
            frame = frame.coalesce(1)
        results: list[list[ResultRow]] = [[] for _ in arms]
        for row in frame.collect():
            results[row["arm"]].append(result_row(row))
        return results

    def _register(self, texts: Iterable[str]) -> None:
        """The Python functions that are called and that the session does not know yet."""
        with self._registering:
            new = set(called_python_functions(texts)) - self._registered
            if new:
                register_python_functions(self._session, new)
                self._registered |= new

    def evaluate(self, text: str, kind: SqlType) -> Any:
        """A constant, in `row_json.py`'s form: what INSERT VALUES asks for."""
        self._register([text])
        (row,) = self._session.sql(f"SELECT {row_text([(Field('value', kind), text)])} AS row").collect()
        return msgspec.json.decode(row["row"])["value"]


def reason_of(error: BaseException) -> str:
    """The first sentence of what Spark says."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"Spark cannot compute it: {lines[0][:REASON_MAX]}"
