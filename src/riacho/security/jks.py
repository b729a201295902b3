"""Java's own key store format, JKS: read, never written.

A list of entries, private keys with their certificates and trusted certificates, then a digest over all of it that the
password is part of. A private key is hidden under a stream of SHA-1 digests of its password. Java itself has moved on
to PKCS12, but old stores are still about, and no library that is kept up reads them.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from typing import NamedTuple

from riacho.security.der import DerError, read

MAGIC = 0xFEEDFEED.to_bytes(4, "big")
_KEY_ENTRY, _CERTIFICATE_ENTRY = 1, 2
_DIGEST_SIZE = 20
_WHITENER = b"Mighty Aphrodite"
_OCTETS, _SEQUENCE = 0x04, 0x30


class JksError(ValueError):
    """A store that is damaged, or a password that is wrong."""


class JksKey(NamedTuple):
    # PKCS8, in DER.
    key: bytes
    chain: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"JksKey(chain of {len(self.chain)})"


class JksStore(NamedTuple):
    keys: tuple[JksKey, ...]
    trusted: tuple[bytes, ...]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def number(self) -> int:
        return int(struct.unpack(">I", self.take(4))[0])

    def take(self, size: int) -> bytes:
        found = self._data[self._position : self._position + size]
        if len(found) != size:
            raise JksError("the key store ends too early")
        self._position += size
        return found

    def text(self) -> bytes:
        return self.take(struct.unpack(">H", self.take(2))[0])

    def certificate(self, version: int) -> bytes:
        if version == 2 and self.text() != b"X.509":
            raise JksError("the key store has a certificate that is not X.509")
        return self.take(self.number())


def read_jks(data: bytes, password: str | None, key_password: str | None = None) -> JksStore:
    """Keys and certificates. Without a password its digest goes unchecked, and keys cannot be read; JksError."""
    if len(data) < 12 + _DIGEST_SIZE or not data.startswith(MAGIC):
        raise JksError("not a JKS key store")
    if password is not None:
        digest = hashlib.sha1(password.encode("utf-16-be") + _WHITENER + data[:-_DIGEST_SIZE]).digest()
        if not hmac.compare_digest(digest, data[-_DIGEST_SIZE:]):
            raise JksError("the key store was tampered with, or its password is wrong")
    reader = _Reader(data[4:-_DIGEST_SIZE])
    version = reader.number()
    keys: list[JksKey] = []
    trusted: list[bytes] = []
    for _ in range(reader.number()):
        kind = reader.number()
        reader.text()
        reader.take(8)
        if kind == _KEY_ENTRY:
            hidden = reader.take(reader.number())
            chain = tuple(reader.certificate(version) for _ in range(reader.number()))
            keys.append(JksKey(_revealed(hidden, key_password or password or ""), chain))
        elif kind == _CERTIFICATE_ENTRY:
            trusted.append(reader.certificate(version))
        else:
            raise JksError(f"the key store has an entry of unknown kind {kind}")
    return JksStore(tuple(keys), tuple(trusted))


def _revealed(hidden: bytes, password: str) -> bytes:
    try:
        body, _ = read(hidden, 0, _SEQUENCE)
        _, position = read(body, 0, _SEQUENCE)
        data, _ = read(body, position, _OCTETS)
    except (DerError, IndexError) as error:
        raise JksError(f"the key store has a damaged key: {error}") from None
    if len(data) < 2 * _DIGEST_SIZE:
        raise JksError("the key store has a damaged key")
    secret = password.encode("utf-16-be")
    salt, body, check = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:-_DIGEST_SIZE], data[-_DIGEST_SIZE:]
    stream = bytearray()
    digest = salt
    while len(stream) < len(body):
        digest = hashlib.sha1(secret + digest).digest()
        stream += digest
    plain = bytes(a ^ b for a, b in zip(body, stream, strict=False))
    if not hmac.compare_digest(hashlib.sha1(secret + plain).digest(), check):
        raise JksError("the password of a key in the key store is wrong")
    return plain
