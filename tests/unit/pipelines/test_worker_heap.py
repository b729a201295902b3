"""A worker's heap is put aside once for each kind of work, when its modules are loaded."""

from __future__ import annotations

import gc
import subprocess
import sys

from riacho.pipelines.worker_heap import WorkerHeap


def test_the_heap_is_put_aside_at_the_second_piece_of_work_of_a_kind_and_never_again() -> None:
    frozen: list[str] = []
    heap = WorkerHeap(lambda: frozen.append("frozen"))
    heap.settle("read")
    assert not frozen
    heap.settle("read")
    assert frozen == ["frozen"]
    heap.settle("read")
    heap.settle("write")
    assert frozen == ["frozen"]
    heap.settle("write")
    heap.settle("write")
    assert frozen == ["frozen"] * 2


_PROGRAM = """
import gc
from riacho.pipelines.worker_heap import settle
loaded = {number: [number] for number in range(100_000)}
settle("read")
gc.collect()
before = len(gc.get_objects())
settle("read")
assert before > 100_000
assert len(gc.get_objects()) < 1_000, len(gc.get_objects())

class Node:
    def __init__(self):
        self.me = self

for _ in range(50):
    Node()
assert gc.collect() >= 50, "garbage of later work is still collected"
"""


def test_the_collector_leaves_out_what_was_there_and_still_finds_later_garbage() -> None:
    assert gc.isenabled()
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True)
