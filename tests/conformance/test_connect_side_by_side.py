"""The same calls to Apache's Connect and to ours: same status, same sentence, same shape of answer.

Runs where `RIACHO_CONFORMANCE_PEER` asks for Apache Kafka. Both workers use one Apache broker. What differs on purpose
is named in DIFFERENT, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import connect_apache
from support.apache_kafka import ApacheKafka
from support.connect_fake_plugins import SINK, SOURCE
from support.connect_worker import ConnectCalls, running_connect

pytestmark = pytest.mark.skipif(
    os.environ.get("RIACHO_CONFORMANCE_PEER", "") in ("", "0"), reason="RIACHO_CONFORMANCE_PEER does not ask for Apache"
)
# A step -> why the answers differ.
DIFFERENT = {
    ("POST", "/connectors", "no-class"): "ours names the settings without their values, as one may be a secret",
    ("POST", "/connectors", "unknown-class"): "ours lists the classes, Apache's their descriptions",
    ("POST", "/connectors", "broken"): "Apache answers 500 where the caller is wrong",
    ("PUT", "/connector-plugins/None/config/validate", None): "Apache answers 500 where the class is unknown",
    ("PATCH", "/connectors/side/offsets", "impossible"): "Apache answers 500 where the caller is wrong",
    ("POST", "/connectors", "bad-number"): "Apache tells the same of a value twice",
}
# Not there, which both wait for.
FILE = "side-by-side.txt"
CONFIG = {"connector.class": SOURCE, "topic": "side", "file": FILE}
NAMED: dict[str, Any] = {
    "no-class": {"name": "x", "config": {}},
    "unknown-class": {"name": "x", "config": {"connector.class": "no.Such"}},
    "mismatch": {"name": "x", "config": {"name": "y", "connector.class": SOURCE}},
    "bad-number": {"name": "x", "config": {"connector.class": SOURCE, "topic": "t", "tasks.max": "q"}},
    "no-topic": {"name": "x", "config": {"connector.class": SOURCE}},
    "no-tasks": {"name": "x", "config": {"connector.class": SOURCE, "topic": "t", "tasks.max": 0}},
    "no-name": {"name": "", "config": {"connector.class": SOURCE, "topic": "t"}},
    "broken": b"{",
    "no-topics": {"name": "x", "config": {"connector.class": SINK}},
    "two-topics": {"name": "x", "config": {"connector.class": SINK, "topics": "t", "topics.regex": "t"}},
    "good": {"name": "side", "config": {**CONFIG, "n": 1, "f": True}},
    "again": {"name": "side", "config": CONFIG},
    "move": {"offsets": [{"partition": {"filename": FILE}, "offset": {"position": 1}}]},
    "impossible": {"offsets": [{"partition": {"filename": FILE}, "offset": {"position": -1}}]},
    "null": {"name": "x", "config": {"connector.class": SOURCE, "topic": "t", "x": None}},
    "letters": {
        "name": "x",
        "config": {"connector.class": SINK, "topics": "t,d", "errors.deadletterqueue.topic.name": "d"},
    },
    "letters-regex": {
        "name": "x",
        "config": {"connector.class": SINK, "topics.regex": "d.*", "errors.deadletterqueue.topic.name": "d"},
    },
    "level": {"level": "BAD"},
}
BEFORE = [("GET", path, None) for path in ("/", "/health", "/connectors", "/connectors?expand=info", "/nothing")] + [
    (method, f"/connectors/none{path}", None)
    for method, path in (
        ("GET", ""), ("GET", "/status"), ("GET", "/config"), ("GET", "/tasks"), ("GET", "/tasks/0/status"),
        ("GET", "/topics"), ("GET", "/offsets"), ("DELETE", "/offsets"), ("DELETE", ""), ("PUT", "/pause"),
        ("PUT", "/resume"), ("PUT", "/stop"), ("POST", "/restart"), ("POST", "/tasks/0/restart"), ("POST", ""),
    )
] + [
    ("POST", "/connectors", name)
    for name in ("no-class", "unknown-class", "mismatch", "bad-number", "no-topic", "no-tasks", "no-name", "broken",
                 "no-topics", "two-topics", "null", "letters", "letters-regex", "good", "again")
]  # fmt: skip
RUNNING = [
    ("GET", "/connectors/side", None),
    ("GET", "/connectors/side/status", None),
    ("GET", "/connectors/side/config", None),
    ("GET", "/connectors?expand=status&expand=info", None),
    ("GET", "/connectors/side/tasks/0/status", None),
    ("GET", "/connectors/side/tasks/7/status", None),
    ("PATCH", "/connectors/side/offsets", "move"),
    ("DELETE", "/connectors/side/offsets", None),
    ("POST", "/connectors/side/tasks/7/restart", None),
    ("GET", "/connector-plugins/None/config", None),
    ("PUT", "/connector-plugins/None/config/validate", None),
    ("PUT", "/admin/loggers/root", "level"),
    ("GET", "/admin/loggers/root", None),
    ("GET", "/admin/loggers/no.such", None),
    ("POST", "/connectors/side/restart", None),
    ("PUT", "/connectors/side/stop", None),
]
STOPPED = [
    ("GET", "/connectors/side/status", None),
    ("GET", "/connectors/side/tasks", None),
    ("PATCH", "/connectors/side/offsets", "move"),
    ("PATCH", "/connectors/side/offsets", "impossible"),
    ("GET", "/connectors/side/offsets", None),
    ("DELETE", "/connectors/side/offsets", None),
    ("GET", "/connectors/side/offsets", None),
    ("DELETE", "/connectors/side", None),
    ("DELETE", "/connectors/side", None),
]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ConnectCalls, ConnectCalls]]:
    reason = connect_apache.available()
    if reason is not None:
        pytest.skip(reason)
    directory: Path = tmp_path_factory.mktemp("side")
    with (
        ApacheKafka(directory / "kafka", jvm_flags=("-Xmx400M",)) as kafka,
        connect_apache.running_apache_connect(kafka.bootstrap, directory / "apache") as url,
        running_connect(kafka.bootstrap, directory) as ours,
    ):
        yield ConnectCalls(url), ours


def test_both_answer_the_same(workers: tuple[ConnectCalls, ConnectCalls]) -> None:
    apache, ours = workers
    differences: list[str] = []
    for steps, state in ((BEFORE, "RUNNING"), (RUNNING, "STOPPED"), (STOPPED, "")):
        for method, path, name in steps:
            body = NAMED[name] if name else {} if method == "PATCH" or path.endswith("/validate") else None
            answers = [worker.call(method, path, body) for worker in (apache, ours)]
            if (method, path, name) in DIFFERENT:
                assert answers[0] != answers[1], f"{method} {path} {name} no longer differs"
            elif _shown(answers[0]) != _shown(answers[1]):
                differences.append(f"{method} {path} {name}: {answers}")
        for worker in (apache, ours) if state else ():
            worker.until_state("side", state)
            for path in ("status", "tasks"):
                worker.until(lambda: _tasks(worker, path), lambda tasks: bool(tasks) is (state == "RUNNING"))  # noqa: B023
    assert differences == []


def _tasks(worker: ConnectCalls, path: str) -> Any:
    answer = worker.get(f"/connectors/side/{path}")[1]
    return answer["tasks"] if path == "status" else answer


def _shown(answer: tuple[int, Any]) -> tuple[int, Any]:
    """Errors by their sentence, the rest by its shape: names and kinds, with texts that both must have."""
    status, body = answer
    return status, body if status >= 400 else _shape(body)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shape(each) for each in value]
    return type(value).__name__
