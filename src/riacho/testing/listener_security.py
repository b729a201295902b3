"""How clients get into the brokers of a test: in the clear, over TLS, with a login, or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from riacho.testing.certificates import BrokerCertificate

_PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
# By which brokers log in at each other, where everybody has to.
_BROKER_USER, _BROKER_PASSWORD = "riacho-broker", "riacho-broker"


class ListenerSecurity(NamedTuple):
    """`users` are names and passwords; without any nobody has to log in."""

    users: Mapping[str, str] = {}
    certificate: BrokerCertificate | None = None

    @property
    def protocol(self) -> str:
        tls, login = self.certificate is not None, bool(self.users)
        return {(False, False): "PLAINTEXT", (True, False): "SSL", (False, True): "SASL_PLAINTEXT"}.get(
            (tls, login), "SASL_SSL"
        )

    def client_settings(self, user: str | None = None) -> dict[str, str]:
        """Of a client of librdkafka. ValueError for a user who is not there."""
        if self.protocol == "PLAINTEXT" and user is None:
            return {}
        found = {"security.protocol": self.protocol}
        if self.certificate is not None:
            found["ssl.ca.location"] = str(self.certificate.ca_pem)
        if not self.users and user is None:
            return found
        name = next(iter(self.users)) if user is None else user
        if name not in self.users:
            raise ValueError(f"there is no user {name!r}; choose from {', '.join(self.users) or 'none'}")
        return found | {"sasl.mechanism": "PLAIN", "sasl.username": name, "sasl.password": self.users[name]}

    def secured(self, properties: dict[str, str]) -> dict[str, str]:
        """The properties of a node whose clients' listener, the first, is PLAINTEXT, with this in its place."""
        if self.protocol == "PLAINTEXT":
            return properties
        found = properties | {
            "listeners": properties["listeners"].replace("PLAINTEXT://", f"{self.protocol}://", 1),
            "listener.security.protocol.map": f"{self.protocol}:{self.protocol},CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": self.protocol,
        }
        if self.certificate is not None:
            found |= {
                "ssl.keystore.type": "PEM",
                "ssl.keystore.location": str(self.certificate.broker_pem),
                "ssl.truststore.type": "PEM",
                "ssl.truststore.location": str(self.certificate.ca_pem),
            }
        return found | self._login() if self.users else found

    def _login(self) -> dict[str, str]:
        everybody = {**self.users, _BROKER_USER: _BROKER_PASSWORD}
        options = " ".join(f"user_{name}={_quoted(password)}" for name, password in everybody.items())
        own = f'username="{_BROKER_USER}" password="{_BROKER_PASSWORD}"'
        listener = f"listener.name.{self.protocol.lower()}"
        return {
            "sasl.enabled.mechanisms": "PLAIN",
            "sasl.mechanism.inter.broker.protocol": "PLAIN",
            f"{listener}.plain.sasl.jaas.config": f"{_PLAIN_MODULE} required {own} {options};",
            "super.users": f"User:{_BROKER_USER}",
        }


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
