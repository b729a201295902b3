"""What may be written at a place, and the kinds of names that a cluster and its services have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol


class NameKind(Enum):
    TOPIC = auto()
    PARTITION = auto()  # of a topic
    GROUP = auto()  # of every type
    CONSUMER_GROUP = auto()
    SHARE_GROUP = auto()
    BROKER = auto()
    USER = auto()  # who logs in by SCRAM
    TRANSACTIONAL_ID = auto()
    SUBSCRIPTION = auto()  # of client metrics
    SUBJECT = auto()
    CONNECTOR = auto()
    STREAM = auto()
    TABLE = auto()
    QUERY = auto()
    COLUMN = auto()  # of a stream or table


class Offer(NamedTuple):
    text: str
    about: str = ""


class Answer(NamedTuple):
    """`typed` may become the text of any offer; `head` is what stands before it in the same word. `is_file`: the offers
    are files of this machine."""

    typed: str
    offers: Sequence[Offer] = ()
    head: str = ""
    is_file: bool = False

    def behind(self, head: str) -> Answer:
        return self._replace(head=head + self.head)

    def matching(self) -> list[Offer]:
        return [offer for offer in self.offers if offer.text.startswith(self.typed)]


class Names(Protocol):
    def names(self, kind: NameKind, of: str = "") -> Sequence[Offer]:
        """The names of a kind as far as they are known, at once. `of`: the topic of partitions, the source of
        columns."""


class NoNames:
    def names(self, kind: NameKind, of: str = "") -> Sequence[Offer]:
        return ()


class Asking:
    """What a parameter of click is given to complete with, and its answer: ten thousand names need no object of click's
    each. Unlike click's own answers it also has what begins otherwise, since the search may be fuzzy."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.answer: Answer | None = None


def plain(texts: Iterable[str]) -> list[Offer]:
    return [Offer(text) for text in texts]
