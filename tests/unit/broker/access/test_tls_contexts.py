"""A listener's keys while the node runs: changed, wrong, and of another name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.broker.access.listener_values import ListenerValues
from riacho.broker.access.tls_contexts import TlsContexts
from riacho.metadata.settings.broker_values import BrokerValues
from support.certificates import Authority


class Listener:
    def __init__(self, directory: Path) -> None:
        self.authority = Authority(directory / "keys")
        self.store = directory / "store.pem"
        self.settings = {
            "listener.name.secure.ssl.keystore.location": str(self.store),
            "ssl.keystore.location": "/of/other/listeners",
            "ssl.keystore.type": "PEM",
        }
        self.put("broker")
        self.contexts = TlsContexts(ListenerValues("SECURE", lambda: BrokerValues(self.settings)))

    def put(self, name: str, names: tuple[str, ...] = ("localhost",)) -> None:
        shutil.copy(self.authority.issue(name, names=names).pem, self.store)


@pytest.fixture
def listener(tmp_path: Path) -> Listener:
    return Listener(tmp_path)


def test_nothing_new_makes_no_new_context(listener: Listener) -> None:
    before = listener.contexts.current
    assert not listener.contexts.refresh()
    assert listener.contexts.current is before


def test_a_changed_file_and_a_changed_setting_do(listener: Listener) -> None:
    before = listener.contexts.current
    listener.put("broker")
    assert listener.contexts.refresh()
    assert listener.contexts.current is not before
    assert not listener.contexts.refresh()
    listener.settings["listener.name.secure.ssl.client.auth"] = "requested"
    assert listener.contexts.refresh()


def test_a_file_that_cannot_be_used_leaves_the_old_keys_in_force(listener: Listener) -> None:
    before = listener.contexts.current
    whole = listener.store.read_bytes()
    listener.store.write_bytes(whole[:100])
    for _ in range(2):
        with pytest.raises(ConfigError):
            listener.contexts.refresh()
    os.unlink(listener.store)
    with pytest.raises(ConfigError, match="cannot be read"):
        listener.contexts.refresh()
    assert listener.contexts.current is before
    listener.put("broker")
    assert listener.contexts.refresh()


def test_a_certificate_of_another_name_is_not_taken(listener: Listener) -> None:
    listener.put("somebody-else")
    with pytest.raises(ConfigError, match="is of CN=somebody-else"):
        listener.contexts.refresh()
    listener.settings["ssl.allow.dn.changes"] = "true"
    assert listener.contexts.refresh()


def test_a_certificate_may_gain_names_but_not_lose_them(listener: Listener) -> None:
    listener.put("broker", ("localhost", "other.example"))
    assert listener.contexts.refresh()
    listener.put("broker")
    with pytest.raises(ConfigError, match="lacks 1 alternative names"):
        listener.contexts.refresh()
    listener.settings["ssl.allow.san.changes"] = "true"
    assert listener.contexts.refresh()


@pytest.mark.parametrize("body", ["AAAA", "!!!!", "MIIB"])
def test_trusted_certificates_that_are_none_are_told_and_leave_the_old_ones(listener: Listener, body: str) -> None:
    """Anything else than a ConfigError would end the watch over the files, and the taking up of changed settings."""
    before = listener.contexts.current
    text = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"
    listener.settings["ssl.truststore.certificates"] = text
    with pytest.raises(ConfigError):
        listener.contexts.refresh()
    assert listener.contexts.current is before
    trust_store = listener.store.with_name("trust.pem")
    trust_store.write_text(text)
    del listener.settings["ssl.truststore.certificates"]
    listener.settings |= {"ssl.truststore.location": str(trust_store), "ssl.truststore.type": "PEM"}
    with pytest.raises(ConfigError):
        listener.contexts.refresh()


def test_a_key_store_that_is_none_is_told(listener: Listener) -> None:
    for data in (b"\xfe\xed\xfe\xed" + bytes(40), b"\xfe\xed\xfe\xed" + b"\xff" * 40, b"\x30\x82\xff\xff", b""):
        listener.store.write_bytes(data)
        listener.settings["ssl.keystore.type"] = "JKS"
        with pytest.raises(ConfigError):
            listener.contexts.refresh()
