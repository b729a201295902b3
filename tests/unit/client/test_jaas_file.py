"""Logins in a file that the JVM's option names, for scripts that set KAFKA_OPTS."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.client.jaas_file import login_from_environment
from riacho.client.librdkafka.security import security_settings
from riacho.client.security import client_security
from riacho.security.jaas import parse_jaas

FILE = """
// Brokers have another one: KafkaClient { no; };
KafkaServer {
    org.apache.kafka.common.security.plain.PlainLoginModule required
    username="broker" password="b" user_alice="}";
};
/* Client { of ZooKeeper } */
KafkaClient {
    org.apache.kafka.common.security.plain.PlainLoginModule required
    username="alice"
    password="with { and } and \\" and ;";
};
"""
PASSWORD = 'with { and } and " and ;'


@pytest.fixture
def options(tmp_path: Path) -> str:
    path = tmp_path / "client jaas.conf"
    path.write_text(FILE)
    return f"-Xmx1G '-Djava.security.auth.login.config={path}' -Dother=1"


def test_the_section_of_clients_is_read(options: str) -> None:
    text = login_from_environment({"KAFKA_OPTS": options})
    assert text is not None
    assert parse_jaas(text).options == {"username": "alice", "password": PASSWORD}


def test_without_the_option_there_is_no_file() -> None:
    assert login_from_environment({}) is None
    assert login_from_environment({"KAFKA_OPTS": "-Xmx1G"}) is None


@pytest.mark.parametrize(("content", "problem"), [(None, "cannot be read"), ("Client { };", "no section KafkaClient")])
def test_a_file_of_no_use_is_told(tmp_path: Path, content: str | None, problem: str) -> None:
    path = tmp_path / "jaas"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=problem) as raised:
        login_from_environment({"KAFKA_OPTS": f"-Djava.security.auth.login.config=={path}"})
    assert str(path) in str(raised.value)


def test_tools_log_in_with_it(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_OPTS", options)
    properties = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
    assert client_security(properties).mechanism == "PLAIN"
    assert security_settings(properties) == {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "alice",
        "sasl.password": PASSWORD,
    }
