"""A small identity provider on loopback: discovery, keys and the token endpoint of OpenID Connect.

What a test wants to be wrong is changed on it: `claims`, `sign`, `discovery`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLIENT_ID, CLIENT_SECRET = "console", "client:secret"


class IdentityProvider:
    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.key_id = "k1"
        self.claims: dict[str, Any] = {"preferred_username": "ann", "roles": ["admin"]}
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.discovery: dict[str, Any] = {}
        self.asked: list[str] = []
        # By code: the challenge and nonce that it was given for.
        self._codes: dict[str, tuple[str, str]] = {}
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def signed(self, claims: dict[str, Any]) -> str:
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": self.key_id})

    def authorize(self, url: str) -> dict[str, str]:
        """What the person's browser does there: the query that it is sent back with."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self._codes)}"
        self._codes[code] = (query["code_challenge"], query["nonce"])
        return {"code": code, "state": query["state"]}

    def answer(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            own = {name: f"{self.issuer}/{name}" for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
            return 200, {"issuer": self.issuer, **own, **self.discovery}
        if path == "/jwks_uri":
            public = json.loads(RSAAlgorithm.to_jwk(self.key.public_key()))
            return 200, {"keys": [{**public, "kid": self.key_id, "use": "sig", "alg": "RS256"}]}
        return self._token(form, authorization)

    def _token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        challenge, nonce = self._codes.pop(form.get("code", ""), ("", ""))
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge:
            return 400, {"error": "invalid_grant"}
        if base64.b64decode(authorization.removeprefix("Basic ")).decode() != f"{CLIENT_ID}:client%3Asecret":
            return 401, {"error": "invalid_client"}
        now_s = int(time.time())
        usual = {"iss": self.issuer, "aud": CLIENT_ID, "sub": "u-1", "iat": now_s, "exp": now_s + 60, "nonce": nonce}
        return 200, {"id_token": self.sign({**usual, **self.claims}), "access_token": "x", "token_type": "Bearer"}


class _Handler(BaseHTTPRequestHandler):
    provider: IdentityProvider

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({name: values[0] for name, values in parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        status, value = self.provider.answer(self.path, form, self.headers.get("Authorization", ""))
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass
