"""A broker with a listener of each security protocol, Riacho or Apache Kafka, under the same settings.

Users: alice by PLAIN, bob by SCRAM, carol by signed token (over TLS), dave by unsecured token (in the clear).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.running_broker import PROPERTIES
from support.certificates import Authority, Identity
from support.identity_provider import AUDIENCE, ISSUER, IdentityProvider, unsecured_token
from support.ports import free_ports
from support.riacho_process import RiachoProcess

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"
OAUTH_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
_OAUTH_PACKAGE = "org.apache.kafka.common.security.oauthbearer"
PASSWORDS = {
    "PLAIN": ("alice", "alice-secret"),
    "SCRAM-SHA-256": ("bob", "bob,=secret"),
    "SCRAM-SHA-512": ("bob", "b512"),
}


@dataclass
class SecureBroker:
    kind: str
    ports: Mapping[str, int]
    authority: Authority
    provider: IdentityProvider
    client: Identity
    process: Any = field(repr=False)

    def bootstrap(self, protocol: str) -> str:
        return f"127.0.0.1:{self.ports[protocol]}"

    def address(self, protocol: str) -> tuple[str, int]:
        return "127.0.0.1", self.ports[protocol]

    def token(self, protocol: str, **claims: Any) -> str:
        if protocol == "SASL_SSL":
            return self.provider.token("carol", **claims)
        return unsecured_token("dave", **({"scope": "kafka"} | claims))

    def output(self) -> str:
        return str(self.process.output_tail(200_000) if self.kind == "riacho" else self.process.last_words(200_000))


def properties(
    ports: Mapping[str, int], controller_port: int, authority: Authority, provider: IdentityProvider
) -> dict[str, str]:
    own = [f"{protocol}://127.0.0.1:{port}" for protocol, port in ports.items()]
    names = [*PROTOCOLS, "CONTROLLER"]
    broker = authority.issue("broker")
    found = PROPERTIES | {
        "listeners": ",".join([*own, f"CONTROLLER://127.0.0.1:{controller_port}"]),
        "advertised.listeners": ",".join(own),
        "listener.security.protocol.map": ",".join(f"{n}:{'PLAINTEXT' if n == 'CONTROLLER' else n}" for n in names),
        "inter.broker.listener.name": "PLAINTEXT",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(broker.pem),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.pem),
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.principal.mapping.rules": "RULE:^CN=(svc-.*?),.*$/$1/U,DEFAULT",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "delegation.token.secret.key": "token-secret",
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "sasl.oauthbearer.expected.issuer": ISSUER,
        "listener.name.sasl_ssl.oauthbearer.sasl.oauthbearer.jwks.endpoint.url": provider.jwks_url,
        "listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class": (
            f"{_OAUTH_PACKAGE}.OAuthBearerValidatorCallbackHandler"
        ),
    }
    for name in ("sasl_plaintext", "sasl_ssl"):
        prefix = f"listener.name.{name}"
        found[f"{prefix}.plain.sasl.jaas.config"] = f'{PLAIN_MODULE} required user_alice="alice-secret";'
        for scram in ("scram-sha-256", "scram-sha-512"):
            found[f"{prefix}.{scram}.sasl.jaas.config"] = f"{SCRAM_MODULE} required;"
    oauth = "oauthbearer.sasl.jaas.config"
    # Apache's broker logs in itself, too, by the same settings.
    module = f'{OAUTH_MODULE} required unsecuredLoginStringClaim_sub="broker"'
    found[f"listener.name.sasl_ssl.{oauth}"] = f"{module};"
    found[f"listener.name.sasl_plaintext.{oauth}"] = f'{module} unsecuredValidatorRequiredScope="kafka";'
    return found


@contextmanager
def run(kind: str, directory: Path, more: Mapping[str, str] | None = None) -> Iterator[SecureBroker]:
    authority, provider = Authority(directory / "keys"), IdentityProvider(directory / "provider")
    *numbers, controller_port = free_ports(len(PROTOCOLS) + 1)
    ports = dict(zip(PROTOCOLS, numbers, strict=True))
    settings = properties(ports, controller_port, authority, provider) | dict(more or {})
    process: Any
    if kind == "riacho":
        process = RiachoProcess(directory, settings | {"controller.quorum.voters": f"1@127.0.0.1:{controller_port}"})
        process.port = ports["PLAINTEXT"]
    else:
        from support.apache_kafka import STOCK_JVM_FLAGS, ApacheKafka

        allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={provider.jwks_url}"
        process = ApacheKafka(
            directory,
            settings | {"controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}"},
            jvm_flags=(*STOCK_JVM_FLAGS, allowed),
            port=ports["PLAINTEXT"],
        )
    try:
        process.start()
        running = SecureBroker(kind, ports, authority, provider, authority.issue("svc-client"), process)
        _create_users(running)
        yield running
    finally:
        if kind != "riacho" or process.process is not None:
            process.stop()


def _create_users(broker: SecureBroker) -> None:
    from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

    admin = AdminClient({"bootstrap.servers": broker.bootstrap("PLAINTEXT")})
    for name in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        user, password = PASSWORDS[name]
        mechanism = ScramMechanism[name.replace("-", "_")]
        change = UserScramCredentialUpsertion(user, ScramCredentialInfo(mechanism, 4096), password.encode())
        for done in admin.alter_user_scram_credentials([change]).values():
            done.result(30)
