"""BASIC authentication: missing, wrong and right credentials; the file of users."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.auth import BasicAuthenticator, authenticator_of, load_users
from riacho.web.call import Call
from riacho.web.config import load_settings, service_keys
from riacho.web.endpoint import Endpoint
from support.web_service import Got, asgi

HASHED = f"PBKDF2:1000:{b'salt'.hex()}:{hashlib.pbkdf2_hmac('sha256', b's3cret', b'salt', 1000).hex()}"
USERS = f"""
# who may call
alice: wonder:land,admin,reader
bob: MD5:{hashlib.md5(b"builder").hexdigest()},reader
carol: {HASHED}
dave: MD5:h\u00e4sh
"""


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = tmp_path / "users"
    path.write_text(USERS)
    return path


async def who(call: Call) -> Any:
    return json_answer({"principal": call.principal, "roles": sorted(call.roles)})


def make(user_file: Path, **options: Any) -> App:
    authenticator = BasicAuthenticator(load_users(str(user_file)), realm='Regis"try', **options)
    return App("demo", [Endpoint("GET", "/who", who, "Who.")], authenticator=authenticator)


def basic(name: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def ask(app: App, headers: dict[str, str], path: str = "/who") -> Got:
    return asgi(app, "GET", path, headers=headers)


@pytest.mark.parametrize(
    ("name", "password", "roles"),
    [("alice", "wonder:land", ["admin", "reader"]), ("bob", "builder", ["reader"]), ("carol", "s3cret", [])],
)
def test_who_knows_the_password_is_let_in(user_file: Path, name: str, password: str, roles: list[str]):
    app = make(user_file)
    for _ in range(2):
        assert ask(app, basic(name, password)).json == {"principal": name, "roles": roles}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        basic("alice", "wrong"),
        basic("alice", ""),
        basic("bob", "alder"),
        basic("carol", "s3cre"),
        basic("dave", "h\u00e4sh"),
        basic("nobody", "s3cret"),
        basic("", ""),
        {"Authorization": "Basic"},
        {"Authorization": "Basic ????"},
        {"Authorization": "Basic " + base64.b64encode(b"alice").decode()},
        {"Authorization": "Basic " + base64.b64encode(b"\xff:\xff").decode()},
        {"Authorization": "Bearer token"},
    ],
)
def test_others_are_asked_who_they_are(user_file: Path, headers: dict[str, str]):
    app = make(user_file)
    # Known paths and unknown ones alike: what exists is not told to strangers.
    for path in ("/who", "/nowhere", "/metrics"):
        got = ask(app, headers, path)
        assert (got.status, got.json) == (401, {"error_code": 401, "message": "HTTP 401 Unauthorized"})
        assert got.headers["www-authenticate"] == 'Basic realm="Registry"'


def test_a_password_that_was_right_does_not_make_a_wrong_one_right(user_file: Path):
    app = make(user_file)
    assert ask(app, basic("carol", "s3cret")).status == 200
    assert ask(app, basic("carol", "s3cret ")).status == 401
    assert ask(app, basic("nobody", "s3cret")).status == 401


def test_only_the_roles_that_are_named_may_call(user_file: Path):
    app = make(user_file, roles=["admin"])
    assert ask(app, basic("alice", "wonder:land")).status == 200
    assert ask(app, basic("bob", "builder")).json == {"error_code": 403, "message": "HTTP 403 Forbidden"}


def test_health_checks_options_and_skipped_paths_are_open(user_file: Path):
    app = make(user_file, open_paths=["/who"])
    assert ask(app, {}, "/health").status == 200
    assert ask(app, {}).json == {"principal": None, "roles": []}
    assert asgi(make(user_file), "OPTIONS", "/who").status == 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("alice:", "without a name or a password"),
        ("alice: CRYPT:abc", "password of alice in .* not known here"),
        ("alice: PBKDF2:x:00:00", "not PBKDF2:iterations:salt:hash"),
        ("alice: PBKDF2:1:00:zz", "not PBKDF2:iterations:salt:hash"),
        (f"alice: PBKDF2:99999999999:00:{'0' * 64}", "not PBKDF2:iterations:salt:hash"),
    ],
)
def test_a_line_that_cannot_be_used_is_told_without_the_password(tmp_path: Path, text: str, complaint: str):
    path = tmp_path / "users"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint) as caught:
        load_users(str(path))
    assert "abc" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"cannot be read: No such file"):
        load_users(str(tmp_path / "missing"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not text in UTF-8"):
        load_users(str(tmp_path / "binary"))


def test_settings_choose_the_authenticator(user_file: Path):
    assert authenticator_of(load_settings(service_keys(0), {}), "demo") is None
    properties = {"authentication.method": "BASIC", "authentication.user.file": str(user_file)}
    assert authenticator_of(load_settings(service_keys(0), properties), "demo") is not None
    with pytest.raises(ConfigError, match=r"needs authentication\.user\.file"):
        authenticator_of(load_settings(service_keys(0), {"authentication.method": "BASIC"}), "demo")


def test_passwords_are_in_no_repr(user_file: Path):
    assert "wonder" not in repr(load_users(str(user_file)))
