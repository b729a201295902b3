"""What a service keeps in memory of its log."""

from __future__ import annotations

from typing import Protocol

from riacho.single_writer.record import LogRecord


class ReplicatedState(Protocol):
    """Both are called on the event loop's thread, one record at a time in the log's order, by the replicated log alone.

    So a `decide` that reads the state between two awaits needs no lock. Neither method may raise: a record that cannot
    be understood is skipped and logged, as every instance must come to the same state.
    """

    def apply(self, record: LogRecord) -> None:
        """The one writer of the state, live and on replay."""

    def clear(self) -> None:
        """Forget everything: the log was deleted or cut under us, and is read anew from its beginning."""
