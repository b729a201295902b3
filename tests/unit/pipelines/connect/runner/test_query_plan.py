"""From a start command to what is run: the pipeline that the worker shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.pipelines.connect.protocol import Settings, Start
from riacho.pipelines.connect.runner.query_plan import QueryPlan
from riacho.pipelines.pipeline import Pipeline, Topics
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import without_limits

DEFAULTS = {"key.converter": "org.apache.kafka.connect.storage.StringConverter", "topic.creation.enable": "false"}


def plan(directory: Path, **configs: str) -> QueryPlan:
    given = {name.replace("_", "."): text for name, text in configs.items()}
    given |= {"connector.class": "FileStreamSink", "file": str(directory / "out.txt")}
    start = Start(name="out", generation=1, type="sink", configs=given, checkpoint=str(directory / "checkpoint"))
    return QueryPlan.of(start, Settings(bootstrap_servers="b:1", defaults=DEFAULTS, limits=without_limits()))


def test_what_runs_is_what_the_worker_shows(tmp_path: Path) -> None:
    made = plan(tmp_path, topics="a, b", errors_tolerance="all", riacho_trigger_ms="50")
    assert made.pipeline == Pipeline.from_connector("out", {**DEFAULTS, **made.start.configs}, is_sink=True)
    assert made.pipeline.source == Topics(("a", "b"), creation={"topic.creation.enable": "false"})
    assert (made.pipeline.errors.tolerate, made.pipeline.trigger_ms) == (True, 50)


@pytest.mark.parametrize("configs", [{}, {"topics": "a", "topics_regex": "b"}])
def test_topics_are_named_in_one_way(tmp_path: Path, configs: dict[str, str]) -> None:
    made = plan(tmp_path, **configs)
    with pytest.raises(ConnectError, match=r"needs either topics or topics\.regex"):
        made.await_topics(lambda _: True, lambda: None, lambda _: None)
