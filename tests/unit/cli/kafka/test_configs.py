from __future__ import annotations

import hmac
from base64 import b64decode, b64encode

import pytest

from riacho.cli.kafka.configs import Entity, config_line, parse_configs, parse_entities, run
from riacho.cli.kafka.flags.jopt import parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.launch import ToolError
from riacho.client.configs import ConfigEntry
from riacho.client.scram_users import salted_password
from riacho.wire.messages.describe_configs_response import DescribeConfigsSynonym

CONFIGS = TOOLS["kafka-configs"]


def test_brackets_hold_commas_together() -> None:
    text = "k1=v1, k2=[a,b],k3=,SCRAM-SHA-256=[iterations=8192,password=p=w]"
    assert parse_configs(text) == {
        "k1": "v1",
        "k2": "a,b",
        "k3": "",
        "SCRAM-SHA-256": "iterations=8192,password=p=w",
    }


@pytest.mark.parametrize("text", ["x", "=v", ""])
def test_what_is_no_config(text: str) -> None:
    with pytest.raises(ToolError, match="all configs to be added must be in the format"):
        parse_configs(text)


def entities(*words: str) -> list[Entity]:
    return parse_entities(parse(CONFIGS, ["--describe", *words]))


def test_entities_the_long_way() -> None:
    assert entities("--entity-type", "topics", "--entity-name", "t") == [Entity("topics", "t")]
    assert entities("--entity-type", "topics") == [Entity("topics", None)]
    long = ("--entity-type", "users", "--entity-default", "--entity-type", "clients", "--entity-name", "c")
    assert entities(*long) == [Entity("users", ""), Entity("clients", "c")]


def test_entities_the_short_way() -> None:
    assert entities("--topic", "t") == [Entity("topics", "t")]
    assert entities("--broker-defaults") == [Entity("brokers", "")]
    assert entities("--client", "c", "--user", "u") == [Entity("users", "u"), Entity("clients", "c")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--describe"], "At least one entity type must be specified"),
        (["--alter", "--topic", "t"], "At least one of --add-config"),
        (
            ["--alter", "--entity-type", "topics", "--add-config", "a=b"],
            "An entity name must be specified with --alter",
        ),
        (["--describe", "--broker", "one"], "must be a valid integer broker id, found: one"),
        (
            ["--describe", "--topic", "t", "--broker", "1"],
            "Only .users. and .clients. entity types may be specified together",
        ),
    ],
)
def test_lines_that_make_no_command(words: list[str], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        run(parse(CONFIGS, words))


def test_a_line_of_describe() -> None:
    entry = ConfigEntry(
        name="retention.ms",
        value="1000",
        synonyms=[
            DescribeConfigsSynonym(name="retention.ms", value="1000", source=1),
            DescribeConfigsSynonym(name="log.retention.hours", value="168", source=5),
        ],
    )
    assert config_line(entry) == (
        "  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000, "
        "DEFAULT_CONFIG:log.retention.hours=168}"
    )
    assert config_line(ConfigEntry(name="p", value=None, is_sensitive=True)) == "  p=null sensitive=true synonyms={}"


def test_salted_password_is_hi_of_rfc_5802() -> None:
    """The example of RFC 7677: the server's signature follows from the salted password."""
    salted = salted_password("sha256", "pencil", b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096)
    nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    auth = f"n=user,r=rOprNGfwEbeRWgbNEkqO,r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r={nonce}"
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    assert (
        b64encode(hmac.digest(server_key, auth.encode(), "sha256")) == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
    )
