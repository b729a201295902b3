"""`riacho up --connect-config FILE`: plugins, converters and secrets of one's own for the services that it starts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from e2e.shell import SOURCE, Shell
from support.ports import free_port_run

pytestmark = pytest.mark.timeout(240)
DEADLINE_S = 90.0
PLUGIN = """
from riacho.pipelines.config_def import ConfigDef
from riacho.pipelines.plugin import SinkConnector

class ShopSink(SinkConnector):
    CLASS = "com.example.ShopSink"
    CONFIG = ConfigDef()

    def put(self, batch, batch_id):
        return ()

"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    first = free_port_run(4)
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "shop_connectors.py").write_text(PLUGIN)
    variables = {
        "RIACHO_PORT": str(first),
        "RIACHO_CONNECT_PORT": str(first + 2),
        "RIACHO_ONLY": "broker,connect",
        "PYTHONPATH": f"{SOURCE}:{plugins}",
        # For workers that run alone.
        "CONNECT_GROUP_ID": "another",
    }
    made = Shell(tmp_path, variables)
    try:
        yield made
    finally:
        made.try_("down")


def test_settings_of_ones_own(shell: Shell, tmp_path: Path) -> None:
    converter = "org.apache.kafka.connect.storage.StringConverter"
    (tmp_path / "secrets.properties").write_text("group=shop-group\n")
    file = tmp_path / "connect-distributed.properties"
    file.write_text(
        # As files of workers that ran alone have it: of no effect here.
        "bootstrap.servers=elsewhere:9092\nlisteners=http://0.0.0.0:8083\n"
        f"plugin.path=shop_connectors\nvalue.converter={converter}\n"
        "config.providers=file\n"
        "config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider\n"
        f"group.id=${{file:{tmp_path}/secrets.properties:group}}\n"
        "config.storage.topic=shop-configs\n"
    )
    shell.run("up", "--detach", "--metrics-port", "0", "--connect-config", str(file))
    url = f"http://127.0.0.1:{shell.environment['RIACHO_CONNECT_PORT']}"
    plugins = httpx.get(f"{url}/connector-plugins", timeout=60).json()
    assert "com.example.ShopSink" in [each["class"] for each in plugins]
    asked = {"connector.class": "com.example.ShopSink", "name": "shop", "topics": "orders"}
    answer = httpx.put(f"{url}/connector-plugins/ShopSink/config/validate", json=asked, timeout=60).json()
    values = {each["value"]["name"]: each["value"]["value"] for each in answer["configs"]}
    assert values["value.converter"] == converter
    assert "shop-configs" in shell.run("topic", "list")
    deadline = time.monotonic() + DEADLINE_S
    while "shop-group" not in shell.run("group", "list"):
        assert time.monotonic() < deadline
    kept = next((tmp_path / ".local/share/riacho").rglob("connect*.properties"))
    assert kept.stat().st_mode & 0o077 == 0
    while not json.loads(shell.try_("status", "--json").stdout)["healthy"]:
        assert time.monotonic() < deadline


def test_files_that_are_of_no_use(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "registry.properties"
    file.write_text("kafkastore.topic=schemas\n")
    told = shell.misuse("up", "--detach", "--schema-registry-config", str(file))
    assert told.startswith("Error: --schema-registry-config is for schema-registry, which is not to run.")
    file.write_bytes(b"\xff\xfe")
    told = shell.fail("up", "--detach", "--connect-config", str(file))
    assert told == f"Error: {file} cannot be read: it is not text.\n"
