"""`make test`: the whole suite, as three pytest processes side by side, since much of it waits for other processes.

Each part's output is shown when it ends; the exit code is that of the first part that failed. `RIACHO_TEST_PARTS=1`
runs them one after the other, for a quieter machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = {
    "clients": ["tests/conformance"],
    "cores and commands": ["tests/unit", "tests/property", "tests/scenarios", "tests/e2e"],
    "simulation and clusters": ["tests/simulation", "tests/cluster"],
}
# Run by `make check`, or no tests at all.
ELSEWHERE = {"tests/tidy", "tests/support"}


def main() -> int:
    unknown = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if path.is_dir()} - ELSEWHERE
    unknown -= {path for part in PARTS.values() for path in part}
    unknown = {path for path in unknown if not Path(path).name.startswith((".", "__"))}
    if unknown:
        print(f"tools/run_tests.py does not know {', '.join(sorted(unknown))}: put it into a part")
        return 1
    if os.environ.get("RIACHO_TEST_PARTS") == "1":
        return max(subprocess.run(_command(paths), cwd=ROOT).returncode for paths in PARTS.values())
    with tempfile.TemporaryDirectory() as directory:
        return _side_by_side(Path(directory))


def _side_by_side(directory: Path) -> int:
    started_s = time.monotonic()
    running: dict[str, subprocess.Popen[bytes]] = {}
    codes: list[int] = []
    try:
        for name, paths in PARTS.items():
            with (directory / name).open("wb") as output:
                running[name] = subprocess.Popen(_command(paths), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        while running:
            for name, process in list(running.items()):
                if process.poll() is not None:
                    del running[name]
                    codes.append(process.returncode)
                    print(f"\n=== {name} ({time.monotonic() - started_s:.0f} s)")
                    print((directory / name).read_text(errors="replace"), flush=True)
            time.sleep(0.5)
    finally:
        for process in running.values():
            process.terminate()
            process.wait()
    return next((code for code in codes if code), 0)


def _command(paths: list[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", *paths, "-q", "--durations=10"]


if __name__ == "__main__":
    sys.exit(main())
