"""Settings that every HTTP service has, under the names of Confluent's REST services, and how a service reads its own.

    settings = load_settings(service_keys(8081) + OWN_KEYS, properties, passed_on=("kafkastore.",))
    settings.text("authentication.method")
    settings.under("kafkastore.")          # what is handed on to the Kafka client, without the prefix

A setting that nobody knows is warned about and has no effect: property files outlive what they were written for.
Secrets may stand in files of their own: `${provider:path:key}`, with the providers of `config.providers` (KIP-421).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping

from riacho.base.config import (
    ConfigKey,
    ConfigType,
    Value,
    at_least,
    between,
    one_of_any_case,
)
from riacho.client.config_providers import PREFIX as PROVIDERS_PREFIX
from riacho.client.config_providers import providers_of

_log = logging.getLogger("riacho.web")

# Settings of the JVM and of Jetty: known, and without effect here.
_WITHOUT_EFFECT = re.compile(
    r"debug|metrics?\..*|ssl\.(provider|protocol|keymanager\.algorithm|trustmanager\.algorithm|secure\.random.*|engine.*)"
    r"|request\.(logger|queue)\..*|thread\.pool\..*|response\.mediatype\..*|compression\.enable|csrf\..*|websocket\..*"
    r"|rest\.servlet\.initializor\.classes|resource\.extension\.class(es)?|dos\.filter\..*|confluent\..*"
)
_AUTHENTICATION_METHODS = ("NONE", "BASIC")


def service_keys(port: int) -> tuple[ConfigKey, ...]:
    """`port` is where the service listens when nothing else is said."""
    boolean, integer, text, names, secret = (
        ConfigType.BOOLEAN, ConfigType.INT, ConfigType.STRING, ConfigType.LIST, ConfigType.PASSWORD,
    )  # fmt: skip
    return (
        ConfigKey("listeners", names, f"http://127.0.0.1:{port}", "Where to listen: http:// or https:// addresses."),
        ConfigKey("advertised.listeners", names, "", "Addresses that others reach this instance by."),
        ConfigKey("host.name", text, "", "The host name that others reach this instance by."),
        ConfigKey("port", integer, None, "The port, where no listeners are given.", between(0, 65535)),
        ConfigKey("authentication.method", text, "NONE", "NONE, or BASIC.", one_of_any_case(*_AUTHENTICATION_METHODS)),
        ConfigKey("authentication.realm", text, "", "The realm that callers are told."),
        ConfigKey("authentication.roles", names, "*", "Roles that may call; * is everyone who has logged in."),
        ConfigKey("authentication.skip.paths", names, "", "Paths that are open to everyone."),
        ConfigKey("authentication.user.file", text, "", "File of users: `name: password,role,...` a line."),
        ConfigKey("access.control.allow.origin", names, "", "Sites whose pages may call; * is all."),
        ConfigKey("access.control.allow.methods", names, "", "Methods that they may call by."),
        ConfigKey("access.control.allow.headers", names, "", "Headers that they may send."),
        ConfigKey("riacho.allowed.hosts", names, "", "Names besides its own that a service may be called by (Host); "
                  "* is any. Empty: on loopback none, elsewhere any."),
        ConfigKey("riacho.log.file", text, "", "File for the log; standard error when not set."),
        ConfigKey("riacho.log.file.max.bytes", ConfigType.LONG, str(10 * 1024 * 1024),
                  "Size at which the log goes on in a new file; 0 for never.", between(0, 1 << 40)),
        ConfigKey("riacho.log.file.backups", integer, "5",
                  "How many of its earlier files it keeps.", between(1, 100)),
        ConfigKey("max.request.body.size", integer, str(10 * 1024 * 1024), "Largest body, in bytes.", at_least(1)),
        ConfigKey("riacho.request.bodies.max.bytes", ConfigType.LONG, str(256 * 1024 * 1024),
                  "Bytes of all bodies under way before 503.", at_least(1)),
        ConfigKey("request.body.timeout.ms", integer, "30000", "How long a body may take to arrive.", at_least(1)),
        ConfigKey("max.request.header.size", integer, "16384", "Largest head of a request, in bytes.", at_least(256)),
        ConfigKey("max.concurrent.requests", integer, "1024", "Requests under way before 503.", at_least(1)),
        ConfigKey("max.connections", integer, "10000", "Connections before further ones are closed.", at_least(1)),
        ConfigKey("idle.timeout.ms", integer, "30000", "How long a connection may be silent.", at_least(1)),
        ConfigKey("http2.enabled", boolean, "true", "Whether HTTP/2 is spoken beside HTTP/1.1."),
        ConfigKey("shutdown.graceful.ms", integer, "5000", "How long calls under way get at the end.", at_least(0)),
        ConfigKey("ssl.keystore.location", text, "", "Key and certificate of https listeners."),
        ConfigKey("ssl.keystore.type", text, "JKS", "JKS, PKCS12 or PEM."),
        ConfigKey("ssl.keystore.password", secret, "", "Password of the key store."),
        ConfigKey("ssl.keystore.key", secret, "", "The private key, as PEM text."),
        ConfigKey("ssl.keystore.certificate.chain", text, "", "The certificates, as PEM text."),
        ConfigKey("ssl.key.password", secret, "", "Password of the private key."),
        ConfigKey("ssl.truststore.location", text, "", "Authorities whose certificates are believed."),
        ConfigKey("ssl.truststore.type", text, "JKS", "JKS, PKCS12 or PEM."),
        ConfigKey("ssl.truststore.password", secret, "", "Password of the trust store."),
        ConfigKey("ssl.truststore.certificates", text, "", "The authorities, as PEM text."),
        ConfigKey("ssl.enabled.protocols", names, "", "TLS versions."),
        ConfigKey("ssl.cipher.suites", names, "", "Cipher suites."),
        ConfigKey("ssl.endpoint.identification.algorithm", text, "https", "Empty: host names are not checked."),
        ConfigKey("ssl.client.auth", boolean, "false", "Whether callers must have a certificate (old name)."),
        ConfigKey("ssl.client.authentication", text, "NONE", "NONE, REQUESTED or REQUIRED.",
                  one_of_any_case("NONE", "REQUESTED", "REQUIRED")),
    )  # fmt: skip


class Settings(Mapping[str, Value]):
    """Typed values by name, defaults included; what they were read from is in `properties`."""

    def __init__(self, table: Iterable[ConfigKey], properties: Mapping[str, str]) -> None:
        self.properties = dict(properties)
        self._values: dict[str, Value] = {}
        for key in table:
            given = properties.get(key.name)
            self._values[key.name] = key.default_value if given is None else key.parse(given)

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        """Values may be secrets."""
        return f"Settings({', '.join(sorted(self.properties))})"

    def is_set(self, name: str) -> bool:
        return name in self.properties

    def text(self, name: str) -> str:
        value = self._values[name]
        assert isinstance(value, str), name
        return value

    def integer(self, name: str) -> int:
        value = self._values[name]
        assert isinstance(value, int), name
        return value

    def flag(self, name: str) -> bool:
        value = self._values[name]
        assert isinstance(value, bool), name
        return value

    def names(self, name: str) -> list[str]:
        value = self._values[name]
        assert isinstance(value, list), name
        return value

    def under(self, prefix: str) -> dict[str, str]:
        """What is set under a prefix, as text and without it."""
        return {name[len(prefix) :]: text for name, text in self.properties.items() if name.startswith(prefix)}


def load_settings(
    table: Iterable[ConfigKey], properties: Mapping[str, str], *, passed_on: tuple[str, ...] = ()
) -> Settings:
    """ConfigError when a value cannot be used. Names that begin with one of `passed_on` belong to somebody else.

    What is read from files is named by the operator's own properties; nothing that comes in by a call gets here."""
    filled, _ = providers_of(properties).resolve(properties)
    rows = tuple(table)
    known = {key.name for key in rows}
    assert len(known) == len(rows), "a setting stands twice in the table"
    for name in sorted(filled):
        if name in known or name.startswith((PROVIDERS_PREFIX.rstrip("."), *passed_on)):
            continue
        if not _WITHOUT_EFFECT.fullmatch(name):
            _log.warning("unknown setting has no effect name=%s", name)
    return Settings(rows, filled)
