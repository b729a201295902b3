"""What a connector's clients are told: the worker's settings, its settings for such clients, the connector's own."""

from __future__ import annotations

import pytest

from riacho.pipelines.connect.protocol import Settings
from riacho.pipelines.connect.runner.client_configs import ADMIN, CONSUMER, PRODUCER, client_config
from riacho.pipelines.connect.runner.cluster_topics import existing_topics
from riacho.pipelines.connect.secret_text import secret_values
from riacho.pipelines.plugin import ConnectError

SETTINGS = Settings(
    bootstrap_servers="b:9092",
    client={"security.protocol": "SASL_SSL", "sasl.jaas.config": "worker's"},
    defaults={
        "consumer.fetch.max.bytes": "7",
        "consumer.sasl.jaas.config": "consumers'",
        "consumer.interceptor.classes": "io.confluent.Monitoring",
        "producer.acks": "1",
        "producer.compression.type": "zstd",
        "admin.client.id": "admin",
        "value.converter": "String",
    },
)
CONFIGS = {
    **SETTINGS.defaults,
    "consumer.override.sasl.jaas.config": "own",
    "consumer.override.auto.offset.reset": "latest",
    "consumer.override.group.id": "mine",
    "producer.override.compression.type": "lz4",
    "producer.override.transactional.id": "mine",
    "admin.override.bootstrap.servers": "other:9092",
    "producer.linger.ms": "5",
}


def test_the_nearer_counts() -> None:
    shared = {"security.protocol": "SASL_SSL"}
    consumer = {"bootstrap.servers": "b:9092", "sasl.jaas.config": "own", "fetch.max.bytes": "7"}
    consumer |= {"client.id": "connector-consumer-archive"}
    assert client_config(CONSUMER, "archive", SETTINGS, CONFIGS) == shared | consumer
    producer = {"bootstrap.servers": "b:9092", "sasl.jaas.config": "worker's", "compression.type": "lz4"}
    producer |= {"client.id": "connector-producer-archive"}
    assert client_config(PRODUCER, "archive", SETTINGS, CONFIGS) == shared | producer
    admin = {"bootstrap.servers": "other:9092", "sasl.jaas.config": "worker's", "client.id": "admin"}
    assert client_config(ADMIN, "archive", SETTINGS, CONFIGS) == shared | admin


def test_without_overrides_the_workers_count() -> None:
    found = client_config(CONSUMER, "archive", SETTINGS, SETTINGS.defaults)
    assert found["sasl.jaas.config"] == "consumers'"
    assert "interceptor.classes" not in found


def test_settings_that_cannot_be_used_are_told_before_anybody_is_asked() -> None:
    wrong = {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    with pytest.raises(ConnectError, match=r"^The brokers could not be asked .*: .* needs sasl\.mechanism and sasl\."):
        existing_topics(wrong)


def test_secrets_of_a_login_are_known_by_themselves() -> None:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="hunter2";'
    config = {"consumer.override.sasl.jaas.config": login, "topics": "t", "sasl.jaas.config": "not a login"}
    assert secret_values(config) == {login, "hunter2", "not a login"}
