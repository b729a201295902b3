"""What the kernel says of a broker's process: processor time and memory, from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

BUSY_SHARE = 0.4  # of the cores, by others
OTHERS_CORES_MAX = 0.3  # in the mean over a run
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Memory:
    rss_bytes: int
    pss_bytes: int


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads so far. The kernel counts in ticks of 10 ms."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS_PER_S


def memory(pid: int) -> Memory:
    sizes = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, _ = line.split()
        sizes[name.rstrip(":")] = int(size) * 1024
    return Memory(rss_bytes=sizes["Rss"], pss_bytes=sizes["Pss"])


def contention() -> str | None:
    """Why this machine is no place to measure just now, or None. A busy machine does not slow both peers alike."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= BUSY_SHARE * cores:
        return None
    return (
        f"the load average was {load:.1f} on {cores} cores before the run: its figures and ratios are not to be quoted"
    )


def neighbours(others_cores: float) -> str | None:
    """Why a run that began on a quiet machine is not fair all the same, or None."""
    if others_cores <= OTHERS_CORES_MAX:
        return None
    return f"others used {others_cores:.1f} cores during the run: its figures and ratios are not to be quoted"


def machine() -> str:
    """The machine in one line, for the results page."""
    model = "processor unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    total_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{os.cpu_count()} cores ({model}), {total_bytes / 2**30:.0f} GiB memory"
