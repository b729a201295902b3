"""A consumer of a share group as a process that may be killed at any moment: BOOTSTRAP TOPIC GROUP DIARY.

It writes down every record when it gets it (D partition offset delivery-count), before it acknowledges it (T partition
offset), and when the broker has taken the acknowledgement (A partition offset), each line by one write, so that what is
written stays written. Between T and A the outcome is unknown, should the process or the broker end there.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from confluent_kafka import KafkaException, ShareConsumer

_RECORDS_PER_COMMIT = 10
_WORK_S = 0.002


class _Diary:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())


def main(bootstrap: str, topic: str, group: str, path: str) -> None:
    diary = _Diary(path)
    is_leaving = False

    def leave(*_: object) -> None:
        nonlocal is_leaving
        is_leaving = True

    signal.signal(signal.SIGTERM, leave)
    consumer = ShareConsumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "share.acknowledgement.mode": "explicit",
            "reconnect.backoff.max.ms": 300,
            "topic.metadata.refresh.interval.ms": 1_000,
        }
    )
    consumer.subscribe([topic])
    while not is_leaving:
        try:
            messages = [message for message in consumer.poll(timeout=0.5) if message.error() is None]
        except KafkaException as error:
            print(error, file=sys.stderr)
            continue
        for start in range(0, len(messages), _RECORDS_PER_COMMIT):
            work(consumer, diary, messages[start : start + _RECORDS_PER_COMMIT])
    consumer.close()


def work(consumer: ShareConsumer, diary: _Diary, messages: list[object]) -> None:
    for message in messages:
        diary.write(f"D {message.partition()} {message.offset()} {message.delivery_count()}")  # type: ignore[attr-defined]
        time.sleep(_WORK_S)
        consumer.acknowledge(message)  # type: ignore[arg-type]
    for message in messages:
        diary.write(f"T {message.partition()} {message.offset()}")  # type: ignore[attr-defined]
    try:
        outcome = consumer.commit_sync(timeout=20)
    except KafkaException as error:
        print(error, file=sys.stderr)
        return
    taken = {(each.topic, each.partition) for each, error in outcome.items() if error is None}
    for message in messages:
        if (message.topic(), message.partition()) in taken:  # type: ignore[attr-defined]
            diary.write(f"A {message.partition()} {message.offset()}")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(*sys.argv[1:])
