"""TLS contexts from Kafka's `ssl.*` settings, for the side that connects and the side that accepts.

Keys come as PEM files, as PEM text in the settings, or in PKCS12 and JKS stores (`security/key_stores.py`). The TLS
library reads keys from files only, so they pass through a file in memory that nobody else can open by name.
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.security.key_stores import (
    KeyMaterial,
    key_from_pem,
    key_from_store,
    trusted_from_pem,
    trusted_from_store,
)

_VERSIONS = {
    "TLSv1": ssl.TLSVersion.TLSv1,
    "TLSv1.1": ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": ssl.TLSVersion.TLSv1_2,
    "TLSv1.3": ssl.TLSVersion.TLSv1_3,
}
_PEM_END = "-----END CERTIFICATE-----\n"
_CLIENT_AUTH = {"none": ssl.CERT_NONE, "requested": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}
# TLS 1.3 suites cannot be chosen one by one by this library; all of them are sound.
_TLS13_PREFIXES = ("TLS_AES_", "TLS_CHACHA20_")


class TlsSettings(NamedTuple):
    """Kafka's settings under their names, dots as underscores and without `ssl.`."""

    keystore_type: str = "JKS"
    keystore_location: str | None = None
    keystore_password: str | None = None
    keystore_key: str | None = None
    keystore_certificate_chain: str | None = None
    key_password: str | None = None
    truststore_type: str = "JKS"
    truststore_location: str | None = None
    truststore_password: str | None = None
    truststore_certificates: str | None = None
    enabled_protocols: tuple[str, ...] = ("TLSv1.2", "TLSv1.3")
    cipher_suites: tuple[str, ...] = ()
    client_auth: str = "none"
    endpoint_identification_algorithm: str = "https"

    def __repr__(self) -> str:
        return f"TlsSettings(keystore={self.keystore_location}, truststore={self.truststore_location})"

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(path for path in (self.keystore_location, self.truststore_location) if path)


def tls_settings(get: Callable[[str], object]) -> TlsSettings:
    """From typed values by Kafka's names; what is None or empty keeps its default."""
    found: dict[str, object] = {}
    for field in TlsSettings._fields:
        value = get("ssl." + field.replace("_", "."))
        if field == "endpoint_identification_algorithm" and value == "":
            found[field] = ""
        elif value not in (None, "", []):
            found[field] = tuple(value) if isinstance(value, list) else value
    return TlsSettings(**found)  # type: ignore[arg-type]


class _ServerSide(ssl.SSLObject):
    """Puts the alert that says why a handshake failed into its error: event loops leave it unsent."""

    outgoing: ssl.MemoryBIO | None = None

    def do_handshake(self) -> None:
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise
        except ssl.SSLError as error:
            error.alert = self.outgoing.read() if self.outgoing is not None else b""  # type: ignore[attr-defined]
            raise


class _ServerContext(ssl.SSLContext):
    sslobject_class = _ServerSide

    def wrap_bio(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, *args: Any, **options: Any) -> ssl.SSLObject:
        made = super().wrap_bio(incoming, outgoing, *args, **options)
        assert isinstance(made, _ServerSide)
        made.outgoing = outgoing
        return made


def server_context(settings: TlsSettings) -> ssl.SSLContext:
    """ConfigError when the settings do not make a server."""
    context = _ServerContext(ssl.PROTOCOL_TLS_SERVER)
    _restrict(context, settings)
    key = _key_material(settings)
    if key is None:
        raise ConfigError("TLS needs a key: ssl.keystore.location, or ssl.keystore.key and its certificate chain")
    _load_key(context, key)
    try:
        context.verify_mode = _CLIENT_AUTH[settings.client_auth.lower()]
    except KeyError:
        raise ConfigError(f"ssl.client.auth must be required, requested or none, not {settings.client_auth}") from None
    trusted = _trusted(settings)
    if trusted:
        _load_trusted(context, trusted)
    elif context.verify_mode is not ssl.CERT_NONE:
        context.load_default_certs(ssl.Purpose.CLIENT_AUTH)
    return context


def client_context(settings: TlsSettings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _restrict(context, settings)
    context.check_hostname = settings.endpoint_identification_algorithm.lower() == "https"
    key = _key_material(settings)
    if key is not None:
        _load_key(context, key)
    trusted = _trusted(settings)
    if trusted:
        _load_trusted(context, trusted)
    else:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    return context


def certificate_of(settings: TlsSettings) -> bytes | None:
    """The certificate that is shown to the other side, in DER."""
    key = _key_material(settings)
    return None if key is None else ssl.PEM_cert_to_DER_cert(key.chain.partition("-----END")[0] + _PEM_END)


def pem_texts(settings: TlsSettings) -> tuple[str | None, str | None, str, str | None]:
    """(key, chain, trusted certificates, password of the key) as PEM, for libraries that take it so."""
    key = _key_material(settings)
    trusted = "\n".join(_trusted(settings))
    return (None, None, trusted, None) if key is None else (key.key, key.chain, trusted, key.password)


def _restrict(context: ssl.SSLContext, settings: TlsSettings) -> None:
    try:
        versions = sorted(_VERSIONS[name] for name in settings.enabled_protocols)
    except KeyError as error:
        raise ConfigError(f"ssl.enabled.protocols has the unknown protocol {error.args[0]}") from None
    context.minimum_version, context.maximum_version = versions[0], versions[-1]
    chosen = [name for name in settings.cipher_suites if not name.startswith(_TLS13_PREFIXES)]
    if chosen:
        try:
            context.set_ciphers(":".join(_openssl_name(name) for name in chosen))
        except ssl.SSLError:
            raise ConfigError(f"ssl.cipher.suites has no suite that is known here: {','.join(chosen)}") from None


def _openssl_name(suite: str) -> str:
    """`TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384`, as Java says, is `ECDHE-RSA-AES256-GCM-SHA384` to OpenSSL."""
    if not suite.startswith(("TLS_", "SSL_")):
        return suite
    exchange, _, cipher = suite[4:].partition("_WITH_")
    cipher = cipher.replace("AES_128", "AES128").replace("AES_256", "AES256").replace("AES128_CBC", "AES128")
    cipher = cipher.replace("AES256_CBC", "AES256").replace("CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305")
    prefix = "" if exchange == "RSA" else exchange.replace("_", "-") + "-"
    return prefix + cipher.replace("_", "-")


def _key_material(settings: TlsSettings) -> KeyMaterial | None:
    if settings.keystore_key is not None:
        text = f"{settings.keystore_key}\n{settings.keystore_certificate_chain or ''}"
        return key_from_pem(text, settings.key_password)
    if settings.keystore_location is None:
        return None
    data = _read(settings.keystore_location, "key store")
    if settings.keystore_type.upper() == "PEM":
        if settings.keystore_password is not None:
            raise ConfigError("a PEM key store has no password of its own: give ssl.key.password instead")
        return key_from_pem(_text(data, "key store"), settings.key_password)
    _check_no_pem(data, "keystore", settings.keystore_location)
    with _needing_library(settings.keystore_type):
        return key_from_store(data, settings.keystore_password, settings.key_password)


def _trusted(settings: TlsSettings) -> list[str]:
    if settings.truststore_certificates is not None:
        return trusted_from_pem(settings.truststore_certificates)
    if settings.truststore_location is None:
        return []
    data = _read(settings.truststore_location, "trust store")
    if settings.truststore_type.upper() == "PEM":
        return trusted_from_pem(_text(data, "trust store"))
    _check_no_pem(data, "truststore", settings.truststore_location)
    with _needing_library(settings.truststore_type):
        return trusted_from_store(data, settings.truststore_password)


class _needing_library:
    """Turns a missing library into a sentence that says how to get it."""

    def __init__(self, store_type: str) -> None:
        self._store_type = store_type

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if isinstance(error, ImportError):
            problem = f"a key store of type {self._store_type} needs the package cryptography"
            raise ConfigError(f"{problem}: {how_to_install('security')}, or use PEM") from None


def _read(path: str, what: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise ConfigError(f"the {what} {path} cannot be read: {error.strerror}") from None


def _check_no_pem(data: bytes, what: str, path: str) -> None:
    """Java takes a store without a type for one of its own; another kind of file is easily recognised."""
    if b"-----BEGIN" in data[:10_000]:
        raise ConfigError(f"{path} is PEM: set ssl.{what}.type=PEM")


def _text(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError(f"the {what} is not PEM") from None


def _load_key(context: ssl.SSLContext, material: KeyMaterial) -> None:
    descriptor = _private_file((material.key + material.chain).encode())
    try:
        # A wrong password must be an error, never a question on the terminal.
        context.load_cert_chain(f"/dev/fd/{descriptor}", password=lambda: material.password or "")
    except (ssl.SSLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or "its password is wrong or it is damaged"
        raise ConfigError(f"the private key cannot be used with its certificate: {reason}") from None
    finally:
        os.close(descriptor)


def _load_trusted(context: ssl.SSLContext, trusted: list[str]) -> None:
    try:
        context.load_verify_locations(cadata="\n".join(trusted))
    except (ssl.SSLError, ValueError) as error:
        reason = getattr(error, "reason", None) or "they are damaged"
        raise ConfigError(f"the trusted certificates cannot be used: {reason}") from None


def _private_file(data: bytes) -> int:
    """A descriptor of a file without a name."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("riacho-key", os.MFD_CLOEXEC)
    else:
        descriptor, path = tempfile.mkstemp()
        os.unlink(path)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
