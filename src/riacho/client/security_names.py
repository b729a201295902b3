"""librdkafka's security settings in Java's words, for those who bring the settings of a Python or C client.

What Java has a name for and is given by it stays as it is; the others are put beside it:

    sasl.mechanisms, sasl.username, sasl.password       sasl.mechanism, sasl.jaas.config
    ssl.ca.location, ssl.ca.pem                         ssl.truststore.*
    ssl.certificate.*, ssl.key.*                        ssl.keystore.*
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigError

_PACKAGE = "org.apache.kafka.common.security"
_MODULES = {"PLAIN": f"{_PACKAGE}.plain.PlainLoginModule"}
_SCRAM_MODULE = f"{_PACKAGE}.scram.ScramLoginModule"


def in_java_names(properties: Mapping[str, str]) -> dict[str, str]:
    """ConfigError where a file that is named cannot be read."""
    return {**_login(properties), **_trusted(properties), **_key(properties), **properties}


def _login(given: Mapping[str, str]) -> dict[str, str]:
    mechanism = given.get("sasl.mechanism") or given.get("sasl.mechanisms")
    found = {"sasl.mechanism": mechanism} if mechanism else {}
    user, password = given.get("sasl.username"), given.get("sasl.password")
    if user is not None and password is not None:
        module = _MODULES.get((mechanism or "").upper(), _SCRAM_MODULE)
        found["sasl.jaas.config"] = f"{module} required username={_quoted(user)} password={_quoted(password)};"
    return found


def _trusted(given: Mapping[str, str]) -> dict[str, str]:
    if _has(given, "ssl.truststore."):
        return {}
    if "ssl.ca.pem" in given:
        return {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": given["ssl.ca.pem"]}
    if "ssl.ca.location" in given:
        return {"ssl.truststore.type": "PEM", "ssl.truststore.location": given["ssl.ca.location"]}
    return {}


def _key(given: Mapping[str, str]) -> dict[str, str]:
    """Java has key and chain in one file, librdkafka in two: so their texts are handed on."""
    if _has(given, "ssl.keystore."):
        return {}
    key, chain = _text(given, "ssl.key"), _text(given, "ssl.certificate")
    if key is None or chain is None:
        return {}
    return {"ssl.keystore.type": "PEM", "ssl.keystore.key": key, "ssl.keystore.certificate.chain": chain}


def _text(given: Mapping[str, str], what: str) -> str | None:
    path = given.get(f"{what}.location")
    if path is None:
        return given.get(f"{what}.pem")
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not PEM"
        raise ConfigError(f"{what}.location={path} cannot be read: {reason}") from None


def _has(given: Mapping[str, str], prefix: str) -> bool:
    return any(name.startswith(prefix) for name in given)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
