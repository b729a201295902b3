"""The page of settings is what the generator writes from the definitions today."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from riacho.base.config_effect import NoEffect
from riacho.metadata.settings.broker_configs import BROKER_KEYS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_settings", ROOT / "tools" / "generate_settings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(generator: ModuleType) -> None:
    assert generator.TARGET.read_text() == generator.page(), "run python tools/generate_settings.py"


def test_a_change_is_noticed(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = replace(BROKER_KEYS["num.partitions"], effect=NoEffect("there is one, always"))
    monkeypatch.setitem(BROKER_KEYS, "num.partitions", changed)
    assert (
        "| `num.partitions` | `1` | no | **No effect**: there is one, always. In Kafka: partitions of"
        in generator.page()
    )
    assert generator.main(["--check"]) == 1


def test_every_listed_setting_has_a_row(generator: ModuleType) -> None:
    rows = [line for line in generator.page().splitlines() if line.startswith("| `")]
    assert len(rows) > 390
    assert not [line for line in rows if line.replace("`|`", "").count(" | ") not in (2, 3)]
