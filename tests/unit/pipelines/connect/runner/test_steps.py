"""Converters and transforms of a connector: made once, and once more where its batch function is sent."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.connect.runner import steps
from riacho.pipelines.connect.runner.steps import Steps
from riacho.pipelines.pipeline import Pipeline

CONFIGS = {"topics": "t", "key.converter": "Remembering", "value.converter": "Remembering"}


class Remembering:
    """Stands for a converter that knows the newest schema it has seen."""

    def __init__(self) -> None:
        self.seen = 0

    def decode(self, batch: Any, column: str) -> Any:
        self.seen += 1
        return [*batch, (column, self.seen)]


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> list[Remembering]:
    found: list[Remembering] = []

    def converter(class_name: str, configs: Mapping[str, str], *, is_key: bool) -> Remembering:
        found.append(Remembering())
        return found[-1]

    monkeypatch.setattr(steps, "converter", converter)
    return found


def of_sink(**more: str) -> Steps:
    return Steps(Pipeline.from_connector("c", {**CONFIGS, **more}, is_sink=True).steps)


def test_what_a_converter_has_seen_is_known_in_the_next_micro_batch(made: list[Remembering]) -> None:
    frame: Any = []
    found = of_sink()
    found.make()
    assert found.apply(frame) == [("key", 1), ("value", 1)]
    assert found.apply(frame) == [("key", 2), ("value", 2)]
    assert len(made) == 2


def test_they_are_made_again_where_they_are_sent(made: list[Remembering]) -> None:
    frame: Any = []
    found = of_sink()
    found.apply(frame)
    sent = pickle.loads(pickle.dumps(found))
    assert sent == found
    assert sent.apply(frame) == [("key", 1), ("value", 1)]


def test_a_transform_that_cannot_be_made_is_said_when_they_are_made() -> None:
    found = of_sink(transforms="a", **{"transforms.a.type": "com.example.Own"})
    with pytest.raises(ConfigError, match=r"com\.example\.Own could not be found"):
        found.make()
