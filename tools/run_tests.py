"""`make test`: the whole suite, as two pytest processes side by side, since much of it waits for other processes.

The halves are chosen to take about as long as each other. Each one's output is shown when it ends; the exit code is that
of the first half that failed. `RIACHO_TEST_HALVES=1` runs them one after the other, for a quieter machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HALVES = {
    "clients and commands": ["tests/conformance", "tests/e2e"],
    "cores, simulation and clusters": [
        "tests/unit",
        "tests/property",
        "tests/scenarios",
        "tests/simulation",
        "tests/cluster",
    ],
}


def main() -> int:
    covered = {name for half in HALVES.values() for name in half} | {"tests/tidy", "tests/support"}
    missing = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if path.is_dir()} - covered
    missing = {name for name in missing if not name.rpartition("/")[2].startswith((".", "__"))}
    if missing:
        print(f"tools/run_tests.py does not know {', '.join(sorted(missing))}")
        return 1
    if os.environ.get("RIACHO_TEST_HALVES") == "1":
        return max(subprocess.run(_command(paths), cwd=ROOT).returncode for paths in HALVES.values())
    return _side_by_side()


def _side_by_side() -> int:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        running = {}
        for number, (name, paths) in enumerate(HALVES.items()):
            output = Path(directory, f"{number}.txt").open("w+")
            running[name] = subprocess.Popen(_command(paths), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT), output
        codes = []
        try:
            while running:
                for name, (process, output) in list(running.items()):
                    if process.poll() is not None:
                        del running[name]
                        codes.append(process.returncode)
                        _show(name, output, time.monotonic() - started)
                time.sleep(0.5)
        finally:
            for process, _ in running.values():
                process.terminate()
                process.wait()
    return next((code for code in codes if code), 0)


def _show(name: str, output: object, elapsed_s: float) -> None:
    output.seek(0)  # type: ignore[attr-defined]
    print(f"\n=== {name} ({elapsed_s:.0f} s)")
    print(output.read(), flush=True)  # type: ignore[attr-defined]


def _command(paths: list[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", *paths, "-q", "--durations=10"]


if __name__ == "__main__":
    sys.exit(main())
