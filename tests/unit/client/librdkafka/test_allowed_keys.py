"""Client settings from outside: those that could load code, run programs or read files are not among them."""

from __future__ import annotations

import pytest

from riacho.client.librdkafka.allowed_keys import ALLOWED, Kind, key_refusal

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="hunter2";'
JNDI = 'com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://h/x";'


@pytest.mark.parametrize(
    "key",
    [
        "plugin.library.paths",
        "ssl.engine.location",
        "ssl.engine.id",
        "ssl.providers",
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.keytab",
        "sasl.oauthbearer.config",
        "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.jwt.template.file",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.client.callback.handler.class",
        "sasl.login.callback.handler.class",
        "sasl.login.class",
        "interceptor.classes",
        "metric.reporters",
        "security.providers",
        "ssl.engine.factory.class",
        "ssl.keymanager.algorithm",
        "config.providers",
        "config.providers.file.class",
        "key.deserializer",
        "value.serializer",
        "partitioner.class",
        "debug",
        "log_cb",
        "oauth_cb",
        "stats_cb",
        "opaque",
        "builtin.features",
        "socket_cb",
        "nobody.knows.this",
        "",
    ],
)
def test_what_could_load_code_or_is_not_known_is_refused(key: str) -> None:
    trouble = key_refusal(key, "x")
    assert trouble is not None
    assert f"'{key}'" in trouble


@pytest.mark.parametrize("key", ["fetch.max.bytes", "linger.ms", "client.id", "sasl.mechanism", "compression.type"])
def test_ordinary_settings_pass(key: str) -> None:
    assert key_refusal(key, "x") is None


def test_of_login_modules_only_kafkas_own_pass() -> None:
    assert key_refusal("sasl.jaas.config", PLAIN) is None
    trouble = key_refusal("sasl.jaas.config", JNDI)
    assert trouble is not None
    assert "com.sun.security.auth.module.JndiLoginModule" in trouble
    assert "ldap" not in trouble
    assert key_refusal("sasl.jaas.config", f"{PLAIN} {JNDI}") is not None
    assert key_refusal("sasl.jaas.config", "hunter2") == "sasl.jaas.config has no login module"


def test_of_assignors_only_kafkas_own_pass() -> None:
    own = "org.apache.kafka.clients.consumer.RangeAssignor, org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    assert key_refusal("partition.assignment.strategy", own) is None
    assert key_refusal("partition.assignment.strategy", "range") is None
    assert key_refusal("partition.assignment.strategy", "com.example.RangeAssignor") is not None


def test_no_key_that_names_a_file_or_an_address_or_a_class_is_taken_for_plain() -> None:
    telling = ("location", "file", "path", "paths", "url", "class", "classes", "cb", "cmd", "dir", "directory")
    plain = [key for key, kind in ALLOWED.items() if kind is Kind.PLAIN]
    assert [key for key in plain if key.rpartition(".")[2].rpartition("_")[2] in telling] == []
