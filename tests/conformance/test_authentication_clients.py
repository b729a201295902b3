"""Each mechanism with each client, in the clear and over TLS; and certificates in place of passwords."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer

from conformance.running_broker import kinds
from conformance.secure_broker import (
    MECHANISMS,
    OAUTH_MODULE,
    PASSWORDS,
    PLAIN_MODULE,
    SCRAM_MODULE,
    SecureBroker,
    run,
)

TIMEOUT_S = 30
SASL = [(protocol, mechanism) for protocol in ("SASL_PLAINTEXT", "SASL_SSL") for mechanism in MECHANISMS]


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secure(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    with run(request.param, tmp_path_factory.mktemp("secure")) as running:
        yield running


def librdkafka(broker: SecureBroker, protocol: str, mechanism: str | None = None) -> dict[str, Any]:
    config: dict[str, Any] = {"bootstrap.servers": broker.bootstrap(protocol), "security.protocol": protocol}
    if protocol.endswith("SSL"):
        config["ssl.ca.location"] = str(broker.authority.pem)
    if protocol == "SSL":
        config["ssl.certificate.location"] = str(broker.client.certificate_file)
        config["ssl.key.location"] = str(broker.client.key_file)
    if mechanism == "OAUTHBEARER":
        config["sasl.mechanism"] = mechanism
        config["oauth_cb"] = lambda _: (broker.token(protocol), time.time() + 300)
    elif mechanism is not None:
        user, password = PASSWORDS[mechanism]
        config |= {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}
    return config


def round_trip(config: dict[str, Any], topic: str, group: str) -> None:
    values = [b"%d " % number + b"x" * 1000 for number in range(100)]
    producer = Producer(config)
    for value in values:
        producer.produce(topic, value)
    assert producer.flush(TIMEOUT_S) == 0
    consumer = Consumer(config | {"group.id": group, "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe([topic])
        deadline = time.monotonic() + TIMEOUT_S
        read: list[Any] = []
        while len(read) < len(values) and time.monotonic() < deadline:
            read += [message.value() for message in consumer.consume(100, 1.0) if message.error() is None]
    finally:
        consumer.close()
    assert read == values


@pytest.mark.parametrize(("protocol", "mechanism"), SASL)
def test_librdkafka(secure: SecureBroker, name: str, protocol: str, mechanism: str) -> None:
    round_trip(librdkafka(secure, protocol, mechanism), name, name)


def test_librdkafka_by_certificate(secure: SecureBroker, name: str) -> None:
    round_trip(librdkafka(secure, "SSL"), name, name)


class _Token:
    """kafka-python's token provider, whatever its base class is called in this version."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        return self._token

    def extensions(self) -> dict[str, str]:
        return {}


def kafka_python(broker: SecureBroker, protocol: str, mechanism: str | None = None) -> dict[str, Any]:
    config: dict[str, Any] = {"bootstrap_servers": broker.bootstrap(protocol), "security_protocol": protocol}
    if protocol.endswith("SSL"):
        config["ssl_cafile"] = str(broker.authority.pem)
    if protocol == "SSL":
        config |= {"ssl_certfile": str(broker.client.certificate_file), "ssl_keyfile": str(broker.client.key_file)}
    if mechanism == "OAUTHBEARER":
        from kafka.net.sasl.oauth import AbstractTokenProvider

        provider = type("Provider", (_Token, AbstractTokenProvider), {})(broker.token(protocol))
        config |= {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": provider}
    elif mechanism is not None:
        user, password = PASSWORDS[mechanism]
        config |= {"sasl_mechanism": mechanism, "sasl_plain_username": user, "sasl_plain_password": password}
    return config


@pytest.mark.parametrize(("protocol", "mechanism"), [*SASL, ("SSL", None)])
def test_kafka_python(secure: SecureBroker, name: str, protocol: str, mechanism: str | None) -> None:
    from kafka import KafkaConsumer, KafkaProducer

    config = kafka_python(secure, protocol, mechanism)
    producer = KafkaProducer(**config)
    try:
        sent = [producer.send(name, b"%d" % number) for number in range(20)]
        assert [future.get(TIMEOUT_S).offset for future in sent] == list(range(20))
    finally:
        producer.close()
    consumer = KafkaConsumer(name, **config, auto_offset_reset="earliest", consumer_timeout_ms=10_000)
    try:
        assert [next(consumer).value for _ in range(20)] == [b"%d" % number for number in range(20)]
    finally:
        consumer.close()


@pytest.mark.skipif(shutil.which("kcat") is None, reason="kcat is not installed (Debian package kcat)")
@pytest.mark.parametrize(("protocol", "mechanism"), [*SASL, ("SSL", None)])
def test_kcat(secure: SecureBroker, name: str, protocol: str, mechanism: str | None) -> None:
    if (protocol, mechanism) == ("SASL_SSL", "OAUTHBEARER"):
        pytest.skip("kcat makes unsecured tokens only")
    settings = {key: value for key, value in librdkafka(secure, protocol, mechanism).items() if isinstance(value, str)}
    if mechanism == "OAUTHBEARER":
        settings |= {
            "enable.sasl.oauthbearer.unsecure.jwt": "true",
            "sasl.oauthbearer.config": "principal=dave scope=kafka",
        }
    flags = [word for key, value in settings.items() for word in ("-X", f"{key}={value}")]
    sent = _kcat([*flags, "-P", "-t", name], "one\ntwo\n")
    if (mechanism or "").startswith("SCRAM") and _repeats_its_nonce():
        assert "invalid credentials with SASL mechanism" in sent.stderr
        return
    assert sent.returncode == 0, sent.stderr
    read = _kcat([*flags, "-C", "-t", name, "-o", "beginning", "-e", "-q"])
    assert read.stdout.split() == ["one", "two"], read.stderr


def _repeats_its_nonce() -> bool:
    """Older librdkafka sends its own nonce twice at the end of SCRAM. Brokers that look at it, as Kafka does since
    3.7.2 (CVE-2024-56128), refuse that."""
    found = re.search(r"librdkafka (\d+)\.(\d+)", _kcat(["-V"]).stdout)
    return found is not None and (int(found[1]), int(found[2])) < (2, 6)


def _kcat(arguments: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["kcat", *arguments], input=text, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


def java_properties(broker: SecureBroker, directory: Path, protocol: str, mechanism: str | None) -> dict[str, str]:
    """Java's own settings: key stores of both kinds, login modules, tokens out of a file."""
    found = {"security.protocol": protocol, "default.api.timeout.ms": "20000"}
    if protocol.endswith("SSL"):
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(broker.authority.pem)}
    if protocol == "SSL":
        found |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(broker.client.pem)}
    if mechanism is None:
        return found
    found["sasl.mechanism"] = mechanism
    if mechanism == "OAUTHBEARER" and protocol == "SASL_SSL":
        token = directory / "token"
        token.write_text(broker.token(protocol))
        handler = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
        found |= {"sasl.oauthbearer.token.endpoint.url": token.as_uri(), "sasl.login.callback.handler.class": handler}
        found["sasl.jaas.config"] = f"{OAUTH_MODULE} required;"
    elif mechanism == "OAUTHBEARER":
        options = 'unsecuredLoginStringClaim_sub="dave" unsecuredLoginStringClaim_scope="kafka"'
        found["sasl.jaas.config"] = f"{OAUTH_MODULE} required {options};"
    else:
        user, password = PASSWORDS[mechanism]
        module = PLAIN_MODULE if mechanism == "PLAIN" else SCRAM_MODULE
        found["sasl.jaas.config"] = f'{module} required username="{user}" password="{password}";'
    return found


@pytest.mark.parametrize(("protocol", "mechanism"), [*SASL, ("SSL", None)])
def test_java_client(secure: SecureBroker, tmp_path: Path, name: str, protocol: str, mechanism: str | None) -> None:
    from support.java import available, java_tool

    reason = available()
    if reason:
        pytest.skip(f"no Java client here: {reason}")
    settings = java_properties(secure, tmp_path, protocol, mechanism)
    path = tmp_path / "client.properties"
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    # Only a JVM that is told so at its start reads tokens out of a file; the others share one.
    url = settings.get("sasl.oauthbearer.token.endpoint.url")
    environment = {"JDK_JAVA_OPTIONS": f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={url}"} if url else None
    common = ["--bootstrap-server", secure.bootstrap(protocol), "--topic", name, "--command-config", str(path)]
    sent = java_tool("kafka-console-producer", common, input="one\ntwo\n", env=environment)
    assert sent.returncode == 0, sent.stderr
    read = java_tool(
        "kafka-console-consumer",
        [*common, "--from-beginning", "--max-messages", "2", "--timeout-ms", "20000"],
        env=environment,
    )
    assert read.stdout.split() == ["one", "two"], read.stderr
