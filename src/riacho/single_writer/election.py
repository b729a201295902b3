"""From being given the log by the group to leading it: the steps, and where each misfortune leads.

    FOLLOWING -> VERIFYING -> FENCING -> CLAIMING -> MARKING -> LEADING

VERIFYING  commits an offset without a URL, which the coordinator takes from a member of the current generation only:
           whoever slept through the loss of its session learns it here, before it fences the rightful leader.
FENCING    init_transactions: every earlier leader's transaction is now committed or aborted for good, and it gets no
           other one through.
CLAIMING   the same commit with our URL: followers forward to it. One that slept between the two steps ends here.
MARKING    a record that means nothing is written and read back. Its offset is the true end of the log, as only the
           log's real leader takes it: what a broker that is cut off tells of the log's end is not to be trusted.
LEADING    decisions see all that was ever acknowledged: earlier leaders' writes lie before the mark, and later ones
           are ours.

Only FENCING and MARKING make it safe, and they need no clock: a write gets through only if nobody has fenced us since
the state was complete. The group decides who tries, so that those who must not are soon quiet.

A term is one passage through the steps. What was begun in one term says nothing about another: results carry their
term, and late ones are dropped. This is the pure part; `candidacy.py` does what each step says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from riacho.base.backoff import Backoff

_BACKOFF = Backoff(50, 1_000)


class Step(Enum):
    FOLLOWING = auto()
    VERIFYING = auto()
    FENCING = auto()
    CLAIMING = auto()
    MARKING = auto()
    LEADING = auto()
    STOPPED = auto()


_NEXT = {
    Step.VERIFYING: Step.FENCING,
    Step.FENCING: Step.CLAIMING,
    Step.CLAIMING: Step.MARKING,
    Step.MARKING: Step.LEADING,
}


class Misfortune(Enum):
    GENERATION_LOST = "the group has gone on without this instance"
    FENCED = "another instance has taken the transactional id"
    OUTCOME_UNKNOWN = "a write ended without an answer"
    NO_ANSWER = "the brokers did not answer in time"
    REFUSED = "the brokers refused"
    STALLED = "this process stood still for longer than its session lasts"
    LOG_LOST = "the log was deleted or cut"


@dataclass(slots=True)
class Election:
    step: Step = Step.FOLLOWING
    term: int = 0
    # Whether the group's membership must be given up and sought again: it lost us, and may not have said so.
    must_rejoin: bool = False
    _failures: int = 0

    @property
    def is_assigned(self) -> bool:
        """The group gave us the log; we lead it, or are about to find out whether we may."""
        return self.step not in (Step.FOLLOWING, Step.STOPPED)

    @property
    def rest_ms(self) -> int:
        """How long to wait before the step is tried: nothing at first, longer with every failure."""
        return _BACKOFF.pause_ms(self._failures)

    def assigned(self) -> None:
        if self.step is Step.FOLLOWING:
            self.must_rejoin = False
            self._begin(Step.VERIFYING)

    def released(self) -> None:
        """Revoked in good order, or lost."""
        if self.is_assigned:
            self._failures = 0
            self._begin(Step.FOLLOWING)

    def done(self, term: int, step: Step) -> None:
        if (term, step) == (self.term, self.step) and step in _NEXT:
            self.step = _NEXT[step]
            if self.step is Step.LEADING:
                self._failures = 0

    def failed(self, term: int, misfortune: Misfortune) -> None:
        if term != self.term or not self.is_assigned:
            return
        if misfortune is Misfortune.GENERATION_LOST:
            self.must_rejoin = True
            self._failures = 0
            self._begin(Step.FOLLOWING)
            return
        self._failures = min(self._failures + 1, 16)
        # The claim may be repeated for as long as nobody is disturbed by it; all else starts with asking who we are.
        if not (self.step is Step.CLAIMING and misfortune is Misfortune.NO_ANSWER):
            self._begin(Step.VERIFYING)

    def rejoined(self) -> None:
        self.must_rejoin = False

    def stopped(self) -> None:
        self._begin(Step.STOPPED)

    def _begin(self, step: Step) -> None:
        self.term += 1
        self.step = step
