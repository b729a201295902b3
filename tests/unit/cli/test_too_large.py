"""Whose limit a record met that is too large: the client's own, or the topic's."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import KafkaError as ClientError
from confluent_kafka import KafkaException

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli import record_sender as module
from riacho.cli.record_sender import RecordSender
from riacho.cli.record_text import NewRecord
from riacho.cli.target import Target

TOO_LARGE = ClientError(ClientError.MSG_SIZE_TOO_LARGE)


class _Producer:
    """Refuses values over ten bytes by itself, and is refused those over five by its broker."""

    def __init__(self) -> None:
        self.is_purged = False

    def produce(self, topic: str, value: bytes, *, on_delivery: Any, **others: Any) -> None:
        if len(value) > 10:
            raise KafkaException(TOO_LARGE)
        on_delivery(TOO_LARGE if len(value) > 5 else None, self)

    def poll(self, timeout_s: float) -> int:
        return 0

    def purge(self) -> None:
        self.is_purged = True


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> RecordSender:
    monkeypatch.setattr(module, "has_topic", lambda target, topic: True)
    monkeypatch.setattr(module, "make_producer", lambda target, settings: _Producer())
    return RecordSender(Target("h:1"), "orders")


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (
            11,
            "It cannot be sent: a record of 12 bytes is more than this client sends: max.request.size is the client's",
        ),
        (
            6,
            "A record for orders was not taken: more than topic orders takes in a batch: its limit is max",
        ),
    ],
)
def test_the_limit_that_was_met_is_named(sender: RecordSender, size: int, words: str) -> None:
    with pytest.raises(KafkaError, match=words) as caught:
        sender.send(NewRecord(b"x" * size, b"k"))
    assert caught.value.code is ErrorCode.MESSAGE_TOO_LARGE
    assert sender.count == 0
