"""A worker that brokers do not let in, or that finds none: one sentence and an exit code, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.secure_broker import SecureBroker
from spark.security.client_words import SECRETS, WRONG, java_words
from support.certificates import Authority
from support.connect_worker import ConnectWorker
from support.ports import free_port
from support.service_process import START_TIMEOUT_S


def _ended(bootstrap: str, directory: Path, settings: dict[str, str]) -> str:
    """What it said; it must end by itself, with 1."""
    worker = ConnectWorker(bootstrap, directory, settings)
    worker.spawn()
    assert worker.process is not None
    try:
        assert worker.process.wait(2 * START_TIMEOUT_S) == 1, worker.output()
    finally:
        if worker.is_running:
            worker.kill()
    said = worker.output()
    assert "Traceback" not in said
    assert not [secret for secret in SECRETS if secret in said]
    [sentence] = [line for line in said.splitlines() if line.startswith("Error: ")]
    return sentence


def test_a_wrong_password_is_told(secure: SecureBroker, tmp_path: Path) -> None:
    words = java_words(secure, "SCRAM-SHA-256", WRONG)
    told = _ended(words["bootstrap.servers"], tmp_path, words)
    assert told.startswith(f"Error: the brokers at {words['bootstrap.servers']} do not let this worker in: ")
    assert "uthentication failed" in told


def test_a_certificate_that_nobody_trusts_is_told(secure: SecureBroker, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other", "other")
    words = java_words(secure, "PLAIN") | {"ssl.truststore.location": str(other.pem)}
    told = _ended(words["bootstrap.servers"], tmp_path, words)
    assert "do not let this worker in" in told
    assert "the TLS handshake failed" in told


def test_brokers_that_are_not_there_are_waited_for_and_that_is_told(tmp_path: Path) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    worker = ConnectWorker(nowhere, tmp_path, {"riacho.init.timeout.ms": "6000"})
    worker.spawn()
    assert worker.process is not None
    assert worker.process.wait(2 * START_TIMEOUT_S) == 1
    lines = worker.output().splitlines()
    assert [line for line in lines if f"waiting for the brokers at={nowhere}" in line]
    assert lines[-1] == f"Error: no Kafka broker answered in time at {nowhere}: {nowhere}: connection refused."


@pytest.mark.parametrize("address", ["nowhere:port", ""])
def test_an_address_that_is_none_is_told_at_once(tmp_path: Path, address: str) -> None:
    told = _ended(address, tmp_path, {})
    assert "bootstrap.servers" in told
