"""Riacho's kafka-* tools with the property files of Java clients: logins, key stores, tokens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.running_broker import kinds
from conformance.secure_broker import OAUTH_MODULE, PASSWORDS, PLAIN_MODULE, SCRAM_MODULE, SecureBroker, run
from support.certificates import PASSWORD
from support.riacho_process import SOURCE

needs_keytool = pytest.mark.skipif(shutil.which("keytool") is None, reason="there is no keytool")


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secure(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    with run(request.param, tmp_path_factory.mktemp("secure")) as running:
        yield running


class Tools:
    def __init__(self, broker: SecureBroker, directory: Path) -> None:
        self.broker = broker
        self.directory = directory

    def __call__(
        self, tool: str, protocol: str, settings: dict[str, str], *words: str, text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        path = self.directory / "client.properties"
        lines = {"security.protocol": protocol, **settings}
        path.write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
        program = f"from riacho.cli.kafka.{tool.removeprefix('kafka-').replace('-', '_')} import main; main()"
        return subprocess.run(
            [sys.executable, "-c", program, "--bootstrap-server", self.broker.bootstrap(protocol),
             "--command-config", str(path), *words],
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
            check=False,
        )  # fmt: skip


@pytest.fixture
def tools(secure: SecureBroker, tmp_path: Path) -> Tools:
    return Tools(secure, tmp_path)


def trust(broker: SecureBroker) -> dict[str, str]:
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(broker.authority.pem)}


def login(mechanism: str) -> dict[str, str]:
    user, password = PASSWORDS[mechanism]
    module = PLAIN_MODULE if mechanism == "PLAIN" else SCRAM_MODULE
    jaas = f'{module} required username="{user}" password="{password}";'
    return {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas}


def java_stores(broker: SecureBroker, kind: str) -> dict[str, str]:
    return {
        "ssl.truststore.location": str(broker.authority.trust_store(kind)),
        "ssl.truststore.password": PASSWORD,
        "ssl.truststore.type": kind,
        "ssl.keystore.location": str(broker.client.key_store(kind)),
        "ssl.keystore.password": PASSWORD,
        "ssl.keystore.type": kind,
    }


def works(tools: Tools, protocol: str, settings: dict[str, str], topic: str) -> None:
    made = tools("kafka-topics", protocol, settings, "--create", "--topic", topic)
    assert made.returncode == 0, made.stdout + made.stderr
    sent = tools("kafka-console-producer", protocol, settings, "--topic", topic, text="one\ntwo\n")
    assert sent.returncode == 0, sent.stderr
    words = ("--topic", topic, "--from-beginning", "--max-messages", "2", "--timeout-ms", "20000")
    read = tools("kafka-console-consumer", protocol, settings, *words)
    assert read.stdout.split() == ["one", "two"], read.stderr


@pytest.mark.parametrize("mechanism", sorted(PASSWORDS))
@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
def test_names_and_passwords(secure: SecureBroker, tools: Tools, name: str, protocol: str, mechanism: str) -> None:
    works(tools, protocol, login(mechanism) | (trust(secure) if protocol == "SASL_SSL" else {}), name)


@needs_keytool
@pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
def test_certificates_in_java_key_stores(secure: SecureBroker, tools: Tools, name: str, kind: str) -> None:
    works(tools, "SSL", java_stores(secure, kind), name)


def test_tokens(secure: SecureBroker, tools: Tools, tmp_path: Path, name: str) -> None:
    token = tmp_path / "token"
    token.write_text(secure.token("SASL_SSL"))
    signed = {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": token.as_uri(),
        "sasl.jaas.config": f"{OAUTH_MODULE} required;",
    }
    works(tools, "SASL_SSL", signed | trust(secure), name)
    options = 'unsecuredLoginStringClaim_sub="dave" unsecuredLoginStringClaim_scope="kafka"'
    unsecured = {"sasl.mechanism": "OAUTHBEARER", "sasl.jaas.config": f"{OAUTH_MODULE} required {options};"}
    works(tools, "SASL_PLAINTEXT", unsecured, f"{name}-unsecured")


def test_delegation_tokens(secure: SecureBroker, tools: Tools) -> None:
    bob = login("SCRAM-SHA-512")
    made = tools("kafka-delegation-tokens", "SASL_PLAINTEXT", bob, "--create", "--max-life-time-period", "-1")
    assert made.returncode == 0, made.stdout + made.stderr
    token_id, secret, *_ = made.stdout.strip().splitlines()[-1].split()
    jaas = f'{SCRAM_MODULE} required username="{token_id}" password="{secret}" tokenauth="true";'
    by_token = {"sasl.mechanism": "SCRAM-SHA-256", "sasl.jaas.config": jaas}
    assert tools("kafka-topics", "SASL_PLAINTEXT", by_token, "--list").returncode == 0
    shown = tools("kafka-delegation-tokens", "SASL_PLAINTEXT", bob, "--describe")
    assert token_id in shown.stdout
    ended = tools(
        "kafka-delegation-tokens", "SASL_PLAINTEXT", bob, "--expire", "--expiry-time-period", "-1", "--hmac", secret
    )
    assert ended.returncode == 0, ended.stderr


def test_what_is_wrong_is_one_sentence(secure: SecureBroker, tools: Tools) -> None:
    wrong = {"sasl.mechanism": "PLAIN", "sasl.jaas.config": f'{PLAIN_MODULE} required username="alice" password="no";'}
    refused = tools("kafka-topics", "SASL_PLAINTEXT", wrong, "--list")
    assert refused.returncode == 1
    assert "Authentication failed: Invalid username or password" in refused.stdout + refused.stderr
    for tool, words in (
        ("kafka-console-producer", ["--topic", "wrong"]),
        ("kafka-console-consumer", ["--topic", "wrong"]),
        ("kafka-verifiable-producer", ["--topic", "wrong", "--max-messages", "1"]),
        ("kafka-consumer-perf-test", ["--topic", "wrong", "--num-records", "1"]),
    ):
        refused = tools(tool, "SASL_PLAINTEXT", wrong, *words)
        assert refused.returncode == 1
        assert "Authentication failed: Invalid username or password" in refused.stderr, tool
    untrusted = tools("kafka-topics", "SASL_SSL", login("PLAIN"), "--list")
    assert untrusted.returncode == 1
    assert "the TLS handshake failed" in untrusted.stdout + untrusted.stderr
    missing = tools("kafka-topics", "SASL_SSL", {}, "--list")
    assert "needs sasl.mechanism and sasl.jaas.config" in missing.stdout + missing.stderr
