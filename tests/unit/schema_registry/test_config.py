"""The registry's settings under Confluent's names."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.schema_registry import config
from riacho.schema_registry.entities import CompatibilityLevel
from riacho.schema_registry.run import SchemaRegistry, run

BASE = {"kafkastore.bootstrap.servers": "PLAINTEXT://127.0.0.1:1"}


def test_defaults() -> None:
    settings = config.load_registry_settings(BASE)
    assert settings.text("kafkastore.topic") == "_schemas"
    assert settings.names("listeners") == ["http://127.0.0.1:8081"]
    assert config.defaults_of(settings).compatibility_level is CompatibilityLevel.BACKWARD
    assert config.group_id_of(settings) == "schema-registry"
    assert config.is_eligible(settings)
    assert config.limits_of(settings, "schema").maximum == 1_000


def test_older_names_work() -> None:
    settings = config.load_registry_settings(
        {**BASE, "avro.compatibility.level": "full", "master.eligibility": "false", "kafkastore.group.id": "g"}
    )
    assert config.defaults_of(settings).compatibility_level is CompatibilityLevel.FULL
    assert not config.is_eligible(settings)
    assert config.group_id_of(settings) == "g"


def test_newer_names_win() -> None:
    settings = config.load_registry_settings(
        {
            **BASE,
            "avro.compatibility.level": "full",
            "schema.compatibility.level": "none",
            "kafkastore.group.id": "g",
            "schema.registry.group.id": "h",
        }
    )
    assert config.defaults_of(settings).compatibility_level is CompatibilityLevel.NONE
    assert config.group_id_of(settings) == "h"


@pytest.mark.parametrize(
    "properties",
    [
        {},
        {**BASE, "schema.compatibility.level": "sideways"},
        {**BASE, "schema.cache.size": "0"},
        {**BASE, "authorization.rules.file": "rules"},
        {**BASE, "kafkastore.sasl.mechanism": "NONSENSE", "kafkastore.security.protocol": "SASL_PLAINTEXT"},
    ],
)
def test_what_prevents_a_start_is_one_sentence(properties: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(properties) == 1
    told = capsys.readouterr().err
    assert told.startswith("Error: ")
    assert told.count("\n") == 1


def test_rules_that_cannot_be_read_prevent_a_start(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rules")
    users = folder / "users"
    users.write_text("ana: secret,admin\n")
    rules = folder / "rules"
    rules.write_text("allow everyone everything\n")
    properties = {
        **BASE,
        "authentication.method": "BASIC",
        "authentication.user.file": str(users),
        "authorization.rules.file": str(rules),
    }
    with pytest.raises(ConfigError, match="line 1: a rule is effect, who, operations, subjects"):
        SchemaRegistry(config.load_registry_settings(properties))


@pytest.mark.parametrize(
    "name", ["inter.instance.listener.name", "inter.instance.headers.whitelist", "schema.cache.expiry.secs"]
)
def test_what_would_have_no_effect_is_not_in_the_table(name: str) -> None:
    assert name not in {key.name for key in config.registry_keys()}


def test_instances_use_http_or_https() -> None:
    with pytest.raises(ConfigError, match=r"inter\.instance\.protocol"):
        config.load_registry_settings({"inter.instance.protocol": "ftp"})
