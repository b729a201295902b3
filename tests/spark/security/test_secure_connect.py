"""A Connect worker whose brokers want a login over TLS: its connectors go through, one with a wrong login of its own
fails and says why, and no password is in anything that it wrote or answered."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.secure_broker import SecureBroker
from spark.security.client_words import SECRETS, WRONG, jaas, java_words, said_in
from support.certificates import Authority
from support.connect_runner import SPARK, why_no_runner
from support.connect_worker import ConnectCalls, topics_named
from support.service_process import ServiceProcess

TIMEOUT_S = 300.0
LOGIN = "org.apache.kafka.common.config.provider.FileConfigProvider"


class SecureWorker(ServiceProcess, ConnectCalls):
    """Its own login stands in a file of secrets, as do those of connectors."""

    def __init__(self, broker: SecureBroker, directory: Path) -> None:
        self.home = directory / "worker"
        self.home.mkdir()
        self.secrets = directory / "secrets.properties"
        wrong = jaas("SCRAM-SHA-256", WRONG)
        logins = {"worker": jaas("SCRAM-SHA-256"), "alice": jaas("PLAIN"), "wrong": wrong, "nothing": "nothing"}
        self.secrets.write_text("".join(f"{name}={login}\n" for name, login in logins.items()))
        words = java_words(broker, "SCRAM-SHA-256") | {
            "sasl.jaas.config": self.secret("worker"),
            "config.providers": "file",
            "config.providers.file.class": LOGIN,
            "checkpoint.location": str(self.home / "checkpoints"),
            **topics_named("secure"),
            **SPARK,
        }
        super().__init__("connect", words["bootstrap.servers"], self.home, words)
        self.answers: list[str] = []

    def secret(self, name: str) -> str:
        return f"${{file:{self.secrets}:{name}}}"

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        status, answer = super().call(method, path, body)
        self.answers.append(json.dumps(answer))
        return status, answer

    def put(self, name: str, config: dict[str, str]) -> None:
        string = {"value.converter": "org.apache.kafka.connect.storage.StringConverter", "riacho.trigger.ms": "200"}
        status, answer = self.call("PUT", f"/connectors/{name}/config", string | config)
        assert status == 201, answer

    def until_text(self, path: Path, wanted: str) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not path.exists() or path.read_text() != wanted:
            assert time.monotonic() < deadline, f"{path} is not {wanted!r}: {self.get('/connectors?expand=status')}"
            time.sleep(0.1)

    def until_failed(self, name: str) -> str:
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            status = self.status(name)
            for part in (status.get("connector", {}), *status.get("tasks", [])):
                if part.get("state") == "FAILED" and part.get("trace"):
                    return str(part["trace"])
            assert time.monotonic() < deadline, status
            time.sleep(0.1)


@pytest.fixture
def worker(secure: SecureBroker, tmp_path: Path) -> Iterator[SecureWorker]:
    reason = why_no_runner()
    if reason is not None:
        pytest.skip(reason)
    made = SecureWorker(secure, tmp_path)
    made.start()
    try:
        yield made
    finally:
        if made.is_running:
            made.stop()


def test_connectors_of_a_secured_worker(worker: SecureWorker, secure: SecureBroker, tmp_path: Path) -> None:
    lines, copy = tmp_path / "lines.txt", tmp_path / "copy.txt"
    lines.write_text("one\ntwo\n")
    # One writes as another user than the worker, of another mechanism.
    worker.put(
        "in",
        {
            "connector.class": "FileStreamSource",
            "file": str(lines),
            "topic": "lines",
            "producer.override.sasl.mechanism": "PLAIN",
            "producer.override.sasl.jaas.config": worker.secret("alice"),
        },
    )
    worker.put("out", {"connector.class": "FileStreamSink", "file": str(copy), "topics": "lines"})
    worker.until_text(copy, "one\ntwo\n")
    other = Authority(tmp_path / "other", "other")
    refused = {
        "wrong-producer": (
            {"connector.class": "FileStreamSource", "file": str(lines), "topic": "lines"},
            {"producer.override.sasl.jaas.config": worker.secret("wrong")},
            "uthentication failed",
        ),
        "wrong-consumer": (
            {"connector.class": "FileStreamSink", "file": str(tmp_path / "never"), "topics": "lines"},
            {"consumer.override.sasl.jaas.config": worker.secret("wrong")},
            "uthentication failed",
        ),
        "wrong-authority": (
            {"connector.class": "FileStreamSink", "file": str(tmp_path / "never"), "topics": "lines"},
            {"consumer.override.ssl.truststore.location": str(other.pem)},
            "the TLS handshake failed",
        ),
        # What it says is known when it is filled in, and not before.
        "no-login": (
            {"connector.class": "FileStreamSink", "file": str(tmp_path / "never"), "topics.regex": "line."},
            {"consumer.override.sasl.jaas.config": worker.secret("nothing")},
            "sasl.jaas.config has no login module",
        ),
    }
    said = {"consumer.override.sasl.jaas.config": "nothing"}
    status, answer = worker.call("PUT", "/connectors/no-login/config", refused["no-login"][0] | said)
    assert status == 400
    assert "consumer.override.sasl.jaas.config is refused: sasl.jaas.config has no login module" in answer["message"]
    for name, (config, override, _) in refused.items():
        worker.put(name, config | override)
    traces = {name: worker.until_failed(name) for name in refused}
    for name, (_, _, expected) in refused.items():
        assert expected in traces[name], traces
        assert len(traces[name].splitlines()) == 1, traces[name]
    # The others have seen nothing of it.
    with lines.open("a") as file:
        file.write("three\n")
    worker.until_text(copy, "one\ntwo\nthree\n")
    for path in ("/connectors?expand=status&expand=info", "/connectors/in/config", "/connectors/in/tasks", "/metrics"):
        worker.answers.append(str(_text(worker, path)))
    assert worker.stop() == 0
    said = [worker.output(), secure.output(), *worker.answers]
    assert not [secret for secret in SECRETS if any(secret in each for each in said)]
    assert said_in(worker.home) == []
    assert "Traceback" not in worker.output()


def _text(worker: SecureWorker, path: str) -> str:
    import urllib.request

    with urllib.request.urlopen(worker.url + path, timeout=60) as answer:
        return str(answer.read())
