"""One case from its statements to its verdict: a generator of arms, as a query's run is.

As in ksqlDB's own runner, all statements come first; then each query, in the order of the statements, reads all that
its topic holds: the case's inputs, or what earlier queries wrote.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from riacho.pipelines.sql.analysis.settings import Evaluate
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.pipelines.sql.testing.arms import Arm, ResultRow
from riacho.pipelines.sql.testing.case import Case, CaseError, CaseRecord
from riacho.pipelines.sql.testing.comparing import differences
from riacho.pipelines.sql.testing.engine import Engine
from riacho.pipelines.sql.testing.query_run import QueryRun
from riacho.pipelines.tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` has a line for each thing that is wrong; none where the case passed."""

    why: tuple[str, ...] = ()

    @property
    def has_passed(self) -> bool:
        return not self.why


class ArmFailedError(Exception):
    """Spark could not compute an arm; one sentence."""


CaseRun: TypeAlias = Generator[Arm, list[ResultRow], Verdict]
_REFUSALS = (KsqlError, CodecError, RegistryRefusal, TaskError, ArmFailedError)


def run_case(case: Case, evaluate: Evaluate | None) -> CaseRun:
    if case.problem is not None:
        return Verdict((case.problem,))
    try:
        engine = prepared(case, evaluate)
        yield from _run_queries(case, engine)
    except CaseError as error:
        return Verdict((str(error),))
    except _REFUSALS as error:
        return _refused(case, str(error))
    except RecursionError:
        return _refused(case, "The statement is nested too deeply.")
    if case.expected is not None:
        return Verdict((f"expected a refusal, and none came: {case.expected.message or 'any'}",))
    return compared(case, engine)


def prepared(case: Case, evaluate: Evaluate | None) -> Engine:
    """Statements carried out, and inputs in their topics."""
    engine = Engine(case.properties, evaluate, on_other=lambda statement: None)
    for topic in case.topics:
        engine.describe_topic(topic)
    for text in case.statements:
        engine.execute(text)
    given = {record.topic for record in case.inputs}
    for name in given:
        # Rows that statements inserted are not read besides the case's own.
        engine.topics.create(name).records.clear()
    for record in case.inputs:
        try:
            engine.topics.append(record.topic, engine.forms.written(record))
        except CodecError as error:
            raise CaseError(f"An input of {record.topic} cannot be written: {error}") from None
    return engine


def _run_queries(case: Case, engine: Engine) -> Generator[Arm, list[ResultRow], None]:
    given = {name: len(engine.topics.records(name)) for name in {record.topic for record in case.inputs}}
    for query in engine.queries():
        run = QueryRun(query.plan, engine.registry)
        for read in query.plan.reads:
            records = engine.topics.records(read.topic)
            records = records[: given.get(read.topic, len(records))]
            for written in (yield from run.run(read, list(enumerate(records)))):
                engine.topics.append(query.plan.write.topic, written)


def _refused(case: Case, message: str) -> Verdict:
    if case.expected is None:
        return Verdict((f"refused: {message}",))
    wanted = case.expected.message
    if wanted is None or _flat(wanted) in _flat(message):
        return Verdict()
    return Verdict((f"refused with another message: expected {wanted!r}, got {message!r}",))


def _flat(text: str) -> str:
    return " ".join(text.split())


def compared(case: Case, engine: Engine) -> Verdict:
    """What the topics hold with what has to come out."""
    expected: dict[str, list[CaseRecord]] = {}
    for record in case.outputs:
        expected.setdefault(record.topic, []).append(record)
    found: list[str] = []
    for topic, records in expected.items():
        # A topic of inputs may be written too; what the case put there itself is no output.
        given = sum(record.topic == topic for record in case.inputs)
        try:
            actual = [engine.forms.read(topic, record) for record in engine.topics.records(topic)[given:]]
        except CodecError as error:
            found.append(f"{topic}: {error}")
            continue
        found += differences(topic, records, actual)
    return Verdict(tuple(found))
