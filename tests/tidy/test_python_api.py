"""The page of the Python API is what the generator writes from the public modules today; those explain themselves."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import riacho

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ("riacho", "riacho.functions", "riacho.connect", "riacho.ksql", "riacho.testing")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_python_api", ROOT / "tools" / "generate_python_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(generator: ModuleType) -> None:
    text = generator.TARGET.read_text()
    assert generator.page(text) == text, "run python tools/generate_python_api.py"


def test_a_change_is_noticed(generator: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(riacho, "__all__", [*riacho.__all__, "added"])
    monkeypatch.setattr(riacho, "added", lambda: None, raising=False)
    assert "- `added" in generator.page(generator.TARGET.read_text())
    assert generator.main(["--check"]) == 1
    assert generator.undocumented(riacho) == ["added"]


def test_every_public_module_has_its_list_and_its_example(generator: ModuleType) -> None:
    sections = generator.TARGET.read_text().split("\n## ")[1:]
    assert [section.partition("\n")[0].strip("`") for section in sections] == list(PUBLIC)
    for name, section in zip(PUBLIC, sections, strict=True):
        assert f"<!-- names of {name} -->" in section
        assert "```python" in section


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_exported_is_there_and_explained(generator: ModuleType, name: str) -> None:
    module = import_module(name)
    assert sorted(module.__all__) == module.__all__
    assert [each for each in module.__all__ if not hasattr(module, each)] == []
    assert generator.undocumented(module) == []


def test_only_those_who_use_spark_or_a_broker_load_one() -> None:
    program = (
        "import sys, riacho, riacho.connect, riacho.testing\n"
        "print([name for name in sys.modules if name.startswith(('pyspark', 'pyarrow', 'riacho.broker'))])"
    )
    command = [sys.executable, "-c", program]
    environment = {"PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == "[]\n"
