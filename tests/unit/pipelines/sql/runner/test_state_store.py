"""Spark's map with many calls under way: what a state server sees, and what a task gets."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark")
messages: Any = pytest.importorskip("pyspark.sql.streaming.proto.StateMessage_pb2")

from riacho.pipelines.sql.runner import state_store  # noqa: E402
from riacho.pipelines.sql.runner.state_store import MapStateStore, PipelinedStore, StateError, store_of  # noqa: E402


class StateServer:
    """Answers in order, as the JVM's does, but only what was flushed; refuses the key "bad"."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.trips = 0
        self._unsent = io.BytesIO()
        self._answers: list[tuple[int, str, bytes]] = []

    def write(self, data: bytes) -> None:
        self._unsent.write(data)

    def flush(self) -> None:
        self.trips += 1
        data, self._unsent = self._unsent.getvalue(), io.BytesIO()
        while data:
            assert data[:4] == bytes(4)
            size = int.from_bytes(data[4:8], "big")
            request = messages.StateRequest()
            request.ParseFromString(data[8 : 8 + size])
            self._answers.append(self._answer(request.stateVariableRequest.mapStateCall))
            data = data[8 + size :]

    def receive(self) -> tuple[int, str, bytes]:
        return self._answers.pop(0)

    def _answer(self, call: Any) -> tuple[int, str, bytes]:
        which = call.WhichOneof("method")
        (key,) = pickle.loads(getattr(call, which).userKey)
        if key == "bad":
            return 1, "no room", b""
        if which == "updateValue":
            self.kept[key] = call.updateValue.value
        elif which == "removeKey":
            self.kept.pop(key, None)
        else:
            return 0, "", self.kept.get(key, b"")
        return 0, "", b""


class State:
    """As much of Spark's MapState as is used."""

    def __init__(self, server: StateServer) -> None:
        self._server = server
        self._stateName = "state"
        api = SimpleNamespace(
            sockfile=server,
            _receive_proto_message=server.receive,
            _serialize_to_bytes=lambda schema, data: pickle.dumps(data),
            _deserialize_from_bytes=pickle.loads,
        )
        self._mapStateClient = SimpleNamespace(user_key_schema=1, value_schema=2, _stateful_processor_api_client=api)

    def getValue(self, key: tuple[str]) -> tuple[str] | None:
        self._server.trips += 1
        found = self._server.kept.get(key[0])
        return None if found is None else pickle.loads(found)

    def iterator(self) -> Iterator[tuple[tuple[str], tuple[str]]]:
        return (((key,), pickle.loads(value)) for key, value in self._server.kept.items())


@pytest.fixture
def server() -> StateServer:
    return StateServer()


@pytest.fixture
def store(server: StateServer) -> PipelinedStore:
    found = store_of(State(server))  # type: ignore[arg-type]
    assert isinstance(found, PipelinedStore)
    return found


def test_writes_go_together_and_are_there_when_a_run_is_finished(server: StateServer, store: PipelinedStore) -> None:
    for number in range(100):
        store.put(f"k{number}", str(number))
    store.delete("k7")
    store.finish()
    assert server.trips == 1
    assert len(server.kept) == 99


def test_entries_are_fetched_together_and_given_once(server: StateServer, store: PipelinedStore) -> None:
    server.kept = {"a": pickle.dumps(("1",)), "b": pickle.dumps(("2",))}
    store.fetch(["a", "b", "c"])
    assert (server.trips, store.get("a"), store.get("b"), store.get("c")) == (1, "1", "2", None)
    server.kept["a"] = pickle.dumps(("3",))
    assert store.get("a") == "3"


def test_a_read_sees_what_was_written_before_it(store: PipelinedStore) -> None:
    store.fetch(["a"])
    store.put("a", "new")
    assert store.get("a") == "new"
    store.put("b", "2")
    assert sorted(store.items()) == [("a", "new"), ("b", "2")]
    store.delete("a")
    assert store.get("a") is None


def test_what_is_under_way_is_bounded_by_count_and_by_bytes(server: StateServer, store: PipelinedStore) -> None:
    for number in range(state_store.UNDER_WAY_MAX * 3):
        store.put(f"{number}", "")
    store.finish()
    assert server.trips >= 3
    server.trips = 0
    for number in range(4):
        store.put(f"{number}", "x" * state_store.UNDER_WAY_BYTES_MAX)
    store.finish()
    assert server.trips == 4
    assert len(server.kept) == state_store.UNDER_WAY_MAX * 3


def test_a_refused_write_is_told_and_no_answer_is_left_over(store: PipelinedStore) -> None:
    store.put("bad", "1")
    store.put("good", "2")
    with pytest.raises(StateError, match="no room"):
        store.finish()
    assert store.get("good") == "2"


def test_what_was_fetched_for_one_run_is_not_there_in_the_next(server: StateServer, store: PipelinedStore) -> None:
    store.fetch(["a"])
    store.finish()
    server.kept["a"] = pickle.dumps(("1",))
    assert store.get("a") == "1"


def test_with_another_client_calls_are_made_one_by_one() -> None:
    found = store_of(SimpleNamespace(getValue=lambda key: None))  # type: ignore[arg-type]
    assert type(found) is MapStateStore
