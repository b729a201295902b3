"""Keys and certificates in every form that Kafka's settings know."""

from __future__ import annotations

import shutil
import ssl
from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.client.tls import TlsSettings, certificate_of, client_context, server_context, tls_settings
from riacho.security.jks import JksError, read_jks
from support.certificates import PASSWORD, Authority, Identity

needs_keytool = pytest.mark.skipif(shutil.which("keytool") is None, reason="there is no keytool")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def broker(authority: Authority) -> Identity:
    return authority.issue("broker")


def shakes_hands(server: ssl.SSLContext, client: ssl.SSLContext, host: str = "localhost") -> tuple[str, bytes | None]:
    """(protocol, certificate of the client); SSLError."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = server.wrap_bio(to_server, to_client, server_side=True)
    other = client.wrap_bio(to_client, to_server, server_hostname=host)
    done: set[ssl.SSLObject] = set()
    for _ in range(10):
        for side in (other, one):
            if side not in done:
                try:
                    side.do_handshake()
                    done.add(side)
                except ssl.SSLWantReadError:
                    pass
    assert done == {one, other}
    return other.version() or "", one.getpeercert(binary_form=True)


def forms(broker: Identity) -> dict[str, TlsSettings]:
    locked = broker.encrypted_key("key-secret")
    store = broker.key_store()
    return {
        "file": TlsSettings(keystore_type="PEM", keystore_location=str(broker.pem)),
        "text": TlsSettings(keystore_key=broker.key_text, keystore_certificate_chain=broker.certificate_text),
        "one line": TlsSettings(
            keystore_key=broker.key_text.replace("\n", " \n"), keystore_certificate_chain=broker.certificate_text
        ),
        "locked": TlsSettings(
            keystore_key=locked, keystore_certificate_chain=broker.certificate_text, key_password="key-secret"
        ),
        "pkcs12": TlsSettings(keystore_type="PKCS12", keystore_location=str(store), keystore_password=PASSWORD),
        "pkcs12 called jks": TlsSettings(keystore_location=str(store), keystore_password=PASSWORD),
    }


@pytest.mark.parametrize("form", ["file", "text", "one line", "locked", "pkcs12", "pkcs12 called jks"])
def test_a_server_with_keys_in_this_form(authority: Authority, broker: Identity, form: str) -> None:
    client = client_context(TlsSettings(truststore_type="PEM", truststore_location=str(authority.pem)))
    settings = forms(broker)[form]
    assert shakes_hands(server_context(settings), client) == ("TLSv1.3", None)
    assert certificate_of(settings) == ssl.PEM_cert_to_DER_cert(broker.certificate_text)


@needs_keytool
def test_java_key_and_trust_stores(authority: Authority, broker: Identity) -> None:
    for kind in ("JKS", "PKCS12"):
        settings = TlsSettings(
            keystore_location=str(broker.key_store(kind)),
            keystore_password=PASSWORD,
            truststore_location=str(authority.trust_store(kind)),
            truststore_password=PASSWORD,
            client_auth="required",
        )
        _, shown = shakes_hands(server_context(settings), client_context(settings))
        assert shown == ssl.PEM_cert_to_DER_cert(broker.certificate_text)


@needs_keytool
def test_damaged_and_locked_java_stores(broker: Identity) -> None:
    data = broker.key_store("JKS").read_bytes()
    assert len(read_jks(data, PASSWORD).keys) == 1
    with pytest.raises(JksError, match="password is wrong"):
        read_jks(data, "wrong")
    with pytest.raises(JksError, match="password of a key"):
        read_jks(data, PASSWORD, "wrong")
    with pytest.raises(JksError, match="tampered"):
        read_jks(data[:40] + b"x" + data[41:], PASSWORD)
    for size in range(0, len(data), 50):
        with pytest.raises(JksError):
            read_jks(data[:size], None)


def test_client_certificates(authority: Authority, broker: Identity, tmp_path: Path) -> None:
    trust = {"truststore_certificates": authority.text}
    anonymous = client_context(TlsSettings(**trust))  # type: ignore[arg-type]
    known = client_context(TlsSettings(**trust, keystore_type="PEM", keystore_location=str(broker.pem)))  # type: ignore[arg-type]
    stranger = Authority(tmp_path).issue("stranger")
    unknown = client_context(TlsSettings(**trust, keystore_type="PEM", keystore_location=str(stranger.pem)))  # type: ignore[arg-type]
    for mode, is_asked, is_needed in (("none", False, False), ("requested", True, False), ("required", True, True)):
        base = TlsSettings(**trust, keystore_type="PEM", keystore_location=str(broker.pem), client_auth=mode)  # type: ignore[arg-type]
        server = server_context(base)
        assert (shakes_hands(server, known)[1] is not None) == is_asked
        if is_needed:
            with pytest.raises(ssl.SSLError):
                shakes_hands(server, anonymous)
        else:
            shakes_hands(server, anonymous)
        if is_asked:
            with pytest.raises(ssl.SSLError):
                shakes_hands(server, unknown)


def test_the_host_is_checked_unless_told_not_to(authority: Authority, broker: Identity) -> None:
    server = server_context(TlsSettings(keystore_type="PEM", keystore_location=str(broker.pem)))
    strict = TlsSettings(truststore_certificates=authority.text)
    for host in ("localhost", "127.0.0.1"):
        shakes_hands(server, client_context(strict), host)
    with pytest.raises(ssl.SSLCertVerificationError):
        shakes_hands(server, client_context(strict), "other.example")
    shakes_hands(server, client_context(strict._replace(endpoint_identification_algorithm="")), "other.example")


def test_protocols_and_ciphers(authority: Authority, broker: Identity) -> None:
    base = TlsSettings(keystore_type="PEM", keystore_location=str(broker.pem))
    client = client_context(TlsSettings(truststore_certificates=authority.text))
    old = server_context(base._replace(enabled_protocols=("TLSv1.2",)))
    assert shakes_hands(old, client)[0] == "TLSv1.2"
    chosen = base._replace(
        enabled_protocols=("TLSv1.2",),
        cipher_suites=("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"),
    )
    names = {cipher["name"] for cipher in server_context(chosen).get_ciphers() if not cipher["name"].startswith("TLS_")}
    assert names == {"ECDHE-ECDSA-AES256-GCM-SHA384"}
    new = client_context(TlsSettings(truststore_certificates=authority.text, enabled_protocols=("TLSv1.3",)))
    with pytest.raises(ssl.SSLError):
        shakes_hands(old, new)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"keystore_location": None}, "TLS needs a key"),
        ({"keystore_location": "/nowhere"}, "the key store /nowhere cannot be read"),
        ({"keystore_key": "x", "keystore_certificate_chain": "y"}, "no private key found"),
        ({"enabled_protocols": ("SSLv3",)}, "unknown protocol SSLv3"),
        ({"cipher_suites": ("NO_SUCH",)}, "no suite that is known"),
        ({"client_auth": "maybe"}, "ssl.client.auth must be"),
        ({"keystore_password": "x"}, "ssl.key.password instead"),
        ({"truststore_certificates": "x"}, "no certificate found"),
    ],
)
def test_settings_that_make_no_server(broker: Identity, changes: dict[str, object], problem: str) -> None:
    base = TlsSettings(keystore_type="PEM", keystore_location=str(broker.pem))
    with pytest.raises(ConfigError, match=problem):
        server_context(base._replace(**changes))  # type: ignore[arg-type]


def test_a_wrong_password_is_told_and_never_asked_for(broker: Identity) -> None:
    locked = forms(broker)["locked"]
    for password in ("wrong", None):
        with pytest.raises(ConfigError, match="cannot be used"):
            server_context(locked._replace(key_password=password))
    with pytest.raises(ConfigError, match="password is wrong"):
        server_context(forms(broker)["pkcs12"]._replace(keystore_password="wrong"))


def test_settings_by_kafkas_names() -> None:
    given = {"ssl.keystore.location": "a", "ssl.enabled.protocols": ["TLSv1.3"], "ssl.key.password": "hidden",
             "ssl.endpoint.identification.algorithm": ""}  # fmt: skip
    found = tls_settings(given.get)
    assert found == TlsSettings(
        keystore_location="a",
        enabled_protocols=("TLSv1.3",),
        key_password="hidden",
        endpoint_identification_algorithm="",
    )
    assert "hidden" not in repr(found)
    assert found.files == ("a",)
