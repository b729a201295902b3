"""Settings of a service's Kafka clients, in Java's words and in librdkafka's."""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from riacho.base.config import ConfigError
from riacho.web import kafka_client as module
from riacho.web.kafka_client import ClusterId, kafka_client, make_client
from support.certificates import PASSWORD, Authority

SERVERS = {"kafkastore.bootstrap.servers": "SASL_SSL://a:1, PLAINTEXT://b:2,c:3"}
LOGIN = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="al" password="hidden";'


def test_servers_may_name_a_protocol():
    assert kafka_client(SERVERS, "kafkastore.")["bootstrap.servers"] == "a:1,b:2,c:3"


@pytest.mark.parametrize(
    ("prefixes", "name"),
    [(("kafkastore.",), "kafkastore.bootstrap.servers"), (("client.", "producer."), "bootstrap.servers")],
)
def test_no_servers_is_one_sentence(prefixes: tuple[str, ...], name: str):
    for properties in ({}, {"bootstrap.servers": " , "}):
        with pytest.raises(ConfigError, match=rf"^{name} is not set"):
            kafka_client(properties, *prefixes)


def test_a_later_prefix_wins_and_other_prefixes_stay_out():
    properties = {
        "bootstrap.servers": "a:1",
        "client.linger.ms": "1",
        "producer.linger.ms": "2",
        "consumer.linger.ms": "3",
        "linger.ms": "4",
        "client.acks": "all",
    }
    config = kafka_client(properties, "client.", "producer.")
    assert (config["linger.ms"], config["acks"], config["bootstrap.servers"]) == ("2", "all", "a:1")


def test_the_services_own_settings_under_the_prefix_stay_out():
    config = kafka_client({**SERVERS, "kafkastore.topic": "t", "kafkastore.timeout.ms": "5"}, "kafkastore.")
    assert not {"topic", "timeout.ms"} & set(config)


@pytest.mark.parametrize(
    "settings",
    [
        {"sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": LOGIN},
        {"sasl.mechanism": "SCRAM-SHA-256", "sasl.username": "al", "sasl.password": "hidden"},
        {"sasl.mechanisms": "SCRAM-SHA-256", "sasl.username": "al", "sasl.password": "hidden"},
    ],
)
def test_logins_in_either_language(settings: dict[str, str]):
    properties = {"bootstrap.servers": "a:1", "client.security.protocol": "sasl_plaintext"}
    config = kafka_client(properties | {f"client.{name}": value for name, value in settings.items()}, "client.")
    assert config["security.protocol"] == "SASL_PLAINTEXT"
    assert (config["sasl.username"], config["sasl.password"]) == ("al", "hidden")
    assert [value for name, value in config.items() if name.startswith("sasl.mechanism")] == ["SCRAM-SHA-256"]
    make_client(Producer, config)


def test_a_login_that_is_none_is_told_without_the_password():
    properties = {**SERVERS, "kafkastore.security.protocol": "SASL_SSL", "kafkastore.sasl.jaas.config": LOGIN[:-2]}
    with pytest.raises(ConfigError) as caught:
        kafka_client(properties, "kafkastore.")
    assert "hidden" not in str(caught.value)


def stores(kind: str, authority: Authority) -> dict[str, str]:
    client = authority.issue("client")
    if kind == "PEM":
        return {"ssl.truststore.location": str(authority.pem), "ssl.keystore.location": str(client.pem)}
    trusted = {"ssl.truststore.password": PASSWORD, "ssl.keystore.password": PASSWORD}
    places = {"truststore": authority.trust_store(kind), "keystore": client.key_store(kind)}
    return trusted | {f"ssl.{name}.location": str(path) for name, path in places.items()}


@pytest.mark.parametrize("kind", ["PEM", "PKCS12", "JKS"])
def test_javas_key_stores_become_pem(kind: str, tmp_path: Path):
    if kind != "PEM" and shutil.which("keytool") is None:
        pytest.skip("Java's keytool, which makes trust stores, is not installed")
    authority = Authority(tmp_path)
    settings = {"security.protocol": "SSL", "ssl.truststore.type": kind, "ssl.keystore.type": kind}
    settings |= stores(kind, authority)
    config = kafka_client(SERVERS | {f"kafkastore.{name}": value for name, value in settings.items()}, "kafkastore.")
    assert "".join(config["ssl.ca.pem"].split()) == "".join(authority.text.split())
    assert "PRIVATE KEY" in config["ssl.key.pem"]
    assert "BEGIN CERTIFICATE" in config["ssl.certificate.pem"]
    assert not [name for name in config if "store" in name]
    make_client(AdminClient, config)


def test_librdkafkas_names_for_certificates_stay(tmp_path: Path):
    client, settings = (
        Authority(tmp_path).issue("client"),
        {"bootstrap.servers": "a:1", "client.security.protocol": "SSL"},
    )
    settings |= {
        "client.ssl.ca.location": str(tmp_path / "authority.crt"),
        "client.ssl.certificate.location": str(client.certificate_file),
        "client.ssl.key.location": str(client.key_file),
    }
    config = kafka_client(settings, "client.")
    assert config["ssl.ca.location"] == str(tmp_path / "authority.crt")
    make_client(Producer, config)


def test_a_key_store_that_is_missing_is_one_sentence():
    settings = {"kafkastore.security.protocol": "SSL", "kafkastore.ssl.truststore.location": "/nowhere/t.jks"}
    with pytest.raises(ConfigError, match=r"the trust store /nowhere/t\.jks cannot be read: No such file"):
        kafka_client(SERVERS | settings, "kafkastore.")


def test_settings_that_no_client_knows_are_dropped_with_a_warning(caplog: pytest.LogCaptureFixture):
    properties = {"bootstrap.servers": "a:1", "client.max.block.ms": "5", "client.made.up": "secret"}
    config: dict[str, Any] = kafka_client(properties, "client.")
    make_client(Consumer, {**config, "group.id": "g"}).close()
    assert [record.getMessage() for record in caplog.records] == [
        "setting of the Kafka client has no effect name=made.up"
    ]


def test_a_wrong_value_is_one_sentence():
    with pytest.raises(ConfigError, match="the Kafka client cannot be set up: Invalid value"):
        make_client(Producer, kafka_client({"bootstrap.servers": "a:1", "client.linger.ms": "soon"}, "client."))


def test_the_cluster_id_is_asked_for_until_there_is_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[str | Exception] = [RuntimeError("away"), "", "c1", "c2"]

    async def answer(_config: Any) -> str:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(module, "cluster_id", answer)
    cluster_id = ClusterId({}, logging.getLogger("riacho.connect"))
    assert [asyncio.run(cluster_id()) for _ in range(4)] == ["", "", "c1", "c1"]
    assert caplog.messages == ["cluster id not found reason=away"]
