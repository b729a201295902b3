"""A process and all that it started: their processor time, and their memory by what they are."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from bench.processes import TICKS_PER_S, memory


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    name: str
    cpu_s: float  # with that of children which have ended


def tree(root: int) -> list[Process]:
    """The process of that id and its descendants, parents first; nothing once it has ended."""
    everyone = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                process = _process(entry)
                everyone[process.pid] = process
    children: dict[int, list[int]] = {}
    for process in everyone.values():
        children.setdefault(process.parent, []).append(process.pid)
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop(0)
        if pid in everyone:
            found.append(everyone[pid])
            waiting += children.get(pid, [])
    return found


def tree_cpu_s(root: int) -> float:
    return sum(process.cpu_s for process in tree(root))


def spark_memory_mb(driver: int) -> dict[str, float]:
    """Of a Python driver, its JVM and its workers. Workers are forked and share pages: PSS counts those once."""
    sizes = {"driver JVM, RSS": 0.0, "Python driver, RSS": 0.0, "Python workers, RSS": 0.0, "Python workers, PSS": 0.0}
    whole = 0.0
    for process in tree(driver):
        with contextlib.suppress(OSError, KeyError):
            used = memory(process.pid)
            whole += used.pss_bytes / 1e6
            if process.pid == driver:
                sizes["Python driver, RSS"] += used.rss_bytes / 1e6
            elif process.name == "java":
                sizes["driver JVM, RSS"] += used.rss_bytes / 1e6
            else:
                sizes["Python workers, RSS"] += used.rss_bytes / 1e6
                sizes["Python workers, PSS"] += used.pss_bytes / 1e6
    return sizes | {"all processes, PSS": whole}


def machine_busy_s() -> float:
    """What all processes of this machine have used so far."""
    user, nice, system, _, _, irq, soft_irq, *_ = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    return (user + nice + system + irq + soft_irq) / TICKS_PER_S


def others_busy_s() -> float:
    """Of that, what was neither this process nor anything it started."""
    return machine_busy_s() - tree_cpu_s(os.getpid())


def _process(entry: Path) -> Process:
    head, _, rest = (entry / "stat").read_text().rpartition(")")
    fields = rest.split()
    ticks = sum(map(int, fields[11:15]))
    return Process(int(entry.name), int(fields[1]), head.partition("(")[2], ticks / TICKS_PER_S)
