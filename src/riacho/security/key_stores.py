"""Keys and certificates out of PEM text, PKCS12 and JKS stores, as PEM: the one form that TLS takes here.

PKCS12 needs `cryptography`, of the extra `riacho[security]`. A store is what its first bytes say, whatever type was
configured: Java reads either kind under the name of the other.
"""

from __future__ import annotations

import base64
import re
from typing import NamedTuple

from riacho.base.config import ConfigError
from riacho.security.jks import MAGIC, JksError, read_jks

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_KEY = re.compile(r"-----BEGIN (?P<kind>[A-Z ]*PRIVATE KEY)-----.+?-----END (?P=kind)-----", re.DOTALL)


class KeyMaterial(NamedTuple):
    """A private key and the certificates that lead from it to an authority, as PEM."""

    key: str
    chain: str
    # Of the key, where it is still encrypted.
    password: str | None = None

    def __repr__(self) -> str:
        return "KeyMaterial(hidden)"


def key_from_pem(text: str, password: str | None) -> KeyMaterial:
    """Key and chain, in any order, out of one text."""
    key = _KEY.search(text)
    chain = _CERTIFICATE.findall(text)
    if key is None:
        raise ConfigError("no private key found in the PEM of the key store")
    if not chain:
        raise ConfigError("no certificate found in the PEM of the key store")
    return KeyMaterial(key[0] + "\n", "\n".join(chain) + "\n", password)


def trusted_from_pem(text: str) -> list[str]:
    found: list[str] = _CERTIFICATE.findall(text)
    if not found:
        raise ConfigError("no certificate found in the PEM of the trust store")
    return found


def key_from_store(data: bytes, password: str | None, key_password: str | None) -> KeyMaterial:
    """The first private key of a PKCS12 or JKS store; ConfigError."""
    if data.startswith(MAGIC):
        try:
            store = read_jks(data, password, key_password)
        except JksError as error:
            raise ConfigError(str(error)) from None
        if not store.keys:
            raise ConfigError("the key store has no private key")
        first = store.keys[0]
        return KeyMaterial(_pem(first.key, "PRIVATE KEY"), "".join(_pem(c, "CERTIFICATE") for c in first.chain))
    from cryptography.hazmat.primitives import serialization

    found = _open_pkcs12(data, password)
    if found.key is None or found.cert is None:
        raise ConfigError("the key store has no private key with its certificate")
    key = found.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain = [found.cert.certificate, *(extra.certificate for extra in found.additional_certs)]
    return KeyMaterial(key.decode(), "".join(c.public_bytes(serialization.Encoding.PEM).decode() for c in chain))


def trusted_from_store(data: bytes, password: str | None) -> list[str]:
    """The trusted certificates of a PKCS12 or JKS store; ConfigError."""
    if data.startswith(MAGIC):
        try:
            found = [_pem(c, "CERTIFICATE") for c in read_jks(data, password).trusted]
        except JksError as error:
            raise ConfigError(str(error)) from None
    else:
        from cryptography.hazmat.primitives import serialization

        store = _open_pkcs12(data, password)
        found = [c.certificate.public_bytes(serialization.Encoding.PEM).decode() for c in store.additional_certs]
    if not found:
        raise ConfigError("the trust store has no certificate")
    return found


def _open_pkcs12(data: bytes, password: str | None):  # type: ignore[no-untyped-def]
    from cryptography.hazmat.primitives.serialization import pkcs12

    try:
        return pkcs12.load_pkcs12(data, None if password is None else password.encode())
    except ValueError:
        raise ConfigError("the PKCS12 store is damaged, or its password is wrong") from None


def _pem(data: bytes, kind: str) -> str:
    text = base64.b64encode(data).decode()
    lines = "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n"
