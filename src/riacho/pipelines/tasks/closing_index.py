"""Which windows close when: what EMIT FINAL emits from, and by which state of closed windows is cleared.

A store has no ranges, so the index is laid out for what is asked of it, "all that closed up to now". Times fall into
slots of a fixed width; entries of a slot are kept in chunks, so that adding one rewrites one chunk at most; a directory
names the slots and how many entries each has. Slots that stream time has reached are taken into a heap for the rest of
the run, since each row may close some of them. Layout:

    i                   ["i1", {"<slot>": <entries>, ...}]
    c<slot>.<number>    [[time, key], ...]
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from riacho.pipelines.tasks.errors import TaskError
from riacho.pipelines.tasks.key_order import order_of_key
from riacho.pipelines.tasks.store import Store
from riacho.pipelines.tasks.write_behind import WriteBehind

_DIRECTORY = "i"
_TAG = "i1"
_CHUNK_SIZE = 256

_Chunk: TypeAlias = list[tuple[int, str]]
_decode_chunk: Callable[[str], _Chunk] = msgspec.json.Decoder(list[tuple[int, str]]).decode


class ClosingIndex:
    def __init__(self, store: Store, slot_ms: int) -> None:
        self._store = store
        self._slot_ms = max(1, slot_ms)
        self._chunks: WriteBehind[_Chunk] = WriteBehind(
            store, _decode_chunk, lambda chunk: msgspec.json.encode(chunk).decode()
        )
        self._sizes: dict[int, int] = {}
        self._is_changed = False
        # Entries of the slots up to `_reached`: (time, order of the key, key).
        self._front: list[tuple[int, bytes, str]] = []
        self._reached: int | None = None
        text = store.get(_DIRECTORY)
        if text is not None:
            tag, sizes = msgspec.json.decode(text)
            if tag != _TAG:
                raise TaskError(f"State was written by another version: {tag} where {_TAG} is known.")
            self._sizes = {int(slot): size for slot, size in sizes.items()}
        self._next_slot_time = self._find_next()

    def add(self, time: int, key: str) -> None:
        self._is_changed = True
        slot = time // self._slot_ms
        if self._reached is not None and slot <= self._reached:
            heapq.heappush(self._front, (time, order_of_key(key), key))
            return
        self._append(slot, time, key)
        start = slot * self._slot_ms
        if self._next_slot_time is None or start < self._next_slot_time:
            self._next_slot_time = start

    def _append(self, slot: int, time: int, key: str) -> None:
        size = self._sizes.get(slot, 0)
        name = f"c{slot}.{size // _CHUNK_SIZE}"
        chunk = self._chunks.get(name) or []
        chunk.append((time, key))
        self._chunks.put(name, chunk)
        self._sizes[slot] = size + 1

    def take_due(self, limit: int) -> list[tuple[int, str]]:
        """Entries with times up to `limit`, taken out: by time, then in the order of their keys' bytes, each once."""
        while self._next_slot_time is not None and self._next_slot_time <= limit:
            self._reach(self._next_slot_time // self._slot_ms)
        front = self._front
        if not front or front[0][0] > limit:
            return []
        due: dict[tuple[int, str], None] = {}
        while front and front[0][0] <= limit:
            time, _, key = heapq.heappop(front)
            due[time, key] = None
        self._is_changed = True
        return list(due)

    def _reach(self, slot: int) -> None:
        for number in range((self._sizes.pop(slot) - 1) // _CHUNK_SIZE + 1):
            name = f"c{slot}.{number}"
            for time, key in self._chunks.get(name) or []:
                heapq.heappush(self._front, (time, order_of_key(key), key))
            self._chunks.delete(name)
        self._reached = slot if self._reached is None else max(slot, self._reached)
        self._next_slot_time = self._find_next()

    def _find_next(self) -> int | None:
        return min(self._sizes) * self._slot_ms if self._sizes else None

    def flush(self) -> None:
        for time, _, key in self._front:
            self._append(time // self._slot_ms, time, key)
        self._front, self._reached = [], None
        self._next_slot_time = self._find_next()
        self._chunks.flush()
        if not self._is_changed:
            return
        self._is_changed = False
        if self._sizes:
            sizes = {str(slot): size for slot, size in sorted(self._sizes.items())}
            self._store.put(_DIRECTORY, msgspec.json.encode((_TAG, sizes)).decode())
        else:
            self._store.delete(_DIRECTORY)
