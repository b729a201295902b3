"""An identity provider for tests: a key pair, its JWKS document in a file, and the tokens it signs."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

AUDIENCE = "kafka"
ISSUER = "https://issuer.test"


class IdentityProvider:
    def __init__(self, directory: Path, key_id: str = "first") -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.jwks_file = directory / "jwks.json"
        self._keys: dict[str, rsa.RSAPrivateKey] = {}
        self.add_key(key_id)

    @property
    def jwks_url(self) -> str:
        return self.jwks_file.as_uri()

    def jwks(self) -> dict[str, Any]:
        entries = []
        for key_id, key in self._keys.items():
            entry = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
            entries.append(entry | {"kid": key_id, "use": "sig", "alg": "RS256"})
        return {"keys": entries}

    def add_key(self, key_id: str, *, is_published: bool = True) -> None:
        self._keys[key_id] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        if is_published:
            self.jwks_file.write_text(json.dumps(self.jwks()))

    def token(self, subject: str, *, key_id: str = "first", lifetime_s: float = 300, **claims: Any) -> str:
        now_s = time.time()
        known = {"sub": subject, "iat": now_s, "exp": now_s + lifetime_s, "aud": AUDIENCE, "iss": ISSUER}
        wanted = {name: value for name, value in (known | claims).items() if value is not None}
        return jwt.encode(wanted, self._keys[key_id], algorithm="RS256", headers={"kid": key_id})


def unsecured_token(subject: str, *, lifetime_s: float = 300, **claims: Any) -> str:
    now_s = time.time()
    body = {"sub": subject, "iat": now_s, "exp": now_s + lifetime_s} | claims
    return f"{_encoded({'alg': 'none'})}.{_encoded(body)}."


def _encoded(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
