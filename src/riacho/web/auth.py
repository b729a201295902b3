"""BASIC authentication against a file of users, in the form of Jetty's password files:

    # name: password,role,role
    alice: secret,admin
    bob: MD5:5ebe2294ecd0e0f08eab7690d2a6ee69,reader
    carol: PBKDF2:310000:73616c74:0f...e1,reader           # iterations, salt and hash, the latter two in hex

Passwords are compared in constant time, and a user who does not exist costs as much as one who does. A slow hash is
worked out in a thread, once for each password that was right: what was right is remembered as a keyed digest.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from starlette.types import Scope

from riacho.base.config import ConfigError, parse_properties
from riacho.web.call import PRINCIPAL, ROLES
from riacho.web.config import Settings
from riacho.web.errors import plain_error

_EVERYONE = "*"
# A hash that somebody else chose may not keep the service busy for seconds.
_ITERATIONS_MAX = 10_000_000
_HASHING_AT_ONCE_MAX = 2


class User(NamedTuple):
    password: str
    roles: frozenset[str]

    def __repr__(self) -> str:
        return f"User(roles={sorted(self.roles)})"


class BasicAuthenticator:
    """`roles`: who may call at all; `*` is everyone who has logged in. `open_paths` need no login."""

    def __init__(
        self,
        users: Mapping[str, User],
        *,
        realm: str,
        roles: Iterable[str] = (_EVERYONE,),
        open_paths: Iterable[str] = (),
    ) -> None:
        self._users = dict(users)
        self._challenge = {"WWW-Authenticate": 'Basic realm="' + realm.replace('"', "") + '"'}
        self._roles = frozenset(roles)
        self._open_paths = frozenset(open_paths)
        # What a name that nobody has is compared with: hashed if anybody's is, so that it takes as long.
        hashed = (user.password for user in self._users.values() if user.password.startswith("PBKDF2:"))
        self._decoy = next(hashed, os.urandom(16).hex())
        self._key = os.urandom(32)
        # At most one for each user.
        self._known: dict[str, bytes] = {}
        self._hashing = asyncio.Semaphore(_HASHING_AT_ONCE_MAX)

    async def authenticate(self, scope: Scope, path: str) -> None:
        if path in self._open_paths:
            return
        name, password = self.credentials(scope)
        user = await self.user_of(name, password)
        if user is None:
            raise plain_error(401, self._challenge)
        if _EVERYONE not in self._roles and not self._roles & user.roles:
            raise plain_error(403)
        scope[PRINCIPAL] = name
        scope[ROLES] = user.roles

    async def user_of(self, name: str, password: str) -> User | None:
        """None where there is no such user or the password is another, after the same time."""
        user = self._users.get(name)
        is_right = await self._is_right(name, password, self._decoy if user is None else user.password)
        return user if is_right else None

    def credentials(self, scope: Scope) -> tuple[str, str]:
        """Name and password that a call came with; ApiError 401."""
        header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        scheme, _, encoded = header.partition(b" ")
        if scheme.lower() != b"basic":
            raise plain_error(401, self._challenge)
        try:
            name, separator, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            separator = ""
        if not separator:
            raise plain_error(401, self._challenge)
        return name, password

    async def _is_right(self, name: str, password: str, expected: str) -> bool:
        given = password.encode()
        if not expected.startswith("PBKDF2:"):
            return _is_same(given, expected)
        digest = hmac.digest(self._key, given, "sha256")
        known = self._known.get(name)
        if known is not None and hmac.compare_digest(known, digest):
            return True
        async with self._hashing:
            is_right = await asyncio.to_thread(_is_hash_of, given, expected)
        if is_right and name in self._users:
            self._known[name] = digest
        return is_right


def load_users(path: str) -> dict[str, User]:
    """ConfigError, without what is in the file, when it cannot be read or a line cannot be used."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = parse_properties(file.read())
    except OSError as error:
        raise ConfigError(f"the file of users {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"the file of users {path} is not text in UTF-8") from None
    return {name: _user(name, text, path) for name, text in lines.items()}


def authenticator_of(settings: Settings, default_realm: str) -> BasicAuthenticator | None:
    """None where nobody is asked."""
    if settings.text("authentication.method").upper() != "BASIC":
        return None
    path = settings.text("authentication.user.file")
    if not path:
        raise ConfigError("authentication.method=BASIC needs authentication.user.file, the file of users")
    return BasicAuthenticator(
        load_users(path),
        realm=settings.text("authentication.realm") or default_realm,
        roles=settings.names("authentication.roles"),
        open_paths=settings.names("authentication.skip.paths"),
    )


def _user(name: str, text: str, path: str) -> User:
    password, *roles = (part.strip() for part in text.split(","))
    if not name or not password:
        raise ConfigError(f"the file of users {path} has a line without a name or a password")
    if password.startswith(("CRYPT:", "OBF:")):
        raise ConfigError(f"the password of {name} in {path} is in a form that is not known here; use MD5: or PBKDF2:")
    if password.startswith("PBKDF2:") and _parsed_hash(password) is None:
        raise ConfigError(f"the password of {name} in {path} is not PBKDF2:iterations:salt:hash, the last two in hex")
    return User(password, frozenset(role for role in roles if role))


def _is_same(given: bytes, expected: str) -> bool:
    if expected.startswith("MD5:"):
        digest = hashlib.md5(given, usedforsecurity=False).hexdigest()
        return hmac.compare_digest(digest.encode(), expected[4:].strip().lower().encode())
    return hmac.compare_digest(given, expected.encode())


def _is_hash_of(given: bytes, expected: str) -> bool:
    parsed = _parsed_hash(expected)
    assert parsed is not None, "checked when the file was read"
    iterations, salt, digest = parsed
    return hmac.compare_digest(hashlib.pbkdf2_hmac("sha256", given, salt, iterations), digest)


def _parsed_hash(text: str) -> tuple[int, bytes, bytes] | None:
    try:
        _, iterations, salt, digest = text.split(":")
        parsed = int(iterations), bytes.fromhex(salt), bytes.fromhex(digest)
    except ValueError:
        return None
    return parsed if 0 < parsed[0] <= _ITERATIONS_MAX and len(parsed[2]) == 32 else None
