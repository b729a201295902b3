"""How a client proves who it is and hides what it says: security protocol, TLS, SASL.

`client_security` reads a client's properties, as in the files of Java clients; brokers make theirs from the settings
of the listener that they connect to. Contexts and conversations are made when a connection needs them, so changed keys
and passwords count from the next connection on.
"""

from __future__ import annotations

import secrets
import ssl
from collections.abc import Callable, Mapping
from functools import lru_cache

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.scram import SCRAM_BY_NAME
from riacho.client.client_security import ClientSecurity
from riacho.client.jaas_file import VARIABLE, login_from_environment
from riacho.client.security_names import in_java_names
from riacho.client.tls import TlsSettings, client_context, tls_settings
from riacho.security.jaas import LoginModule, parse_jaas
from riacho.security.plain import PlainClient
from riacho.security.sasl import SaslClient
from riacho.security.scram import ScramClient

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_NONCE_BYTES = 24


def uses_tls(protocol: str) -> bool:
    return protocol in ("SSL", "SASL_SSL")


def uses_sasl(protocol: str) -> bool:
    return protocol in ("SASL_PLAINTEXT", "SASL_SSL")


def sasl_client(mechanism: str, module: LoginModule, get: Callable[[str], str | None] = lambda _: None) -> SaslClient:
    """A new conversation; ConfigError when the login settings do not go with the mechanism."""
    if mechanism == "OAUTHBEARER":
        from riacho.client.oauth_login import oauth_client

        return oauth_client(module, get)
    user, password = module.options.get("username"), module.options.get("password")
    if mechanism not in ("PLAIN", *SCRAM_BY_NAME):
        known = ", ".join(("PLAIN", *SCRAM_BY_NAME, "OAUTHBEARER"))
        raise ConfigError(f"SASL mechanism {mechanism} is not known here; these are: {known}")
    if user is None or password is None:
        raise ConfigError(f"sasl.jaas.config has no username and password for {mechanism}")
    if mechanism == "PLAIN":
        return PlainClient(user, password)
    is_token = module.options.get("tokenauth", "").lower() == "true"
    return ScramClient(SCRAM_BY_NAME[mechanism], user, password, new_nonce(), is_token=is_token)


def new_nonce() -> str:
    return secrets.token_urlsafe(_NONCE_BYTES)


def client_security(properties: Mapping[str, str]) -> ClientSecurity:
    """From Kafka's client settings; KafkaError says what is missing."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise KafkaError(ErrorCode.INVALID_CONFIG, f"security.protocol={protocol}: one of {', '.join(PROTOCOLS)}")
    try:
        return _client_security(protocol, in_java_names(properties))
    except ConfigError as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None


def _client_security(protocol: str, properties: Mapping[str, str]) -> ClientSecurity:
    tls = None
    if uses_tls(protocol):
        settings = tls_settings(lambda name: _value(name, properties.get(name)))
        # At once, so that a wrong file is refused before anything is tried; a tool is over before keys change.
        context = client_context(settings)
        tls = lambda: context  # noqa: E731
    if not uses_sasl(protocol):
        return ClientSecurity(tls)
    mechanism = properties.get("sasl.mechanism", "GSSAPI").upper()
    text = properties.get("sasl.jaas.config") or login_from_environment()
    if text is None:
        problem = f"security.protocol={protocol} needs sasl.mechanism and sasl.jaas.config"
        raise ConfigError(f"{problem}, or a JAAS file that {VARIABLE} names")
    module = parse_jaas(text)
    sasl_client(mechanism, module, properties.get)
    return ClientSecurity(tls, mechanism, lambda: sasl_client(mechanism, module, properties.get))


def _value(name: str, text: str | None) -> object:
    if text is not None and name in ("ssl.enabled.protocols", "ssl.cipher.suites"):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


@lru_cache(maxsize=16)
def cached_context(settings: TlsSettings, stamps: tuple[int, ...]) -> ssl.SSLContext:
    """One context for the same settings and the same files."""
    return client_context(settings)
