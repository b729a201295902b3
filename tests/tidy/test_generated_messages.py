"""The modules under wire/messages are what the generator writes from tools/schema today."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_messages", ROOT / "tools" / "generate_messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses looks its module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_generated_modules_are_current(generator: ModuleType) -> None:
    wanted = generator.modules()
    assert len(wanted) > 270
    assert generator.stale(wanted) == [], "run python tools/generate_messages.py"


def test_a_change_is_noticed(generator: ModuleType) -> None:
    wanted = generator.modules()
    wanted["vote_request.py"] += "\n"
    del wanted["vote_response.py"]
    assert generator.stale(wanted) == ["vote_request.py", "vote_response.py"]


def test_names(generator: ModuleType) -> None:
    names = {"ThrottleTimeMs": "throttle_time_ms", "KRaftVersion": "kraft_version", "group": "group"}
    names |= {"V3AndBelowTopics": "v3_and_below_topics", "commitTimestamp": "commit_timestamp"}
    assert {name: generator.snake(name) for name in names} == names
