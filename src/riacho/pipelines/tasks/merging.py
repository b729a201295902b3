"""Records of several partitions in Kafka Streams' order: of the heads of all queues the one with the smallest time is
next, and within a partition offsets decide. So a late record holds back those behind it, and nothing else."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from riacho.pipelines.tasks.rows import TaskRow


def in_stream_order(rows: Iterable[TaskRow]) -> Iterator[TaskRow]:
    """Of a batch. Queues are (side, partition); where times are equal, the smaller one of these is first. Rows of one
    record (the same offset) stay in their order."""
    queues: dict[tuple[str, int], list[TaskRow]] = {}
    for row in rows:
        queues.setdefault((row.side, row.partition), []).append(row)
    for queue in queues.values():
        # Reversed, since a list gives up its last element without shifting the others.
        queue.sort(key=lambda row: (row.offset, row.seq, row.undo is None))
        queue.reverse()
    heads = [(queue[-1].time, name) for name, queue in queues.items()]
    heapq.heapify(heads)
    while heads:
        _, name = heapq.heappop(heads)
        queue = queues[name]
        row = queue.pop()
        yield row
        while queue and queue[-1].offset == row.offset:
            yield queue.pop()
        if queue:
            heapq.heappush(heads, (queue[-1].time, name))
