"""The curl lines that the project's notes give for the REST proxy on port 8082, run as they are written there."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from e2e.kafka_scripts import SOURCES
from e2e.own_loopback import LocalBroker, running_on_usual_ports

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="there is no curl or no jq here"),
]

# The proxy has the name that it has in the notes' set of containers, since its answers contain it.
_PLATFORM = f"""
import os, subprocess, sys, time
from urllib.request import urlopen

sys.path.insert(0, {str(SOURCES)!r})
os.environ["PYTHONPATH"] = {str(SOURCES)!r}
from riacho.testing import KafkaCluster

with KafkaCluster({{"listeners": "PLAINTEXT://localhost:9092"}}):
    settings = ["bootstrap.servers=localhost:9092", "listeners=http://localhost:8082", "host.name=rest-proxy"]
    words = [word for setting in settings for word in ("--override", setting)]
    proxy = subprocess.Popen([sys.executable, "-m", "riacho", "rest-proxy", *words])
    try:
        while proxy.poll() is None:
            try:
                urlopen("http://localhost:8082/health", timeout=5).read()
                break
            except OSError:
                time.sleep(0.05)
        print("ready", flush=True)
        sys.stdin.read()
    finally:
        proxy.terminate()
        proxy.wait()
"""

LIST = 'curl "http://localhost:8082/topics" | jq'
ONE = 'curl "http://localhost:8082/topics/topicgo1" | jq'
PARTITIONS = 'curl "http://localhost:8082/topics/topicgo1/partitions" | jq'
PRODUCE = r"""curl -X POST -H "Content-Type: application/vnd.kafka.json.v2+json" \
      -H "Accept: application/vnd.kafka.v2+json" \
      --data '{"records":[{"value":{"msg":"success 4"}}]}' "http://localhost:8082/topics/topicgo1"
"""
CREATE = r"""curl -X POST -H "Content-Type: application/vnd.kafka.v2+json" \
      --data '{"name": "my_consumer_instance", "format": "json", "auto.offset.reset": "earliest"}' \
      http://localhost:8082/consumers/go_json_consumer
"""
SUBSCRIBE = r"""curl -X POST -H "Content-Type: application/vnd.kafka.v2+json" --data '{"topics":["topicgo1"]}' \
 http://localhost:8082/consumers/go_json_consumer/instances/my_consumer_instance/subscription
"""
CONSUME = r"""curl -X GET -H "Accept: application/vnd.kafka.json.v2+json" \
  http://localhost:8082/consumers/go_json_consumer/instances/my_consumer_instance/records
"""
DELETE = r"""curl -X DELETE -H "Content-Type: application/vnd.kafka.v2+json" \
      http://localhost:8082/consumers/go_json_consumer/instances/my_consumer_instance
"""


@pytest.fixture(scope="module")
def platform() -> Iterator[LocalBroker]:
    with running_on_usual_ports(_PLATFORM, [8082, 9092]) as running:
        yield running


def run(platform: LocalBroker, line: str) -> str:
    done = subprocess.run(
        [*platform.prefix, "bash", "-c", line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(platform: LocalBroker, line: str) -> Any:
    return json.loads(run(platform, line))


def test_the_whole_walk(platform: LocalBroker) -> None:
    assert answer(platform, ONE) == {"error_code": 40401, "message": "Topic not found."}

    produced = answer(platform, PRODUCE)
    assert produced == {
        "offsets": [{"partition": 0, "offset": 0, "error_code": None, "error": None}],
        "key_schema_id": None,
        "value_schema_id": None,
    }
    assert "topicgo1" in answer(platform, LIST)

    partition = {"partition": 0, "leader": 1, "replicas": [{"broker": 1, "leader": True, "in_sync": True}]}
    topic = answer(platform, ONE)
    assert (topic["name"], topic["partitions"]) == ("topicgo1", [partition])
    assert topic["configs"]["cleanup.policy"] == "delete"
    assert answer(platform, PARTITIONS) == [partition]

    # As in the notes.
    assert answer(platform, CREATE) == {
        "instance_id": "my_consumer_instance",
        "base_uri": "http://rest-proxy:8082/consumers/go_json_consumer/instances/my_consumer_instance",
    }
    assert answer(platform, CREATE)["error_code"] == 40902
    assert run(platform, SUBSCRIBE) == ""
    records: list[Any] = []
    for _ in range(30):  # each waits up to a second for the group's first assignment
        records = answer(platform, CONSUME)
        if records:
            break
    assert records == [{"topic": "topicgo1", "key": None, "value": {"msg": "success 4"}, "partition": 0, "offset": 0}]
    assert answer(platform, CONSUME) == []
    assert run(platform, DELETE) == ""
    assert answer(platform, CONSUME) == {"error_code": 40403, "message": "Consumer instance not found."}
