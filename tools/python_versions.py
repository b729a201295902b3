"""Builds and installs Riacho as users do, with each Python that is here: `make python-versions`.

For each: a source distribution, a wheel from what is in it, an empty environment with an extra of the README, and there
`riacho --version`, `riacho up`, a record written and read back, and a test by the pytest plugin. With the first of
them, the README's lines for pipx and uvx, too (`one_liners.py`). `RIACHO_PYTHONS` names interpreters, separated by
colons; without it those of PATH are taken, and which are not there is told. `RIACHO_PYTHONS_EXTRA=all` installs
everything.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import one_liners
from release_steps import EXTRA, ROOT, StepFailedError, environment, produce_and_consume, run

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_TOLD = "import sys; print('%d.%d' % sys.version_info[:2])"
_TEST = """\
def test_a_broker_answers(kafka_cluster):
    kafka_cluster.create_topic("orders")
    kafka_cluster.kill(1)
"""


class Outcome(NamedTuple):
    version: str
    told: str
    took_s: float
    ok: bool


def main() -> int:
    found = interpreters()
    outcomes = [_try(version, python) for version, python in found.items()]
    if found:
        outcomes.append(_try_one_liners(*next(iter(found.items()))))
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
    return _outcome(version, lambda work: _walk(python, work))


def _try_one_liners(version: str, python: str) -> Outcome:
    print(f"pipx and uvx: {python}", flush=True)
    return _outcome(f"{version} by pipx and uvx", lambda work: one_liners.walk(python, work))


def _outcome(version: str, walk: Callable[[Path], str]) -> Outcome:
    started_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="riacho-python-") as name:
        try:
            told, ok = walk(Path(name)), True
        except (StepFailedError, subprocess.TimeoutExpired) as error:
            told, ok = str(error), False
    return Outcome(version, told, time.monotonic() - started_s, ok)


def _walk(python: str, work: Path) -> str:
    wheel = _build(python, work)
    run([python, "-m", "venv", str(work / "user")], work)
    user = work / "user" / "bin"
    run([str(user / "pip"), "install", "-q", f"{wheel}[{EXTRA}]", "pytest"], work)
    told = run([str(user / "riacho"), "--version"], work).strip()
    produce_and_consume([str(user / "riacho")], work, environment())
    (work / "test_plugin.py").write_text(_TEST)
    run([str(user / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_plugin.py"], work)
    return f"{wheel.name}, {told}"


def _build(python: str, work: Path) -> Path:
    """The wheel of the source distribution, not of this checkout."""
    run([python, "-m", "venv", str(work / "builder")], work)
    builder = str(work / "builder" / "bin" / "python")
    run([builder, "-m", "pip", "install", "-q", "build"], work)
    # Without further words `build` makes the wheel from the source distribution that it has just made.
    run([builder, "-m", "build", "-o", str(work / "dist"), str(ROOT)], work)
    (wheel,) = (work / "dist").glob("riacho-*.whl")
    return wheel


if __name__ == "__main__":
    sys.exit(main())
