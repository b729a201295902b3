"""Settings and clusters in kafka-shell's form."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riacho.cli.shell.clusters import ToolSettings
from riacho.cli.shell.settings_file import Settings, Toggles, read_settings_file, usual_path, write_settings

# As kafka-shell 0.1.4 ships it, and what its documentation adds.
THEIRS = """\
version: 1
enable:
  history: true
  save_on_exit: true
  auto_complete: true
  auto_suggest: true
  inline_help: true
  fuzzy_search: true
cluster: local
clusters:
  local:
    bootstrap_servers: localhost:9092
    zookeeper_connect: localhost:2181
    schema_registry_url: http://localhost:8081
    ksql_server_url: http://localhost:8088
  production:
    bootstrap_servers: b1:9092
    command_prefix: docker exec broker
    command_file_extension: sh
    consumer_settings:
      config: consumer.properties
      properties:
        print.key: true
        max.count: 3
    producer_settings:
      config: /etc/producer.properties
    admin_client_settings:
      config: ADMIN
  nowhere: {}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    admin = tmp_path / "admin.properties"
    admin.write_text("bootstrap.servers=x:1\nsasl.mechanism=PLAIN\n")
    path = tmp_path / "config.yaml"
    path.write_text(THEIRS.replace("ADMIN", str(admin)))
    return path


def test_an_existing_file_is_taken_over(file: Path) -> None:
    settings = read_settings_file(file)
    assert settings.toggles == Toggles(save_on_exit=True)
    assert settings.cluster == "local"
    local, production = settings.clusters
    assert local.addresses.schema_registry_url == "http://localhost:8081"
    assert local.addresses.ksql_url == "http://localhost:8088"
    assert not local.addresses.is_production
    assert production.addresses.is_production
    assert production.addresses.properties == {"sasl.mechanism": "PLAIN"}
    assert production.consumer == ToolSettings(Path("consumer.properties"), {"print.key": "true", "max.count": "3"})
    assert production.producer.config == Path("/etc/producer.properties")
    assert settings.remarks == (
        "command_prefix has no effect: commands run in the shell's own process.",
        "The cluster 'nowhere' of the settings is left out: it has no bootstrap_servers.",
    )
    assert settings.ignored == ("zookeeper_connect", "command_file_extension")


def test_what_has_no_effect_is_known_by_name(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("""\
enable: {history: true, fuzzy_search: maybe, colors: true}
theme: dark
clusters:
  a: &a
    bootstrap_servers: a:1
    bootstrap_server: b:1
    consumer_settings: {config: c, property: {x: y}}
    producer_settings: none
    admin_client_settings: {properties: {print.key: true}}
  b: *a
""")
    assert read_settings_file(path).ignored == (
        "theme",
        "bootstrap_server",
        "admin_client_settings.properties",
        "consumer_settings.property",
        "producer_settings",
        "enable.fuzzy_search",
        "enable.colors",
    )


def test_save_changes_what_it_has_to(file: Path) -> None:
    before = file.read_text()
    file.chmod(0o640)
    write_settings(read_settings_file(file).with_toggles(fuzzy_search=False), "production")
    wanted = before.replace("fuzzy_search: true", "fuzzy_search: false").replace(
        "cluster: local", "cluster: production"
    )
    assert file.read_text() == wanted
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in file.parent.iterdir()) == ["admin.properties", "config.yaml"]


def test_save_through_a_link_keeps_the_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.yaml"
    link.symlink_to(file)
    write_settings(read_settings_file(link), "production")
    assert link.is_symlink()
    assert read_settings_file(file).cluster == "production"


def test_a_new_file_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "riacho" / "shell.yaml"
    write_settings(Settings(path), "b:9092")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_settings_file(path).cluster == "b:9092"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"enable: [1\n", "line 2"),
        (b"\xff\xfe", "it is no text"),
        (b"- a\n", "it holds no settings by name"),
        (b"a: !!python/object:os.x {}", "line 1"),
        (b"a: " + b"x" * 2_000_000, "it is larger than 1048576 bytes"),
    ],
)
def test_a_broken_file_is_told_in_one_sentence(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    settings = read_settings_file(path)
    assert settings.is_broken
    assert len(settings.remarks) == 1
    assert told in settings.remarks[0]
    assert settings.remarks[0].startswith(f"{path} cannot be used")
    assert "\n" not in settings.remarks[0]
    assert settings.clusters == ()


@pytest.mark.parametrize(
    "text",
    ["enable: 1\n", "clusters: [a]\n", "clusters: {a: 1, b: {bootstrap_servers: [x]}}\n", "enable: {history: 3}\n"],
)
def test_odd_parts_are_left_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    settings = read_settings_file(path)
    assert not settings.is_broken
    assert settings.toggles == Toggles()
    assert settings.clusters == ()


def test_a_missing_file_is_no_trouble(tmp_path: Path) -> None:
    assert read_settings_file(tmp_path / "none.yaml") == Settings(tmp_path / "none.yaml")


def test_kafka_shells_own_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert usual_path(os.environ) == tmp_path / ".config" / "riacho" / "shell.yaml"
    theirs = tmp_path / ".kafka-shell" / "config.yaml"
    theirs.parent.mkdir()
    theirs.write_text("version: 1\n")
    assert usual_path(os.environ) == theirs
