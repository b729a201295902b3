"""Why an office could not do what was asked: one sentence each, and a kind for each thing a caller may do about it."""

from __future__ import annotations


class OfficeError(Exception):
    """`str(error)` is the sentence."""


class NotLeader(OfficeError):
    """This instance does not lead, so nothing was written. `leader_url` is who does, as far as is known."""

    def __init__(self, message: str = "This instance is not the leader.", leader_url: str | None = None) -> None:
        super().__init__(message)
        self.leader_url = leader_url


class LeaderUnreachable(NotLeader):
    """Somebody is known to lead, and did not get the call: it is gone, and another one may soon lead."""


class LogError(OfficeError):
    """The log refused; nothing was written."""


class RecordTooLarge(LogError):
    """A record of the change is larger than the log takes; nothing was written."""


class LogTimeout(OfficeError):
    """The log did not answer in time; nothing was written."""


class OutcomeUnknown(OfficeError):
    """The write may have happened or not: whoever asked must look before they ask again."""
