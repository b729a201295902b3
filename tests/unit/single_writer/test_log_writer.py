"""What a failure of each step of a transaction means for whoever asked for the write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from riacho.single_writer import log_writer
from riacho.single_writer.errors import LogError, LogTimeout, OutcomeUnknown, RecordTooLarge
from riacho.single_writer.log_writer import Fenced, LogWriter
from riacho.single_writer.record import Append

FENCED = KafkaError(KafkaError._FENCED, "fenced", True)
REFUSED = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED, "not authorized")
TIMED_OUT = KafkaError(KafkaError._TIMED_OUT, "timed out", False, True)
RECORDS = [Append(b"a", b"1"), Append(b"b", None)]


class Delivered:
    def __init__(self, offset: int | None) -> None:
        self._offset = offset

    def offset(self) -> int | None:
        return self._offset


class ScriptedProducer:
    """Fails where `failures` says so, once; `reports` are what becomes of the records."""

    made: list[ScriptedProducer] = []
    failures: dict[str, list[KafkaError]] = {}
    reports: list[tuple[KafkaError | None, int | None]] = []
    unsent = 0

    def __init__(self, settings: dict[str, Any]) -> None:
        self.calls: list[str] = []
        self._waiting: list[Callable[..., None]] = []
        self.made.append(self)

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*_: Any) -> None:
            self.calls.append(name)
            if self.failures.get(name):
                raise KafkaException(self.failures[name].pop(0))

        return call

    def produce(self, *_: Any, on_delivery: Callable[..., None], **__: Any) -> None:
        self._waiting.append(on_delivery)

    def flush(self, timeout_s: float) -> int:
        for on_delivery, (error, offset) in zip(self._waiting, self.reports, strict=False):
            on_delivery(error, Delivered(offset))
        self._waiting.clear()
        return self.unsent


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> LogWriter:
    monkeypatch.setattr(log_writer, "Producer", ScriptedProducer)
    monkeypatch.setattr(ScriptedProducer, "made", [])
    monkeypatch.setattr(ScriptedProducer, "failures", {})
    monkeypatch.setattr(ScriptedProducer, "reports", [(None, 7), (None, 8)])
    monkeypatch.setattr(ScriptedProducer, "unsent", 0)
    made = LogWriter("log", {})
    made.open(1.0)
    return made


def test_the_offset_of_the_last_record(writer: LogWriter) -> None:
    assert writer.write(RECORDS, 1.0) == 8
    assert ScriptedProducer.made[0].calls == ["init_transactions", "begin_transaction", "commit_transaction"]


def test_fenced_before_the_commit_nothing_was_written(writer: LogWriter) -> None:
    ScriptedProducer.reports = [(FENCED, None), (FENCED, None)]
    ScriptedProducer.failures = {"abort_transaction": [FENCED]}
    with pytest.raises(Fenced):
        writer.write(RECORDS, 1.0)
    assert not writer.is_open


def test_a_fatal_error_thrown_into_a_report_is_as_good_as_fenced(
    writer: LogWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flush(_: ScriptedProducer, timeout_s: float) -> int:
        raise SystemError("returned a result with an exception set")

    monkeypatch.setattr(ScriptedProducer, "flush", flush)
    with pytest.raises(Fenced):
        writer.write(RECORDS, 1.0)
    assert not writer.is_open
    assert "commit_transaction" not in ScriptedProducer.made[0].calls


@pytest.mark.parametrize("failure", [FENCED, REFUSED, TIMED_OUT])
def test_any_failure_of_the_commit_leaves_the_outcome_unknown(writer: LogWriter, failure: KafkaError) -> None:
    """Even fenced: it may be the answer to a second asking, after the first was heard."""
    ScriptedProducer.failures = {"commit_transaction": [failure] * 1_000_000}
    with pytest.raises(OutcomeUnknown):
        writer.write(RECORDS, 0.01)
    assert not writer.is_open


def test_a_commit_that_may_be_asked_for_again_is(writer: LogWriter) -> None:
    ScriptedProducer.failures = {"commit_transaction": [TIMED_OUT, TIMED_OUT]}
    assert writer.write(RECORDS, 60.0) == 8
    assert ScriptedProducer.made[0].calls.count("commit_transaction") == 3


@pytest.mark.parametrize("code", [KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE])
def test_a_record_that_is_too_large_has_a_kind_of_its_own(writer: LogWriter, code: int) -> None:
    ScriptedProducer.reports = [(None, 7), (KafkaError(code), None)]
    with pytest.raises(RecordTooLarge, match="nothing was written"):
        writer.write(RECORDS, 1.0)
    assert writer.is_open


def test_a_refused_record_is_taken_back_and_the_writer_goes_on(writer: LogWriter) -> None:
    ScriptedProducer.reports = [(None, 7), (REFUSED, None)]
    with pytest.raises(LogError, match="nothing was written: not authorized"):
        writer.write(RECORDS, 1.0)
    assert writer.is_open
    assert "commit_transaction" not in ScriptedProducer.made[0].calls


def test_a_refused_record_that_cannot_be_taken_back_closes_the_writer(writer: LogWriter) -> None:
    ScriptedProducer.reports = [(REFUSED, None), (REFUSED, None)]
    ScriptedProducer.failures = {"abort_transaction": [TIMED_OUT]}
    with pytest.raises(LogError):
        writer.write(RECORDS, 1.0)
    assert not writer.is_open


def test_records_that_stay_unsent_are_never_committed(writer: LogWriter) -> None:
    ScriptedProducer.unsent = 1
    with pytest.raises(LogTimeout, match="nothing was written"):
        writer.write(RECORDS, 1.0)
    assert not writer.is_open
    assert "commit_transaction" not in ScriptedProducer.made[0].calls


def test_a_write_whose_place_is_not_told_is_unknown(writer: LogWriter) -> None:
    ScriptedProducer.reports = [(None, 7), (None, None)]
    with pytest.raises(OutcomeUnknown):
        writer.write(RECORDS, 1.0)
    assert not writer.is_open


def test_a_closed_writer_writes_nothing(writer: LogWriter) -> None:
    writer.close()
    with pytest.raises(Fenced):
        writer.write(RECORDS, 1.0)


def test_opening_again_fences_with_a_new_producer(writer: LogWriter) -> None:
    ScriptedProducer.failures = {"init_transactions": [TIMED_OUT]}
    writer.open(60.0)
    assert [producer.calls[0] for producer in ScriptedProducer.made] == ["init_transactions"] * 2
    assert ScriptedProducer.made[1].calls == ["init_transactions"] * 2


def test_a_producer_that_may_not_be_started(writer: LogWriter) -> None:
    ScriptedProducer.failures = {"init_transactions": [REFUSED]}
    with pytest.raises(LogError, match="not authorized"):
        writer.open(1.0)
    assert not writer.is_open


def test_errors_keep_no_producer_alive(writer: LogWriter) -> None:
    ScriptedProducer.failures = {"commit_transaction": [REFUSED]}
    with pytest.raises(OutcomeUnknown) as raised:
        writer.write(RECORDS, 1.0)
    trace, held = raised.value.__traceback__, []
    while trace is not None:
        held += [value for value in trace.tb_frame.f_locals.values() if isinstance(value, ScriptedProducer)]
        trace = trace.tb_next
    assert held == []
    assert raised.value.__context__ is None
