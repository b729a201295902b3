"""Names of a cluster for who types: known ones at once, newer ones asked for beside.

Whoever asks never waits: `names` gives what was last heard and, where that is older than two seconds, has a thread ask
again, one question at a time of a kind. Threads are one a service (`questions.py`) and end with the process. What does
not answer is asked again after a while, without a word. Names are chosen by others: one that has control characters in
it, which a terminal would obey, is left out.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.offers import NameKind, Offer
from riacho.cli.shell.completion.questions import Questions, questions_of

NAMES_MAX = 10_000
_NAME_CHARACTERS_MAX = 300
_ABOUT_CHARACTERS_MAX = 100
_FRESH_S = 2.0
_FRESH_AFTER_FAILURE_S = 5.0
# Of topics that have their partitions completed, and sources their columns, the rest being a dozen.
_KEYS_MAX = 200

_Key = tuple[NameKind, str]


class LiveNames:
    def __init__(
        self,
        cluster: ClusterAddresses,
        *,
        clock: Callable[[], float] = time.monotonic,
        questions: Callable[[ClusterAddresses], Sequence[Questions]] = questions_of,
    ) -> None:
        self._clock = clock
        self._questions = questions
        self._known = self._names_of(cluster)

    def switch(self, cluster: ClusterAddresses) -> None:
        """From now on of another cluster; what is still asked of the one before goes nowhere."""
        before, self._known = self._known, self._names_of(cluster)
        before.close()

    def close(self) -> None:
        self._known.close()

    def names(self, kind: NameKind, of: str = "") -> Sequence[Offer]:
        return self._known.names(kind, of)

    def renew(self) -> None:
        """A command has run, and may have made or deleted what has names: all are asked for again when they are next
        wanted, and awaited."""
        self._known.renew()

    def is_answered(self, kind: NameKind, of: str = "") -> bool:
        """Whether there are names that nobody has to wait for, or the question came to nothing."""
        return self._known.wait(kind, of, 0)

    def wait(self, kind: NameKind, of: str, timeout_s: float) -> bool:
        """For the answer to the first question; where it was that there are none, to the next one, too."""
        return self._known.wait(kind, of, timeout_s)

    def _names_of(self, cluster: ClusterAddresses) -> _ClusterNames:
        return _ClusterNames(cluster, self._clock, self._questions)


class _Known:
    """The answer of one question, and when it grows old; `offers` is None before the first. `is_awaited`: who can wait
    does, for the next answer."""

    __slots__ = ("is_asking", "is_awaited", "offers", "old_at_s")

    def __init__(self) -> None:
        self.offers: tuple[Offer, ...] | None = None
        self.old_at_s = 0.0
        self.is_asking = False
        self.is_awaited = True


class _ClusterNames:
    def __init__(
        self,
        cluster: ClusterAddresses,
        clock: Callable[[], float],
        questions: Callable[[ClusterAddresses], Sequence[Questions]],
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._make_questions = questions
        self._changed = threading.Condition()
        self._known: dict[_Key, _Known] = {}
        self._askers: dict[NameKind, _Asker] | None = None
        self._is_closed = False

    def names(self, kind: NameKind, of: str) -> Sequence[Offer]:
        with self._changed:
            asker = self._started().get(kind)
            if asker is None or self._is_closed:
                return ()
            known = self._entry((kind, of))
            if not known.is_asking and self._clock() >= known.old_at_s:
                known.is_asking = True
                asker.ask((kind, of))
            return known.offers or ()

    def wait(self, kind: NameKind, of: str, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_awaited((kind, of)), timeout_s)

    def renew(self) -> None:
        with self._changed:
            for known in self._known.values():
                known.old_at_s = self._clock()
                known.is_awaited = True

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            askers = set((self._askers or {}).values())
            self._changed.notify_all()
        for asker in askers:
            asker.end()

    def _is_awaited(self, key: _Key) -> bool:
        known = self._known.get(key)
        return known is not None and known.is_asking and known.is_awaited and not self._is_closed

    def _started(self) -> dict[NameKind, _Asker]:
        if self._askers is None:
            askers = [_Asker(questions, self._heard) for questions in self._make_questions(self._cluster)]
            self._askers = {kind: asker for asker in askers for kind in asker.questions.kinds}
        return self._askers

    def _entry(self, key: _Key) -> _Known:
        known = self._known.get(key)
        if known is None:
            known = _Known()
            oldest = next((each for each, it in self._known.items() if not it.is_asking), None)
            if len(self._known) < _KEYS_MAX:
                self._known[key] = known
            elif oldest is not None:
                del self._known[oldest]
                self._known[key] = known
            else:
                # Two hundred questions are under way: this one is not asked.
                known.is_asking = True
        return known

    def _heard(self, key: _Key, found: Iterable[Offer] | None) -> None:
        offers = None if found is None else clean(found)
        with self._changed:
            known = self._known.get(key)
            if known is None:
                return
            known.is_asking = False
            # Who does not answer has the names that it had.
            known.offers = offers if offers is not None else known.offers or ()
            known.is_awaited = offers == ()
            known.old_at_s = self._clock() + (_FRESH_S if offers is not None else _FRESH_AFTER_FAILURE_S)
            self._changed.notify_all()


class _Asker:
    """A thread for the questions of one service, begun with the first."""

    def __init__(self, questions: Questions, heard: Callable[[_Key, Iterable[Offer] | None], None]) -> None:
        self.questions = questions
        # Bounded by the keys that there may be: each is in it once at most.
        self._wanted: SimpleQueue[_Key | None] = SimpleQueue()
        self._heard = heard
        self._thread: threading.Thread | None = None

    def ask(self, key: _Key) -> None:
        self._wanted.put(key)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="names for completion", daemon=True)
            self._thread.start()

    def end(self) -> None:
        self._wanted.put(None)
        self.questions.end()

    def _run(self) -> None:
        while (key := self._wanted.get()) is not None:
            self._heard(key, self._answer(key))

    def _answer(self, key: _Key) -> Iterable[Offer] | None:
        try:
            return self.questions.ask(*key)
        except Exception:
            # Whatever it was, who types is not to be told: the command itself will say it.
            return None


def clean(found: Iterable[Offer]) -> tuple[Offer, ...]:
    """Sorted, each once, those with underscores in front (internal topics) last; only what can be shown and typed."""
    shown = {offer.text: offer.about for offer in found if _can_be_shown(offer.text)}
    texts = sorted(shown, key=lambda text: (text.startswith("_"), text))[:NAMES_MAX]
    return tuple(Offer(text, printable(shown[text])) for text in texts)


def _can_be_shown(text: str) -> bool:
    # A topic may be called --yes, and would be taken for that where it is completed.
    return 0 < len(text) <= _NAME_CHARACTERS_MAX and text.isprintable() and not text.startswith("-")


def printable(text: str) -> str:
    """One short line without anything that a terminal would obey."""
    text = text[:_ABOUT_CHARACTERS_MAX]
    return text if text.isprintable() else "".join(each if each.isprintable() else "?" for each in text)
