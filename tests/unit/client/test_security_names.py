"""librdkafka's words for a login and for certificates, in Java's."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.base.errors import KafkaError
from riacho.client.security_names import in_java_names
from riacho.client.settings import client_settings
from riacho.security.jaas import parse_jaas


def test_a_login() -> None:
    found = in_java_names({"sasl.mechanisms": "PLAIN", "sasl.username": "ann", "sasl.password": 'a"b\\c'})
    assert found["sasl.mechanism"] == "PLAIN"
    module = parse_jaas(found["sasl.jaas.config"])
    assert module.class_name.endswith("PlainLoginModule")
    assert module.options == {"username": "ann", "password": 'a"b\\c'}
    scram = in_java_names({"sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "ann", "sasl.password": "x"})
    assert parse_jaas(scram["sasl.jaas.config"]).class_name.endswith("ScramLoginModule")


def test_certificates(tmp_path: Path) -> None:
    key, chain = tmp_path / "key", tmp_path / "chain"
    key.write_text("KEY")
    chain.write_text("CHAIN")
    given = {"ssl.ca.location": "ca.pem", "ssl.key.location": str(key), "ssl.certificate.location": str(chain)}
    assert in_java_names(given) == given | {
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": "ca.pem",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": "KEY",
        "ssl.keystore.certificate.chain": "CHAIN",
    }
    text = in_java_names({"ssl.ca.pem": "CA", "ssl.key.pem": "KEY", "ssl.certificate.pem": "CHAIN"})
    assert (text["ssl.truststore.certificates"], text["ssl.keystore.key"]) == ("CA", "KEY")


def test_javas_own_words_stay() -> None:
    given = {
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": "mine",
        "sasl.username": "ann",
        "sasl.password": "x",
        "ssl.truststore.location": "store.jks",
        "ssl.ca.location": "ca.pem",
        "ssl.keystore.location": "key.p12",
        "ssl.key.pem": "KEY",
        "ssl.certificate.pem": "CHAIN",
    }
    assert in_java_names(given) == given


def test_a_file_that_is_not_there_is_said() -> None:
    with pytest.raises(ConfigError, match=r"^ssl.key.location=/nowhere cannot be read: No such file or directory$"):
        in_java_names({"ssl.key.location": "/nowhere", "ssl.certificate.pem": "CHAIN"})


def test_pem_that_is_not_called_so_is_told(tmp_path: Path) -> None:
    authority = tmp_path / "ca.pem"
    authority.write_text("-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n")
    with pytest.raises(KafkaError, match=r"ca\.pem is PEM: set ssl\.truststore\.type=PEM"):
        client_settings("localhost", {"security.protocol": "SSL", "ssl.truststore.location": str(authority)})
