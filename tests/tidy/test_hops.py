"""The hops that `tools/hops` counts: what is a call, and what is only a coroutine that goes on."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

RECORDER = Path(__file__).parents[2] / "tools" / "hops" / "recorder.py"

ONE = """
import asyncio
import other

def closes_over():
    value = 1
    def items():
        yield value
        yield other.leaf()
    return [each for each in items()]

async def waits():
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return await other.answers()
"""
OTHER = """
import asyncio

def leaf():
    return 2

async def answers():
    await asyncio.sleep(0)
    return leaf()
"""


def loaded(monkeypatch: pytest.MonkeyPatch, name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def test_a_hop_is_a_call_into_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = loaded(monkeypatch, "recorder", RECORDER)
    # As if it were installed: only what is below src/riacho is counted.
    room = tmp_path / "src" / "riacho"
    room.mkdir(parents=True)
    (room / "one.py").write_text(ONE)
    (room / "other.py").write_text(OTHER)
    loaded(monkeypatch, "other", room / "other.py")
    one = loaded(monkeypatch, "one", room / "one.py")
    watched = recorder.Recorder()
    before = sys.getprofile()
    watched.start()
    one.closes_over()
    asyncio.run(one.waits())
    calls = watched.stop()
    sys.setprofile(before)

    hops = {(call.caller, call.function) for call in calls if call.is_hop}
    assert hops == {
        ("", "closes_over"),
        ("closes_over", "leaf"),
        ("", "waits"),
        ("waits", "answers"),
    }
    # Within a file: a function that is defined inside another is that one.
    assert {(call.caller, call.function) for call in calls if not call.is_hop} == {
        ("closes_over", "closes_over"),
        ("answers", "leaf"),
    }
