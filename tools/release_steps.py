"""What is tried with a Riacho that is installed as users do: it starts, and keeps a record (`python_versions.py`)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRA = os.environ.get("RIACHO_PYTHONS_EXTRA", "services")
STEP_TIMEOUT_S = 900.0
UP_TIMEOUT_S = 90.0


class StepFailedError(Exception):
    """A step ended badly; the text says which, and what was written last."""


def produce_and_consume(riacho: list[str], work: Path, variables: dict[str, str]) -> None:
    """`riacho` begins a command of it."""
    data = ["--data-dir", str(work / "data")]
    told = work / "up.txt"
    # Any free ports: others may have the usual ones.
    only = ["--only", "broker,schema-registry"] if EXTRA else []
    with told.open("wb") as out:
        up = subprocess.Popen(
            [*riacho, "up", "--port", "0", *only, *data], start_new_session=True,
            cwd=work, env=variables | {"RIACHO_SCHEMA_REGISTRY_PORT": "0"}, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        address = _address(up, told)
        at = ["-b", address]
        run([*riacho, "topic", "create", "orders", *at], work, variables)
        run([*riacho, "produce", "orders", "two books", *at], work, variables)
        if "two books" not in run([*riacho, "consume", "orders", "--from", "start", "-n", "1", *at], work, variables):
            raise StepFailedError("riacho consume did not show what riacho produce sent")
    finally:
        # As Ctrl-C on a terminal, for all that it has started: what starts others may leave it to them.
        with suppress(ProcessLookupError):
            os.killpg(up.pid, signal.SIGINT)
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


def environment() -> dict[str, str]:
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in hidden and not name.startswith("RIACHO_")}
    compiling = {name: value for name, value in os.environ.items() if name.startswith("RIACHO_COMPILE")}
    return kept | compiling | {"NO_COLOR": "1"}


def run(command: list[str], work: Path, variables: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=work, env=variables or environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=STEP_TIMEOUT_S, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        last = " ".join((done.stdout + done.stderr)[-800:].split())
        raise StepFailedError(f"{' '.join(command[-5:])} ended with {done.returncode}: {last}")
    return done.stdout
