"""`riacho` with brokers that want TLS and a login: by a file, by single settings, by a profile, by the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from conformance.running_broker import kinds
from conformance.secure_broker import PASSWORDS, PLAIN_MODULE, PROTOCOLS, SCRAM_MODULE, SecureBroker, run
from support.riacho_process import SOURCE

SECURED = [protocol for protocol in PROTOCOLS if protocol != "PLAINTEXT"]


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secure(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    with run(request.param, tmp_path_factory.mktemp("secure")) as running:
        yield running


class Umbrella:
    def __init__(self, home: Path, variables: Mapping[str, str] | None = None) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KAFKA_", "RIACHO_", "XDG_"))}
        self.environment = kept | {"HOME": str(home), "PYTHONPATH": str(SOURCE), **(variables or {})}

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "riacho", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            env=self.environment,
            check=False,
        )

    def run(self, *words: str) -> str:
        done = self(*words)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def fail(self, *words: str) -> str:
        done = self(*words)
        assert done.returncode == 1, f"{words}: {done.returncode} {done.stderr}"
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        return done.stderr


@pytest.fixture
def riacho(tmp_path: Path) -> Umbrella:
    return Umbrella(tmp_path)


def settings(broker: SecureBroker, protocol: str, mechanism: str, password: str | None = None) -> dict[str, str]:
    """In Java's names."""
    found = {"security.protocol": protocol}
    if protocol.endswith("SSL"):
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(broker.authority.pem)}
    if protocol == "SSL":
        found |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(broker.client.pem)}
    if protocol.startswith("SASL"):
        user, right = PASSWORDS[mechanism]
        module = PLAIN_MODULE if mechanism == "PLAIN" else SCRAM_MODULE
        jaas = f'{module} required username="{user}" password="{password or right}";'
        found |= {"sasl.mechanism": mechanism, "sasl.jaas.config": jaas}
    return found


def written(path: Path, properties: Mapping[str, str]) -> str:
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return str(path)


@pytest.mark.parametrize(
    ("protocol", "mechanism"), [("SSL", ""), ("SASL_PLAINTEXT", "SCRAM-SHA-256"), ("SASL_SSL", "PLAIN")]
)
def test_every_command_logs_in_by_a_file(
    secure: SecureBroker, riacho: Umbrella, protocol: str, mechanism: str, tmp_path: Path
) -> None:
    topic, group = f"file-{protocol.lower()}", f"group-{protocol.lower()}"
    file = written(tmp_path / "client.properties", settings(secure, protocol, mechanism))
    login = ("-b", secure.bootstrap(protocol), "--command-config", file)
    riacho.run("topic", "create", topic, *login)
    assert topic in riacho.run("topic", "list", "-o", "raw", *login)
    riacho.run("produce", topic, "one", "two", *login)
    assert riacho.run("consume", topic, "-o", "raw", *login) == "one\ntwo\n"
    assert riacho.run("consume", topic, "--group", group, "-o", "raw", *login) == "one\ntwo\n"
    assert group in riacho.run("group", "list", "-o", "raw", *login)
    assert "lag" in riacho.run("group", "describe", group, *login)


def test_single_settings_in_librdkafkas_names(secure: SecureBroker, riacho: Umbrella) -> None:
    user, password = PASSWORDS["SCRAM-SHA-512"]
    login = ["-b", secure.bootstrap("SASL_SSL"), "-X", "security.protocol=SASL_SSL"]
    login += ["-X", "sasl.mechanisms=SCRAM-SHA-512", "-X", f"sasl.username={user}", "-X", f"sasl.password={password}"]
    login += ["-X", f"ssl.ca.location={secure.authority.pem}"]
    riacho.run("topic", "create", "by-settings", *login)
    riacho.run("produce", "by-settings", "one", *login)
    assert riacho.run("consume", "by-settings", "-o", "raw", *login) == "one\n"


def test_a_profile_has_the_address_and_the_login(secure: SecureBroker, riacho: Umbrella, tmp_path: Path) -> None:
    file = written(tmp_path / "client.properties", settings(secure, "SASL_PLAINTEXT", "PLAIN"))
    riacho.run("profile", "save", "work", "-b", secure.bootstrap("SASL_PLAINTEXT"), "--command-config", file)
    kept = tmp_path / ".config" / "riacho" / "profiles" / "work.properties"
    assert kept.stat().st_mode & 0o077 == 0
    riacho.run("topic", "create", "by-profile", "--profile", "work")
    assert secure.bootstrap("SASL_PLAINTEXT") in riacho.run("profile", "list")
    assert "alice-secret" not in riacho.run("profile", "show", "work")
    everywhere = Umbrella(tmp_path, {"RIACHO_PROFILE": "work"})
    everywhere.run("produce", "by-profile", "one")
    assert everywhere.run("consume", "by-profile", "-o", "raw") == "one\n"
    assert "did you mean 'work'?" in riacho.fail("topic", "list", "--profile", "wrok")
    riacho.run("profile", "delete", "work", "--yes")
    assert "There is no profile 'work'" in riacho.fail("topic", "list", "--profile", "work")


def test_the_environment_names_the_file(secure: SecureBroker, tmp_path: Path) -> None:
    file = written(
        tmp_path / "client.properties",
        settings(secure, "SASL_PLAINTEXT", "PLAIN") | {"bootstrap.servers": secure.bootstrap("SASL_PLAINTEXT")},
    )
    riacho = Umbrella(tmp_path, {"RIACHO_COMMAND_CONFIG": file})
    riacho.run("topic", "create", "by-environment")
    assert "by-environment" in riacho.run("topic", "list", "-o", "raw")


@pytest.mark.parametrize("command", [("topic", "list"), ("produce", "x", "one"), ("consume", "x")], ids=" ".join)
def test_a_secured_listener_is_told_as_such(secure: SecureBroker, riacho: Umbrella, command: tuple[str, ...]) -> None:
    for protocol in SECURED:
        told = riacho.fail(*command, "-b", secure.bootstrap(protocol))
        assert "--command-config" in told
        assert "riacho up" not in told
        assert ("speak TLS" if protocol.endswith("SSL") else "want a login") in told


@pytest.mark.parametrize("command", [("topic", "list"), ("produce", "x", "one"), ("consume", "x")], ids=" ".join)
def test_a_wrong_password_is_told_as_such(
    secure: SecureBroker, riacho: Umbrella, command: tuple[str, ...], tmp_path: Path
) -> None:
    file = written(tmp_path / "wrong.properties", settings(secure, "SASL_PLAINTEXT", "PLAIN", "no-such-word"))
    told = riacho.fail(*command, "-b", secure.bootstrap("SASL_PLAINTEXT"), "--command-config", file)
    assert "Authentication failed: Invalid username or password" in told
    assert "no-such-word" not in told
