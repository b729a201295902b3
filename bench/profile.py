"""`python -m bench.profile`: run one load against Riacho and print where its time goes.

    python -m bench.profile --list
    python -m bench.profile "produce 100 B, acks=1, none"
    python -m bench.profile --with cprofile "one message a request, 1 in flight"

py-spy samples from outside and hardly disturbs the broker; it needs leave to trace. cProfile runs inside, counts calls,
and makes small functions look dearer than they are; it needs nothing but a broker that ends on SIGTERM.
"""

from __future__ import annotations

import argparse
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench import ROOT
from bench.peers import Riacho
from bench.plan import Load, loads
from bench.run import run_client

TOP = 35


def main() -> int:
    options = _parser().parse_args()
    known = {load.name: load for load in loads()}
    if options.list or options.load not in known:
        print("\n".join(known))
        return 0 if options.list else 2
    scratch = Path(tempfile.mkdtemp(prefix="riacho-profile-"))
    try:
        profile = profile_with_pyspy if options.profiler == "py-spy" else profile_with_cprofile
        profile(known[options.load], scratch, options.seconds)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


def profile_with_pyspy(load: Load, scratch: Path, seconds: float) -> None:
    broker, stacks = Riacho(scratch), scratch / "stacks"
    broker.start()
    try:
        command = [_pyspy(), "record", "--pid", str(broker.pid), "--format", "raw", "--output", str(stacks)]
        command += ["--rate", "500", "--duration", str(int(seconds + 1)), "--nonblocking"]
        sampler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        print(_run(load, broker, seconds))
        _, said = sampler.communicate(timeout=60)
    finally:
        broker.stop()
    if not stacks.exists():
        raise SystemExit(f"py-spy could not sample: {said.decode().strip()}")
    _print_stacks(stacks.read_text())


def profile_with_cprofile(load: Load, scratch: Path, seconds: float) -> None:
    stats = scratch / "stats"
    broker = Riacho(scratch, launcher=("-m", "cProfile", "-o", str(stats), "-m", "riacho"))
    broker.start()
    try:
        print(_run(load, broker, seconds))
    finally:
        broker.stop()
    if not stats.exists():
        raise SystemExit("no profile was written: the broker did not end by itself on SIGTERM")
    pstats.Stats(str(stats)).sort_stats("tottime").print_stats(TOP)


def _run(load: Load, broker: Riacho, seconds: float) -> str:
    spec = {"kind": load.kind, "port": broker.port, "pid": broker.pid, "warm_up_s": 0.5, "duration_s": seconds}
    figures = run_client({**spec, "parameters": load.parameters})
    return f"{load.name}: " + ", ".join(f"{value:,.2f} {unit.replace('|', ' ')}" for unit, value in figures.items())


def _print_stacks(folded: str) -> None:
    """Own and cumulative share of samples by function, from lines of `outer;inner;innermost count`."""
    own: Counter[str] = Counter()
    cumulative: Counter[str] = Counter()
    for line in folded.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = [re.sub(r":\d+\)$", ")", frame) for frame in stack.split(";")]  # by function, not by line
        frames = [frame.replace(f"{ROOT}/src/", "") for frame in frames]
        own[frames[-1]] += int(count)
        for frame in set(frames):
            cumulative[frame] += int(count)
    total = sum(own.values()) or 1
    print(f"{total} samples\n{'own':>6} {'total':>6}  function")
    for frame, samples in own.most_common(TOP):
        print(f"{samples / total:6.1%} {cumulative[frame] / total:6.1%}  {frame}")


def _pyspy() -> str:
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise SystemExit("no py-spy here: pip install py-spy, or use --with cprofile")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.profile", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument(
        "load", nargs="?", default="produce 1 KB, acks=1, none", help="a load's name, as --list shows it"
    )
    parser.add_argument("--list", action="store_true", help="name the loads")
    parser.add_argument("--with", dest="profiler", choices=("py-spy", "cprofile"), default="py-spy")
    parser.add_argument("--seconds", type=float, default=5.0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
