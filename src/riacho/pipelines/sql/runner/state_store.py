"""Spark's map as a task's store, with many calls to the JVM under way at a time.

A call is a message over a socket and its answer. Made one after the other, most of their time is that of two processes
waking each other up. So writes are sent and their answers read later, many at once; and entries that are known ahead
are asked for together. The JVM answers in the order of the messages. What is under way at a time is less than a socket
holds, so that sending never waits for a side that waits for us to read.

Spark's client has no such thing, and what is used of it here is not public: where it is not as it was, calls are made
one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql.streaming.stateful_processor import MapState

UNDER_WAY_BYTES_MAX = 32 * 1024
UNDER_WAY_MAX = 500
_FRAME_BYTES = 8
_ABSENT = 2


class StateError(RuntimeError):
    """Spark's state did not do what it was asked for."""


class MapStateStore:
    """One call to the JVM each."""

    def __init__(self, state: MapState) -> None:
        self._state = state

    def get(self, key: str) -> str | None:
        found = self._state.getValue((key,))
        return None if found is None else found[0]

    def put(self, key: str, value: str) -> None:
        self._state.updateValue((key,), (value,))

    def delete(self, key: str) -> None:
        self._state.removeKey((key,))

    def items(self) -> Iterator[tuple[str, str]]:
        return ((key[0], value[0]) for key, value in self._state.iterator())

    def fetch(self, keys: Iterable[str]) -> None:
        """Nothing is known ahead here."""

    def finish(self) -> None:
        """Of a run: all that was written has arrived."""


class PipelinedStore(MapStateStore):
    def __init__(self, state: MapState) -> None:
        """AttributeError where Spark's client is another one."""
        super().__init__(state)
        import pyspark.sql.streaming.proto.StateMessage_pb2 as messages

        self._messages: Any = messages
        client: Any = state._mapStateClient
        self._name = state._stateName
        self._keys, self._values = client.user_key_schema, client.value_schema
        self._api = client._stateful_processor_api_client
        self._socket = self._api.sockfile
        self._receive, self._to_bytes = self._api._receive_proto_message, self._api._serialize_to_bytes
        self._from_bytes = self._api._deserialize_from_bytes
        self._fetched: dict[str, str | None] = {}
        self._asked: list[str | None] = []
        self._under_way_bytes = 0

    def get(self, key: str) -> str | None:
        if key in self._fetched:
            return self._fetched.pop(key)
        self._settle()
        return super().get(key)

    def put(self, key: str, value: str) -> None:
        self._fetched.pop(key, None)
        update = self._messages.UpdateValue(userKey=self._key(key), value=self._to_bytes(self._values, (value,)))
        self._send(None, updateValue=update)

    def delete(self, key: str) -> None:
        self._fetched.pop(key, None)
        self._send(None, removeKey=self._messages.RemoveKey(userKey=self._key(key)))

    def items(self) -> Iterator[tuple[str, str]]:
        self._settle()
        return super().items()

    def fetch(self, keys: Iterable[str]) -> None:
        """For `get`, which gives each of them once."""
        for key in keys:
            self._send(key, getValue=self._messages.GetValue(userKey=self._key(key)))
        self._settle()

    def finish(self) -> None:
        self._settle()
        self._fetched.clear()

    def _settle(self) -> None:
        asked, self._asked, self._under_way_bytes = self._asked, [], 0
        if not asked:
            return
        self._socket.flush()
        problem = None
        for key in asked:
            status, message, value = self._receive()
            if status != 0 and not (key is not None and status == _ABSENT):
                problem = problem or message
            elif key is not None:
                self._fetched[key] = self._from_bytes(value)[0] if status == 0 and value else None
        if problem is not None:
            raise StateError(f"Spark's state could not be used: {problem}")

    def _key(self, key: str) -> bytes:
        return self._to_bytes(self._keys, (key,))  # type: ignore[no-any-return]

    def _send(self, key: str | None, **call: Any) -> None:
        messages = self._messages
        variable = messages.StateVariableRequest(mapStateCall=messages.MapStateCall(stateName=self._name, **call))
        message = messages.StateRequest(stateVariableRequest=variable).SerializeToString()
        size = len(message) + _FRAME_BYTES
        if len(self._asked) >= UNDER_WAY_MAX or self._under_way_bytes + size > UNDER_WAY_BYTES_MAX:
            self._settle()
        # The version of the protocol, and the length: as Spark's client frames them.
        self._socket.write(bytes(4) + len(message).to_bytes(4, "big"))
        self._socket.write(message)
        self._asked.append(key)
        self._under_way_bytes += size


def store_of(state: MapState) -> MapStateStore:
    try:
        return PipelinedStore(state)
    except (AttributeError, ImportError):
        return MapStateStore(state)
