"""A service's cluster: what is under way when the service ends does not hold it up."""

from __future__ import annotations

import threading

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.reopened_cluster import ReopenedCluster


def test_the_end_of_the_service_ends_what_is_asked_again_and_again() -> None:
    cluster = ReopenedCluster({"bootstrap.servers": "127.0.0.1:1"}, timeout_ms=600_000)
    tried = threading.Event()
    failed: list[str] = []

    def work() -> None:
        tried.set()
        raise KafkaError(ErrorCode.NETWORK_EXCEPTION, "nobody answers")

    def ask() -> None:
        try:
            cluster.ask(lambda c: c.retry(work))
        except KafkaError as error:
            failed.append(error.detail)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    assert tried.wait(10)
    cluster.end()
    thread.join(10)
    assert failed == ["The service is stopping."]
