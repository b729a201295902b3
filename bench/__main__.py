"""`python -m bench`: measure Riacho and Apache Kafka side by side and print a table of ratios."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench import console_plan
from bench.guard import guarded
from bench.page import load, run_facts, save, write_page
from bench.peers import peers_here
from bench.plan import GROUPS
from bench.process_tree import others_busy_s
from bench.processes import contention, neighbours
from bench.run import QUICK, Run, Scale
from bench.table import FOOTNOTE, terminal_table


def main() -> int:
    options = _parser().parse_args()
    if options.render is not None:
        samples, facts = load(options.render)
    else:
        names, reasons = peers_here(options.peers.split(","))
        for reason in reasons:
            _say(reason)
        if not names:
            return 1
        scale = QUICK if options.quick else Scale()
        if options.rounds is not None:
            scale = replace(scale, rounds=options.rounds)
        began, others_s, contended = time.monotonic(), others_busy_s(), contention()
        groups, parts = _groups(options.only) - _groups(options.but), _parts(options.console_parts)
        samples = Run(names, scale, groups, options.directory, _say, console_parts=parts).execute()
        others_s = others_busy_s() - others_s
        facts = run_facts(scale.rounds, contended or neighbours(others_s / (time.monotonic() - began)))
        _say(f"took {(time.monotonic() - began) / 60:.1f} minutes; results in {save(samples, facts)}\n")
    lines = samples.lines()
    if any(line.other is not None for line in lines) or not samples.commits():
        print(terminal_table(lines))
    for commit in samples.commits():
        print(f"\n{terminal_table(samples.lines(commit))}")
    if any(line.client_bound for line in lines):
        print(FOOTNOTE)
    if facts["contended"]:
        print(f"NOT A FAIR RUN: {facts['contended']}")
    for failure in samples.failures:
        print(f"failed: {failure}")
    if options.write is not None:
        write_page(samples, facts, options.write)
    return 1 if samples.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of the main loads: a few minutes")
    parser.add_argument("--only", default=",".join(GROUPS), help=f"groups, by comma: {','.join(GROUPS)}")
    parser.add_argument("--but", default="", help="groups to leave out, by comma")
    parser.add_argument(
        "--console-parts", default=",".join(console_plan.PARTS), help=f"of console: {','.join(console_plan.PARTS)}"
    )
    parser.add_argument("--peers", default="riacho,kafka", help="riacho, kafka, riacho@COMMIT, by comma")
    parser.add_argument("--rounds", type=int, help="how many times each broker is started and measured")
    parser.add_argument("--directory", type=Path, help="where the brokers keep their data; a temporary one by default")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the summary page and its plots, too")
    parser.add_argument("--render", type=Path, metavar="JSON", help="measure nothing: show a stored run")
    return parser


def _groups(only: str) -> set[str]:
    groups = {name.strip() for name in only.split(",") if name.strip()}
    unknown = groups - set(GROUPS)
    if unknown:
        raise SystemExit(f"no such group: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    return groups


def _parts(text: str) -> set[str]:
    parts = {name.strip() for name in text.split(",") if name.strip()}
    unknown = parts - set(console_plan.PARTS)
    if unknown:
        raise SystemExit(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(console_plan.PARTS)}")
    return parts


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(guarded(main))
