"""Whatever bytes come from a peer, a parser takes them or refuses them in its own way; and what we write, we read."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.config import ConfigError
from riacho.base.scram import ScramMechanism, scram_credential
from riacho.security.der import DerError
from riacho.security.distinguished_name import alternative_names_of, subject_of
from riacho.security.jaas import parse_jaas
from riacho.security.jks import MAGIC, JksError, read_jks
from riacho.security.jwt_validation import ClaimRules, accepted, unsecured_token_claims
from riacho.security.oauth import TokenRefused, parse_initial
from riacho.security.plain import PlainClient, PlainServer
from riacho.security.principal_mapping import PrincipalMapper
from riacho.security.sasl import SaslFailure
from riacho.security.scram import KnownCredential, ScramClient, ScramLookup, ScramServer
from riacho.security.scram_messages import (
    parse_client_final,
    parse_client_first,
    parse_server_final,
    parse_server_first,
)

SHA256 = ScramMechanism.SCRAM_SHA_256
names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
scram_like = st.text("npcrsiva=,0123456789AB+/", max_size=60).map(str.encode)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(st.binary(max_size=200) | scram_like)
def test_scram_messages(data: bytes) -> None:
    for parse in (parse_client_first, parse_server_first, parse_client_final, parse_server_final):
        with suppress(SaslFailure):
            parse(data)


@settings(deadline=None)
@given(names, names)
def test_any_name_and_password_logs_in_by_scram(user: str, password: str) -> None:
    known = KnownCredential(scram_credential(SHA256, password, b"salt", 4096), user)
    lookup = ScramLookup(lambda name: known if name == user else None, lambda _: None, b"secret")
    server, client = ScramServer(SHA256, lookup, "server"), ScramClient(SHA256, user, password, "client")
    final = client.evaluate(server.evaluate(client.first(), 0))
    assert final is not None
    assert client.evaluate(server.evaluate(final, 0)) is None
    assert server.authorization_id == user


@settings(deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=120))
def test_no_bytes_log_in_by_scram(first: bytes, second: bytes) -> None:
    known = KnownCredential(scram_credential(SHA256, "password", b"salt", 4096), "user")
    server = ScramServer(SHA256, ScramLookup(lambda _: known, lambda _: known, b"secret"), "server")
    with suppress(SaslFailure):
        server.evaluate(b"n,,n=user,r=x" + first, 0)
        server.evaluate(second, 0)
    assert not server.is_complete


@settings(deadline=None)
@given(names, names)
def test_any_name_and_password_logs_in_by_plain(user: str, password: str) -> None:
    server = PlainServer({user: password})
    server.evaluate(PlainClient(user, password).first(), 0)
    assert server.authorization_id == user


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_plain_messages(data: bytes) -> None:
    with suppress(SaslFailure):
        PlainServer({"alice": "secret"}).evaluate(data, 0)


@settings(deadline=None)
@given(st.binary(max_size=100) | st.text("n,a=\x01uthBearr 1.", max_size=40).map(str.encode))
def test_oauth_messages(data: bytes) -> None:
    with suppress(SaslFailure):
        parse_initial(data)


@settings(deadline=None)
@given(st.text(max_size=100) | st.from_regex(r"[A-Za-z0-9_-]{0,30}\.[A-Za-z0-9_-]{0,30}\.", fullmatch=True))
def test_tokens(text: str) -> None:
    with suppress(TokenRefused):
        unsecured_token_claims(text)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["sub", "exp", "iat", "nbf", "aud", "iss", "scope"]), json_values))
def test_claims(claims: dict[str, object]) -> None:
    with suppress(TokenRefused):
        accepted(claims, ClaimRules(audiences=("a",), issuer="i", required_scope=("s",)), 0)


@settings(deadline=None)
@given(st.text(max_size=80) | st.text("Mr required=;\"'\\a ", max_size=60))
def test_jaas(text: str) -> None:
    with suppress(ConfigError):
        parse_jaas(text)


@settings(deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), names, max_size=4))
def test_jaas_round_trip(options: dict[str, str]) -> None:
    def quoted(value: str) -> str:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    text = "M required " + " ".join(f"{name}={quoted(value)}" for name, value in options.items()) + ";"
    assert parse_jaas(text).options == options


@settings(deadline=None)
@given(st.text(max_size=40) | st.text("RULE:DEFAULT/$1.*()LU,\\", max_size=40), names)
def test_mapping_rules(rules: str, name: str) -> None:
    with suppress(ConfigError):
        PrincipalMapper(rules).user_of(name)


@settings(deadline=None)
@given(st.binary(max_size=120) | st.binary(max_size=60).map(lambda data: b"\x30\x3c\x30\x3a" + data))
def test_certificates(data: bytes) -> None:
    for read in (subject_of, alternative_names_of):
        with suppress(DerError):
            read(data)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_java_key_stores(data: bytes) -> None:
    with suppress(JksError):
        read_jks(MAGIC + data, None)
