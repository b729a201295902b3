"""Why the replicated log could not do what was asked: one sentence each, a kind for each thing to do about it."""

from __future__ import annotations


class ReplicatedLogError(Exception):
    """`str(error)` is the sentence."""


class NotLeader(ReplicatedLogError):
    """This instance does not lead, so nothing was written. `leader_url` is who does, as far as is known."""

    def __init__(self, message: str = "This instance is not the leader.", leader_url: str | None = None) -> None:
        super().__init__(message)
        self.leader_url = leader_url


class LeaderUnreachable(NotLeader):
    """Somebody is known to lead, and did not get the call: it is gone, and another one may soon lead."""


class LogError(ReplicatedLogError):
    """The log refused; nothing was written."""


class RecordTooLarge(LogError):
    """A record of the change is larger than the log takes; nothing was written."""


class LogTimeout(ReplicatedLogError):
    """The log did not answer in time; nothing was written."""


class OutcomeUnknown(ReplicatedLogError):
    """The write may have happened or not: whoever asked must look before they ask again."""
