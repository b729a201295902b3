"""Builds and installs Riacho as users do, with each Python that is here: `make python-versions`.

For each: a source distribution, a wheel from what is in it, an empty environment with an extra of the README, and there
`riacho --version`, `riacho up`, a record written and read back, and a test by the pytest plugin. `RIACHO_PYTHONS` names
interpreters, separated by colons; without it those of PATH are taken, and which are not there is told.
`RIACHO_PYTHONS_EXTRA=all` installs everything.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
EXTRA = os.environ.get("RIACHO_PYTHONS_EXTRA", "services")
STEP_TIMEOUT_S = 900.0
UP_TIMEOUT_S = 90.0
_TOLD = "import sys; print('%d.%d' % sys.version_info[:2])"
_TEST = """\
def test_a_broker_answers(kafka_cluster):
    kafka_cluster.create_topic("orders")
    kafka_cluster.kill(1)
"""


class StepFailedError(Exception):
    """A step ended badly; the text says which, and what was written last."""


class Outcome(NamedTuple):
    version: str
    told: str
    took_s: float
    ok: bool


def main() -> int:
    found = interpreters()
    outcomes = [_try(version, python) for version, python in found.items()]
    for outcome in outcomes:
        print(f"Python {outcome.version}: {'ok' if outcome.ok else 'FAILED'} in {outcome.took_s:.0f} s: {outcome.told}")
    for version in VERSIONS:
        if version not in found:
            print(f"Python {version}: not here, not tried")
    return 0 if outcomes and all(outcome.ok for outcome in outcomes) else 1


def interpreters() -> dict[str, str]:
    """By version: those of `RIACHO_PYTHONS`, or of PATH. One that does not start is as good as none."""
    named = [each for each in os.environ.get("RIACHO_PYTHONS", "").split(os.pathsep) if each]
    found: dict[str, str] = {}
    for each in named or [f"python{version}" for version in VERSIONS]:
        path = shutil.which(each)
        if path is None:
            continue
        done = subprocess.run([path, "-c", _TOLD], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found.setdefault(done.stdout.strip(), path)
    return found


def _try(version: str, python: str) -> Outcome:
    print(f"Python {version}: {python}", flush=True)
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="riacho-python-") as name:
        try:
            told, ok = _walk(python, Path(name)), True
        except (StepFailedError, subprocess.TimeoutExpired) as error:
            told, ok = str(error), False
    return Outcome(version, told, time.monotonic() - started_s, ok)


def _walk(python: str, work: Path) -> str:
    wheel = _build(python, work)
    _run([python, "-m", "venv", str(work / "user")], work)
    user = work / "user" / "bin"
    _run([str(user / "pip"), "install", "-q", f"{wheel}[{EXTRA}]", "pytest"], work)
    told = _run([str(user / "riacho"), "--version"], work).strip()
    _produce_and_consume(user, work)
    (work / "test_plugin.py").write_text(_TEST)
    _run([str(user / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_plugin.py"], work)
    return f"{wheel.name}, {told}"


def _build(python: str, work: Path) -> Path:
    """The wheel of the source distribution, not of this checkout."""
    _run([python, "-m", "venv", str(work / "builder")], work)
    builder = str(work / "builder" / "bin" / "python")
    _run([builder, "-m", "pip", "install", "-q", "build"], work)
    # Without further words `build` makes the wheel from the source distribution that it has just made.
    _run([builder, "-m", "build", "-o", str(work / "dist"), str(ROOT)], work)
    (wheel,) = (work / "dist").glob("riacho-*.whl")
    return wheel


def _produce_and_consume(user: Path, work: Path) -> None:
    data = ["--data-dir", str(work / "data")]
    told = work / "up.txt"
    # Any free ports: others may have the usual ones.
    only = ["--only", "broker,schema-registry"] if EXTRA else []
    with told.open("wb") as out:
        up = subprocess.Popen(
            [str(user / "riacho"), "up", "--port", "0", *only, *data],
            cwd=work, env=_environment() | {"RIACHO_SCHEMA_REGISTRY_PORT": "0"}, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        address = _address(up, told)
        riacho, at = str(user / "riacho"), ["-b", address]
        _run([riacho, "topic", "create", "orders", *at], work)
        _run([riacho, "produce", "orders", "two books", *at], work)
        if "two books" not in _run([riacho, "consume", "orders", "--from", "start", "-n", "1", *at], work):
            raise StepFailedError("riacho consume did not show what riacho produce sent")
    finally:
        up.send_signal(signal.SIGINT)
        up.wait(UP_TIMEOUT_S)


def _address(up: subprocess.Popen[bytes], told: Path) -> str:
    deadline = time.monotonic() + UP_TIMEOUT_S
    while "Stop it with Ctrl-C" not in (text := told.read_text(errors="replace")):
        if up.poll() is not None or time.monotonic() > deadline:
            raise StepFailedError(f"riacho up did not start: {text[-500:]}")
        time.sleep(0.1)
    found = re.search(r"(?:localhost|127\.0\.0\.1):\d+", text)
    if found is None:
        raise StepFailedError(f"riacho up told no address: {text[-500:]}")
    return found[0]


def _environment() -> dict[str, str]:
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("RIACHO_")}
    compiling = {name: value for name, value in os.environ.items() if name.startswith("RIACHO_COMPILE")}
    return kept | compiling | {"NO_COLOR": "1"}


def _run(command: list[str], work: Path) -> str:
    done = subprocess.run(
        command, cwd=work, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=STEP_TIMEOUT_S, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        last = " ".join((done.stdout + done.stderr)[-800:].split())
        raise StepFailedError(f"{' '.join(command[-5:])} ended with {done.returncode}: {last}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
