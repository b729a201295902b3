"""What pages that follow live figures are told: the same bytes to all of them, each with a short queue of its own.

A page that does not read loses the oldest events, which newer ones make worthless anyway. What an event says is made
only while somebody listens.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from riacho.console.places import Places
from riacho.web.call import Call

QUEUE_MAX = 16
_KEEP_ALIVE_S = 15.0
_KEEP_ALIVE = b": still here\n\n"


class Follower:
    """One page, of one cluster."""

    def __init__(self, cluster_id: str) -> None:
        self.cluster_id = cluster_id
        self._queue: deque[bytes] = deque(maxlen=QUEUE_MAX)
        self._some = asyncio.Event()

    def put(self, event: bytes) -> None:
        self._queue.append(event)
        self._some.set()

    async def take(self) -> bytes:
        """All that waits; a comment where nothing comes for long, so that nobody on the way hangs up."""
        try:
            async with asyncio.timeout(_KEEP_ALIVE_S):
                await self._some.wait()
        except TimeoutError:
            return _KEEP_ALIVE
        taken = b"".join(self._queue)
        self._queue.clear()
        self._some.clear()
        return taken


class Events:
    def __init__(self, places: Places) -> None:
        self._places = places
        self._followers: set[Follower] = set()
        self._is_closed = False

    def has_followers(self, cluster_id: str) -> bool:
        return any(each.cluster_id == cluster_id for each in self._followers)

    def publish(self, cluster_id: str, name: str, data: bytes) -> None:
        """`data` is JSON, without line ends."""
        event = encoded(name, data)
        for each in self._followers:
            if each.cluster_id == cluster_id:
                each.put(event)

    def follow(self, cluster_id: str, first: bytes, call: Call) -> AsyncIterator[bytes]:
        """`first` is told at once. ApiError 429 when too many follow."""
        self._places.take(call)
        follower = Follower(cluster_id)
        self._followers.add(follower)
        # Not at the end of the pieces: of an answer that is never sent (HEAD) none is asked for.
        call.at_end(lambda: self._followers.discard(follower))
        return self._told(follower, first)

    def close(self) -> None:
        """Lets all of them go."""
        self._is_closed = True
        for each in self._followers:
            each.put(b"")

    async def _told(self, follower: Follower, first: bytes) -> AsyncIterator[bytes]:
        yield first or _KEEP_ALIVE
        while not self._is_closed:
            taken = await follower.take()
            if taken:
                yield taken


def encoded(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
