"""`make test`: the whole suite, as pytest processes side by side, since much of it waits for other processes.

Each part's output is shown when it ends. `RIACHO_TEST_PARTS=1` runs them one after the other, for a quieter machine.

Tests that failed are then run once more, alone on the machine that is quiet by now: a fault test with real processes
can miss its time limit because other parts had the cores. One that fails again fails the run; one that passes alone is
named at the end as such, with its first failure above, and is a flaw to be mended. When many failed, nothing was
unlucky: they are not tried again.

Where there is memory to spare, the tests' files are in memory: a disk makes brokers wait at each fsync, and no test
pulls the plug. After a run that failed they stay there, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Parts that wait much (clusters, clients) leave the cores to those that compute; Spark comes last in its part, when the
# cores are freer. A part's order is the order of its directories; each takes about as long as the others.
PARTS = {
    "clusters": ["tests/hostile", "tests/cluster", "tests/browser"],
    "clients": ["tests/conformance", "tests/unit/pipelines", "tests/e2e/test_operations_guides.py"],
    "cores and commands": [
        "tests/unit",
        "tests/e2e",
        "tests/release",
        "--ignore=tests/unit/pipelines",
        "--ignore=tests/e2e/test_operations_guides.py",
    ],
    "simulation and pipelines": [
        "tests/scenarios",
        "tests/property",
        "tests/simulation",
        "tests/spark",
    ],
}
# Run by `make check`, or no tests at all.
ELSEWHERE = {"tests/tidy", "tests/support"}
SECOND_TRIES_MAX = 6
# Twice what a part takes on two cores. One that hangs, whatever the tests' own time limits, is told as such with its
# output; a CI that has to end it would show neither.
PART_S_MAX = 50 * 60
MEMORY = Path("/dev/shm")
# The files of a run are about a tenth of it, and those who run need most of the rest.
MEMORY_BYTES_MIN = 10 << 30
# A process of ten thousand tests has more than a thousand files open, which is all that some systems allow at first.
OPEN_FILES_MIN = 8_192
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
    _allow_open_files()
    room = _room_in_memory()
    if room is not None:
        os.environ["TMPDIR"] = room
    code = SOME_FAILED
    try:
        code = _run_parts()
        return code
    finally:
        archive.terminate()
        archive.wait()
        if room is not None and code == PASSED:
            shutil.rmtree(room, ignore_errors=True)
        elif room is not None:
            print(f"\n=== the tests' files are in {room}", flush=True)


def _allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES_MIN if hard == resource.RLIM_INFINITY else min(OPEN_FILES_MIN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _room_in_memory() -> str | None:
    """A new directory; None where there is not enough memory, or programs cannot be run from there."""
    try:
        found = os.statvfs(MEMORY)
        available = re.search(r"^MemAvailable: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
        is_large = available is not None and int(available[1]) << 10 >= MEMORY_BYTES_MIN
        is_large = is_large and found.f_bavail * found.f_frsize >= MEMORY_BYTES_MIN
        if not is_large or found.f_flag & os.ST_NOEXEC:
            return None
        # A short name: paths of sockets have to be short.
        room = tempfile.mkdtemp(prefix="r-", dir=MEMORY)
        # PostgreSQL runs as another user, and has to get to its directory.
        os.chmod(room, 0o711)
        return room
    except OSError:
        return None


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
    cpu_s = _children_cpu_s()
    try:
        for name, paths in PARTS.items():
            with (directory / f"{name}.txt").open("wb") as output:
                running[name] = subprocess.Popen(
                    _command(paths, directory / name), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
                )
        while running:
            if time.monotonic() - started_s > PART_S_MAX:
                _end_what_hangs(running)
            for name, process in list(running.items()):
                if process.poll() is not None:
                    del running[name]
                    codes.append(process.returncode)
                    # That of the part and of all it started: what makes the whole longer is this, not what waits.
                    cpu_s, before_s = _children_cpu_s(), cpu_s
                    print(f"\n=== {name} ({time.monotonic() - started_s:.0f} s, {cpu_s - before_s:.0f} s of CPU)")
                    print((directory / f"{name}.txt").read_text(errors="replace"), flush=True)
            time.sleep(0.5)
    finally:
        for process in running.values():
            process.terminate()
            process.wait()
    return codes


def _end_what_hangs(running: dict[str, subprocess.Popen[bytes]]) -> None:
    """Gently first: pytest then names the test that it was at."""
    for name, process in running.items():
        print(f"\n=== {name}: still running after {PART_S_MAX // 60} minutes, ended", flush=True)
        process.send_signal(signal.SIGINT)
    for process in running.values():
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _children_cpu_s() -> float:
    """Of those that have ended and were waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
    options = ["-o", f"cache_dir={cache}", "-o", "tmp_path_retention_policy=failed"]
    # A test that is left out needs a reason that is known.
    options += ["-p", "support.expected_skips"]
    return [sys.executable, "-m", "pytest", *paths, "-q", "--durations=25", *options]


if __name__ == "__main__":
    sys.exit(main())
