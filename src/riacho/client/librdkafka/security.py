"""Security settings of Java clients in librdkafka's words.

librdkafka reads no Java key stores and knows no login modules, so keys and certificates are handed over as PEM text,
and name and password by themselves. A delegation token works by its id and secret, but librdkafka cannot say that it
is one; that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.config import ConfigError
from riacho.client.jaas_file import login_from_environment

if TYPE_CHECKING:
    from riacho.security.jaas import LoginModule

_NAMES = frozenset({"security.protocol", "sasl.mechanism", "sasl.mechanisms", "sasl.jaas.config"})
# librdkafka has these under the same names.
_KEPT = ("ssl.cipher.suites", "ssl.endpoint.identification.algorithm")


def is_security(name: str) -> bool:
    return name in _NAMES or name.startswith(("ssl.", "sasl.oauthbearer.", "sasl.login."))


def security_settings(properties: Mapping[str, str]) -> dict[str, Any]:
    """ConfigError when they cannot be used."""
    protocol = properties.get("security.protocol", "PLAINTEXT").upper()
    own = {name: value for name, value in properties.items() if _is_librdkafkas(name)}
    if protocol == "PLAINTEXT":
        return own
    config: dict[str, Any] = {"security.protocol": protocol, **own}
    if protocol.endswith("SSL"):
        config |= _tls(properties)
    if protocol.startswith("SASL"):
        config |= _sasl(properties)
    return config


def _is_librdkafkas(name: str) -> bool:
    """Settings that only librdkafka has, for those who write its names into the file."""
    return name.startswith(("ssl.ca.", "ssl.certificate.", "ssl.key.location", "ssl.key.pem", "ssl.crl."))


def _tls(properties: Mapping[str, str]) -> dict[str, Any]:
    from riacho.client.tls import pem_texts, tls_settings

    lists = ("ssl.enabled.protocols", "ssl.cipher.suites")
    settings = tls_settings(lambda name: properties.get(name) if name not in lists else None)
    key, chain, trusted, password = pem_texts(settings)
    found: dict[str, Any] = {name: properties[name] for name in _KEPT if name in properties}
    if found.get("ssl.endpoint.identification.algorithm") == "":
        found["ssl.endpoint.identification.algorithm"] = "none"
    if key is not None:
        found |= {"ssl.key.pem": key, "ssl.certificate.pem": chain}
    if password is not None:
        found["ssl.key.password"] = password
    if trusted:
        found["ssl.ca.pem"] = trusted
    return found


def _sasl(properties: Mapping[str, str]) -> dict[str, Any]:
    from riacho.security.jaas import parse_jaas

    mechanism = (properties.get("sasl.mechanism") or properties.get("sasl.mechanisms") or "GSSAPI").upper()
    text = properties.get("sasl.jaas.config")
    if text is None and "sasl.username" not in properties:
        text = login_from_environment()
    if text is None:
        names = ("sasl.username", "sasl.password", "sasl.oauthbearer.")
        own = {name: value for name, value in properties.items() if name.startswith(names)}
        return {"sasl.mechanism": mechanism, **own}
    module = parse_jaas(text)
    if mechanism == "OAUTHBEARER":
        return {"sasl.mechanism": mechanism, "oauth_cb": _token_source(module, properties)}
    if module.options.get("tokenauth", "").lower() == "true":
        raise ConfigError("a delegation token (tokenauth=true) cannot log in here; use the user's own password")
    user, password = module.options.get("username"), module.options.get("password")
    if user is None or password is None:
        raise ConfigError(f"sasl.jaas.config has no username and password for {mechanism}")
    return {"sasl.mechanism": mechanism, "sasl.username": user, "sasl.password": password}


def _token_source(module: LoginModule, properties: Mapping[str, str]) -> Callable[[str], tuple[str, float]]:
    from riacho.client.oauth_login import token_and_expiry

    token_and_expiry(module, properties.get)
    return lambda _: token_and_expiry(module, properties.get)
