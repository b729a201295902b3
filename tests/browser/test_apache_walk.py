"""Every screen on Apache Kafka, by `make apache` and `make proofs`: it costs a JVM. What only our brokers tell is a
dash or a sentence there, and never an empty room.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from playwright.sync_api import Browser, expect

from browser.screens import screens
from browser.walking import walk
from support import axe
from support.apache_kafka import ApacheKafka, available
from support.browser import visit
from support.schema_registry_process import until
from support.service_process import ServiceProcess, running_service

pytestmark = pytest.mark.timeout(900)
WAIT_S = 60.0
_PROPERTIES = {"offsets.topic.num.partitions": 1, "offsets.topic.replication.factor": 1}


@pytest.fixture(scope="module")
def kafka(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    if not (os.environ.get("RIACHO_PROOFS") or os.environ.get("RIACHO_CONFORMANCE_PEER")):
        pytest.skip("the walk on Apache Kafka is asked for by RIACHO_PROOFS")
    if reason := available():
        pytest.skip(f"no Apache Kafka beside us: {reason}")
    with ApacheKafka(tmp_path_factory.mktemp("apache"), _PROPERTIES) as running:
        _fill(running.bootstrap)
        yield running


def _fill(bootstrap: str) -> None:
    """As on our own platform: something to see on every screen."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic("orders", 3, 1)])["orders"].result(WAIT_S)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(200):
        producer.produce("orders", f'{{"number": {number}}}', f"k{number}", partition=0, headers={"source": "shop"})
    assert producer.flush(WAIT_S) == 0
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "billing"})
    until(lambda: _committed(consumer))
    consumer.close()


def _committed(consumer: Consumer) -> bool:
    """Not while the coordinator is still on its way."""
    try:
        consumer.commit(offsets=[TopicPartition("orders", 0, 120)], asynchronous=False)
    except Exception:
        return False
    return True


@pytest.fixture(scope="module")
def console(kafka: ApacheKafka, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    home = tmp_path_factory.mktemp("console")
    with running_service("schema-registry", kafka.bootstrap, home) as registry:
        settings = {"schema.registry.url": registry.url, "riacho.console.refresh.ms": "500", "cluster.name": "Apache"}
        with running_service("control-center", kafka.bootstrap, home, settings) as running:
            yield running


def test_every_screen(browser: Browser, console: ServiceProcess) -> None:
    with visit(browser, console.url) as seen:
        paths = screens(seen)
        assert {f"/clusters/default/{each}" for each in ("topics/orders", "groups/billing", "brokers/1")} <= set(paths)
        assert walk(seen, paths) == []
    with visit(browser, console.url, theme="dark", language="pt-BR", width=360) as seen:
        assert walk(seen, paths) == []
    if reason := axe.missing():
        pytest.skip(f"{reason}; the rest of the walk is as it should be")


def test_what_only_our_brokers_tell_is_said_in_words(browser: Browser, console: ServiceProcess) -> None:
    with visit(browser, console.url) as seen:
        seen.open("/clusters/default")
        expect(seen.page.locator(".overview-software")).to_have_text("Apache Kafka 4.3")
        seen.open("/clusters/default/flow")
        expect(seen.page.locator("main")).to_contain_text("is known of Riacho's brokers only")
        seen.open("/clusters/default/metrics")
        expect(seen.page.locator("main")).to_contain_text("This cluster's brokers tell no counters to the console")


def test_messages_are_found(browser: Browser, console: ServiceProcess) -> None:
    with visit(browser, console.url) as seen:
        seen.open("/clusters/default/topics/orders?key=k17")
        rows = seen.page.locator("main tbody tr:not(.waiting)")
        expect(rows.first).to_contain_text("k17")
        expect(rows).to_have_count(11)
