"""Bad records: each alone to the dead letter topic, or stopping the connector before it delivers anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from support.connect_runner import ConnectRunner
from support.topic_records import Sent, read, send

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

POISON = (3, 4, 17)
JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
CONFIGS = {
    "connector.class": "FileStreamSink",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": JSON_CONVERTER,
    "value.converter.schemas.enable": "false",
}
LETTERS = {
    "errors.tolerance": "all",
    "errors.deadletterqueue.topic.name": "letters",
    "errors.deadletterqueue.context.headers.enable": "true",
    "errors.log.enable": "true",
    "errors.log.include.messages": "true",
    # Changed by the time that the value is looked at; a letter tells where its record came from.
    "transforms": "route",
    "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.route.regex": "(.*)",
    "transforms.route.replacement": "routed-$1",
}


def record(number: int) -> Sent:
    value = b"{no json " + str(number).encode() if number in POISON else json.dumps({"id": number}).encode()
    return Sent(value, f"key {number}".encode(), number % 2, (("trace", str(number).encode()),))


def ids(file: Path) -> list[int]:
    return [json.loads(line)["id"] for line in file.read_text().splitlines()]


def test_every_bad_record_becomes_one_letter_and_the_rest_passes_in_order(
    runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path
) -> None:
    bootstrap = connect_broker.bootstrap_servers
    connect_broker.create_topic("payments", partitions=2)
    sent = [record(number) for number in range(20)]
    send(bootstrap, "payments", sent)
    out = tmp_path / "out.txt"
    configs = CONFIGS | LETTERS | {"topics": "payments", "file": str(out)}
    running = runner.run("payments", configs, kind="sink")
    errors = runner.wait_for(lambda event: event["event"] == "errors", running)
    assert (errors["total"], errors["dead_letters"], errors["skipped"]) == (3, 3, 0)
    runner.wait_for(lambda event: event["event"] == "progress", running)
    good = [number for number in range(20) if number not in POISON]
    written = ids(out)
    assert sorted(written) == good
    for parity in (0, 1):
        assert [number for number in written if number % 2 == parity] == [n for n in good if n % 2 == parity]

    letters = {each.key: each for each in read(bootstrap, "letters")}
    assert len(read(bootstrap, "letters")) == len(letters) == 3
    for number in POISON:
        letter, original = letters[f"key {number}".encode()], sent[number]
        assert letter.value == original.value
        assert letter.headers[: len(original.headers)] == original.headers
        context = dict(letter.headers[len(original.headers) :])
        own = {name.removeprefix("__connect.errors."): value.decode() for name, value in context.items()}
        assert own.pop("exception.message")
        assert own.pop("exception.stacktrace").startswith("org.apache.kafka.")
        assert own.pop("exception.class.name").startswith("org.apache.kafka.")
        assert own == {
            "topic": "payments",
            "partition": str(number % 2),
            "offset": str(number // 2),
            "connector.name": "payments",
            "task.id": "0",
            "stage": "VALUE_CONVERTER",
            "class.name": JSON_CONVERTER,
        }
    logged = [each["message"] for each in runner.events if each["event"] == "log" and "payments-0" in each["message"]]
    assert len(logged) == 3
    assert "topic='payments', partition=1, offset=1" in " ".join(logged)

    # Started again it goes on where it was: no record and no letter a second time.
    runner.stop("payments", running)
    again = runner.run("payments", configs, kind="sink")
    send(bootstrap, "payments", [record(20)])
    runner.wait_for(lambda event: event["event"] == "progress", again)
    assert ids(out) == [*written, 20]
    assert len(read(bootstrap, "letters")) == 3
    runner.stop("payments", again)


def test_without_tolerance_the_first_bad_record_stops_it_before_anything_is_delivered(
    runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path
) -> None:
    connect_broker.create_topic("strict")
    bad = Sent(b"{no json", b"k", 0)
    send(connect_broker.bootstrap_servers, "strict", [Sent(b'{"id":1}'), Sent(b'{"id":2}'), bad, Sent(b'{"id":3}')])
    out = tmp_path / "out.txt"
    configs = CONFIGS | {"topics": "strict", "file": str(out), "secret.password": "hunter2"}
    running = runner.run("strict", configs, kind="sink")
    failed = runner.wait_for(lambda event: event["event"] == "failed" and event["generation"] == running)
    sentence = failed["trace"].splitlines()[0]
    assert sentence.startswith(f"The record at strict-0 offset 2 failed in VALUE_CONVERTER with {JSON_CONVERTER}: ")
    assert failed["task"] == 0
    assert not out.exists()

    # Tolerated after all, it goes on from the same batch.
    tolerant = runner.run("strict", configs | {"errors.tolerance": "all"}, kind="sink")
    runner.wait_for(lambda event: event["event"] == "progress", tolerant)
    assert ids(out) == [1, 2, 3]
    (errors,) = runner.of(tolerant, "errors")
    assert (errors["total"], errors["dead_letters"], errors["skipped"]) == (1, 0, 1)
    runner.stop("strict", tolerant)
