"""The hot modules compiled: the same tests pass on them. And a wheel, with a compiler and without one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from riacho.wire.code_form import PURE, code_form

ROOT = Path(__file__).resolve().parents[2]
# Those of the modules that are compiled (hatch_build.py), and of what calls them.
TESTS = (
    "tests/unit/wire",
    "tests/unit/partition",
    "tests/unit/log/test_lookup.py",
    "tests/unit/log/test_log.py",
    "tests/unit/broker/counters",
    "tests/unit/broker/serving/test_connection.py",
    "tests/unit/broker/requests/test_later.py",
    "tests/unit/broker/produce/test_produce_checking.py",
    "tests/unit/broker/produce/test_produce_fast_path.py",
    "tests/unit/broker/produce/test_produce_pipeline.py",
    "tests/unit/broker/requests/test_refused_batches.py",
    "tests/property/test_record_walk.py",
    "tests/property/test_records_fuzz.py",
)


def _wheel(directory: Path, **environment: str) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel installs that was built with a compiler: quickly, rather than for speed."""
    if shutil.which(sysconfig.get_config_var("CC").split()[0]) is None:
        pytest.skip("no C compiler here")
    directory = tmp_path_factory.mktemp("compiled")
    wheel = _wheel(directory, RIACHO_COMPILE="1", RIACHO_COMPILE_LEVEL="0")
    assert "-none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(directory / "installed")
    return directory / "installed"


def _run(code: str, path: Path, **environment: str) -> str:
    env = os.environ | {"PYTHONPATH": str(path)} | environment
    return subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True).stdout


def test_each_form_says_which_it_is(compiled: Path) -> None:
    ask = "from riacho.wire.code_form import code_form; print(code_form())"
    assert _run(ask, compiled).strip() == "compiled"
    assert _run(ask, ROOT / "src").strip() == "pure Python"
    assert code_form() == PURE


def test_both_forms_are_in_the_wheel(compiled: Path) -> None:
    made = sorted(path.name.split(".")[0] for path in (compiled / "riacho").rglob("*.so"))
    assert len(made) >= 8
    assert "record_walk" in made
    assert (compiled / "riacho/wire/record_walk.py").is_file()


def test_what_is_compiled_needs_nothing_of_the_compiler_s(compiled: Path) -> None:
    hidden = "import sys; sys.modules.update(dict.fromkeys(('mypy', 'mypyc', 'mypy_extensions', 'librt')));"
    assert _run(
        f"{hidden} import riacho.broker.produce.produce_fast_path as fast_path; print(fast_path.__file__)", compiled
    ).endswith(".so\n")


def test_the_compiled_modules_pass_their_tests(compiled: Path, tmp_path: Path) -> None:
    options = [
        "-o",
        f"pythonpath={compiled} {ROOT / 'tests'}",
        "-o",
        f"cache_dir={tmp_path}",
        f"--basetemp={tmp_path}/t",
    ]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:warnings", *options, *TESTS],
        cwd=ROOT, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_a_wheel_without_a_compiler_runs_anywhere(tmp_path: Path) -> None:
    for environment in ({"RIACHO_COMPILE": "0"}, {"CC": "no-such-compiler", "LDSHARED": "no-such-linker"}):
        wheel = _wheel(tmp_path, **environment)
        assert wheel.name.endswith("-py3-none-any.whl")
        with zipfile.ZipFile(wheel) as opened:
            assert [name for name in opened.namelist() if name.endswith(".so")] == []
            assert "riacho/wire/record_walk.py" in opened.namelist()
            if (ROOT / ".git").exists():
                assert re.fullmatch(r"[0-9a-f]{12}(-changed)?", opened.read("riacho/COMMIT").decode().strip())
        wheel.unlink()
