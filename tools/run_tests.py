"""`make test`: the whole suite, as pytest processes side by side, since much of it waits for other processes.

Each part's output is shown when it ends. `RIACHO_TEST_PARTS=1` runs them one after the other, for a quieter machine.

Tests that failed are then run once more, alone on the machine that is quiet by now: a fault test with real processes
can miss its time limit because other parts had the cores. One that fails again fails the run; one that passes alone is
named at the end as such, with its first failure above, and is a flaw to be mended. When many failed, nothing was
unlucky: they are not tried again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Parts that wait much (clusters, clients) leave the cores to those that compute; Spark comes last in its part, when the
# cores are freer. A part's order is the order of its directories; each takes about as long as the others.
PARTS = {
    "clusters": ["tests/cluster"],
    "clients": ["tests/conformance", "tests/e2e/test_operations_guides.py"],
    "cores and commands": [
        "tests/unit",
        "tests/e2e",
        "--ignore=tests/unit/pipelines",
        "--ignore=tests/e2e/test_operations_guides.py",
    ],
    "simulation and pipelines": [
        "tests/scenarios",
        "tests/property",
        "tests/simulation",
        "tests/unit/pipelines",
        "tests/spark",
    ],
}
# Run by `make check`, or no tests at all.
ELSEWHERE = {"tests/tidy", "tests/support"}
SECOND_TRIES_MAX = 6
# pytest's exit codes for "all passed" and "some failed"; the others mean that it did not get that far.
PASSED, SOME_FAILED = 0, 1


def main() -> int:
    unknown = {f"tests/{path.name}" for path in (ROOT / "tests").iterdir() if path.is_dir()} - ELSEWHERE
    unknown -= {path for part in PARTS.values() for path in part}
    unknown = {path for path in unknown if not Path(path).name.startswith((".", "__"))}
    if unknown:
        print(f"tools/run_tests.py does not know {', '.join(sorted(unknown))}: put it into a part")
        return 1
    # Some ten JVMs will start: with their classes in an archive each takes half as long. It is ready before the first
    # does; where it cannot be made, tests go on without.
    archive = subprocess.Popen(
        [sys.executable, "-m", "riacho.pipelines.spark.class_archive"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return _run_parts()
    finally:
        archive.terminate()
        archive.wait()


def _run_parts() -> int:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        is_quiet = os.environ.get("RIACHO_TEST_PARTS") == "1"
        codes = _one_by_one(directory) if is_quiet else _side_by_side(directory)
        worst = max(codes, key=lambda code: (code not in (PASSED, SOME_FAILED), code))
        if worst != SOME_FAILED:
            return worst
        return _second_try(directory)


def _one_by_one(directory: Path) -> list[int]:
    return [subprocess.run(_command(paths, directory / name), cwd=ROOT).returncode for name, paths in PARTS.items()]


def _side_by_side(directory: Path) -> list[int]:
    started_s = time.monotonic()
    running: dict[str, subprocess.Popen[bytes]] = {}
    codes: list[int] = []
    try:
        for name, paths in PARTS.items():
            with (directory / f"{name}.txt").open("wb") as output:
                running[name] = subprocess.Popen(
                    _command(paths, directory / name), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
                )
        while running:
            for name, process in list(running.items()):
                if process.poll() is not None:
                    del running[name]
                    codes.append(process.returncode)
                    print(f"\n=== {name} ({time.monotonic() - started_s:.0f} s)")
                    print((directory / f"{name}.txt").read_text(errors="replace"), flush=True)
            time.sleep(0.5)
    finally:
        for process in running.values():
            process.terminate()
            process.wait()
    return codes


def _second_try(directory: Path) -> int:
    failed = sorted({test for name in PARTS for test in _failed(directory / name)})
    if not failed or len(failed) > SECOND_TRIES_MAX:
        print(f"\n=== {len(failed)} failed: not tried again", flush=True)
        return SOME_FAILED
    print(f"\n=== second try, alone: {len(failed)} that failed beside others", flush=True)
    code = subprocess.run(_command(failed, directory / "second"), cwd=ROOT).returncode
    again = _failed(directory / "second") if code else set()
    for test in failed:
        print(f"{'FAILED TWICE' if test in again or code not in (0, 1) else 'FLAKY, passed alone'}: {test}", flush=True)
    return code


def _failed(cache: Path) -> set[str]:
    """What pytest noted as failed in the run with this cache directory."""
    try:
        return set(json.loads((cache / "v" / "cache" / "lastfailed").read_text()))
    except FileNotFoundError:
        return set()


def _command(paths: list[str], cache: Path) -> list[str]:
    return [sys.executable, "-m", "pytest", *paths, "-q", "--durations=10", "-o", f"cache_dir={cache}"]


if __name__ == "__main__":
    sys.exit(main())
