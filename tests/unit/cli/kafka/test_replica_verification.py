"""kafka-replica-verification runs until Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from riacho.cli.kafka.launch import EXIT_INTERRUPTED
from riacho.cli.kafka.replica_comparison import Fetched, Lag, ReplicaComparison
from riacho.cli.kafka.replica_verification import watch


class _InterruptedAtItsEnd:
    """A KeyboardInterrupt that is raised here goes no further: Python drops what finalisers raise."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


class _Interrupted(ReplicaComparison):
    def __init__(self) -> None:
        super().__init__({})
        self.rounds = 0

    def compare(self, fetched: Mapping[tuple[str, int], Mapping[int, Fetched]]) -> tuple[Lag | None, list[str]]:
        self.rounds += 1
        assert self.rounds == 1, "it went on after the interrupt"
        _InterruptedAtItsEnd()
        return super().compare(fetched)


class _Fetcher:
    def fetch(self, offsets: object) -> dict[tuple[str, int], Fetched]:
        return {}


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_while_an_object_is_finalised_ends_it() -> None:
    fetchers: Any = {1: _Fetcher()}
    assert watch(_Interrupted(), fetchers, 1_000) == EXIT_INTERRUPTED
