"""Settings of a client that logs in, in Java's words and in librdkafka's."""

from __future__ import annotations

from pathlib import Path

from conformance.secure_broker import PASSWORDS, PLAIN_MODULE, SCRAM_MODULE, SecureBroker

WRONG = "wrong-pass-of-nobody"
SECRETS = (*(password for _, password in PASSWORDS.values() if len(password) > 4), WRONG)


def jaas(mechanism: str, password: str | None = None) -> str:
    user, known = PASSWORDS[mechanism]
    module = PLAIN_MODULE if mechanism == "PLAIN" else SCRAM_MODULE
    return f'{module} required username="{user}" password="{password or known}";'


def java_words(broker: SecureBroker, mechanism: str, password: str | None = None) -> dict[str, str]:
    return {
        "bootstrap.servers": broker.bootstrap("SASL_SSL"),
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.jaas.config": jaas(mechanism, password),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(broker.authority.pem),
    }


def librdkafka_words(broker: SecureBroker, mechanism: str) -> dict[str, str]:
    user, password = PASSWORDS[mechanism]
    return {
        "bootstrap.servers": broker.bootstrap("SASL_SSL"),
        "security.protocol": "sasl_ssl",
        "sasl.mechanisms": mechanism,
        "sasl.username": user,
        "sasl.password": password,
        "ssl.ca.location": str(broker.authority.pem),
    }


def certificate_words(broker: SecureBroker) -> dict[str, str]:
    """All of it as text, as in a secret of Kubernetes."""
    return {
        "bootstrap.servers": broker.bootstrap("SSL"),
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": broker.authority.text,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": broker.client.key_text,
        "ssl.keystore.certificate.chain": broker.client.certificate_text,
    }


def said_in(directory: Path, secrets: tuple[str, ...] = SECRETS) -> list[str]:
    """Files under a directory that hold a secret."""
    wanted = [secret.encode() for secret in secrets]
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [str(path) for path in files if any(secret in path.read_bytes() for secret in wanted)]
