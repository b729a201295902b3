"""A dump of the metadata log shows no password and no key."""

from __future__ import annotations

import json

from riacho.cli.kafka.text.record_json import metadata_text
from riacho.metadata.image.records import encode_record
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord


def shown(name: str, value: str | None) -> object:
    record = ConfigRecord(resource_type=4, resource_name="1", name=name, value=value)
    return json.loads(metadata_text(encode_record(record)))["data"]["value"]


def test_settings() -> None:
    for name in ("ssl.key.password", "listener.name.x.plain.sasl.jaas.config", "listener.name.x.ssl.keystore.key"):
        assert shown(name, "secret") == "[hidden]"
    assert shown("ssl.key.password", None) is None
    assert shown("num.io.threads", "8") == "8"


def test_credentials() -> None:
    record = UserScramCredentialRecord(
        name="bob", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    data = json.loads(metadata_text(encode_record(record)))["data"]
    assert data == {
        "name": "bob", "mechanism": 1, "salt": "[hidden]", "storedKey": "[hidden]", "serverKey": "[hidden]",
        "iterations": 4096,
    }  # fmt: skip
