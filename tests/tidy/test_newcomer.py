"""What `tools/newcomer.py` makes of a README and of pip's log."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from support.pip_log import download_seconds
from support.readme import blocks

ROOT = Path(__file__).parents[2]
LOG = """\
2026-01-05T10:00:00,000 Using pip 25.0 from somewhere
2026-01-05T10:00:01,000 Found index url https://index.example/simple/
2026-01-05T10:00:01,250 https://index.example:443 "GET /simple/click/ HTTP/1.1" 200 100
2026-01-05T10:00:01,500 Fetched page https://index.example/simple/click/ as text/html
2026-01-05T10:00:04,000   Downloading click-8.0-py3-none-any.whl (100 kB)
     ---------------------- 100.0/100.0 kB 1.0 MB/s eta 0:00:00
2026-01-05T10:00:06,000   Added click to build tracker
2026-01-05T10:00:09,000 Successfully installed click-8.0
"""


@pytest.fixture(scope="module")
def newcomer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("newcomer", ROOT / "tools" / "newcomer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["newcomer"] = module
    spec.loader.exec_module(module)
    return module


def test_downloads_are_told_from_work(tmp_path: Path) -> None:
    log = tmp_path / "pip.log"
    log.write_text(LOG)
    assert download_seconds(log) == pytest.approx(0.25 + 0.25 + 2.0)


def test_the_walk_finds_its_blocks() -> None:
    install, commands, rest, pipeline, sql, *_ = blocks(ROOT / "README.md")
    assert install.bare.splitlines()[0].startswith("pip install ")
    assert install.bare.splitlines()[1] == "riacho up"
    assert "riacho consume" in commands.text
    assert "localhost:8082" in rest.text
    assert "/tmp/orders" in pipeline.text
    assert sql.last_command.startswith('riacho ksql -e "SELECT ')


def test_the_page_has_a_row_for_each_step_and_the_time_since_the_beginning(newcomer: ModuleType) -> None:
    steps = [newcomer.Step("installed", 90.4, 60.0), newcomer.Step("first message", 4.9, 0.0)]
    told = newcomer.page(steps, "pip without its cache")
    assert "| installed | 1:30.4 | 1:00.0 | 0:30.4 | 1:30.4 |\n" in told
    assert "| first message | 0:04.9 | 0:00.0 | 0:04.9 | 1:35.3 |\n" in told
    assert "pip without its cache" in told


def test_a_step_that_fails_ends_the_walk(
    newcomer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("no route to the index")

    monkeypatch.setattr(newcomer, "_run", refuse)
    monkeypatch.setattr(sys, "argv", ["newcomer.py", "--picture", str(tmp_path / "none.png")])
    assert newcomer.main() == 1
    assert "Not reached: installed. no route to the index" in capsys.readouterr().err
    assert not (tmp_path / "none.png").exists()
