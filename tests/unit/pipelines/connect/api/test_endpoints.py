"""The API of a worker over a broker of the test kit; its connectors are played by the fake runner."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest

from riacho.pipelines.plugin import PLUGIN_VERSION
from riacho.testing import KafkaCluster
from support.connect_fake_plugins import SINK, SOURCE
from support.connect_worker import ConnectWorker, running_connect


@pytest.fixture(scope="module")
def connect(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectWorker]:
    cluster.create_topic("t", partitions=1)
    with running_connect(cluster.bootstrap_servers, tmp_path_factory.mktemp("connect")) as worker:
        yield worker


def refused(status: int, message: str) -> tuple[int, dict[str, object]]:
    return status, {"error_code": status, "message": message}


def test_who_it_is(connect: ConnectWorker) -> None:
    status, answer = connect.get("/")
    assert (status, answer.keys()) == (200, {"version", "commit", "kafka_cluster_id"})
    assert answer["kafka_cluster_id"]
    assert connect.get("/health")[1]["status"] == "healthy"


def test_a_connector_from_its_creation_to_its_end(connect: ConnectWorker) -> None:
    made = connect.create("life", tasks_max="4", fake_tasks="2", batch_size="5")
    assert made["config"]["name"] == "life"
    assert (made["tasks"], made["type"]) == ([], "source")
    status = connect.until_state("life", "RUNNING")
    assert [task["state"] for task in status["tasks"]] == ["RUNNING", "RUNNING"]
    assert status["connector"]["worker_id"] == f"127.0.0.1:{connect.port}"
    tasks = connect.until(lambda: connect.get("/connectors/life/tasks")[1], lambda found: len(found) == 2)
    assert tasks[1]["id"] == {"connector": "life", "task": 1}
    assert connect.get("/connectors/life/tasks/1/status")[1]["state"] == "RUNNING"
    assert "life" in connect.get("/connectors")[1]
    expanded = connect.get("/connectors?expand=status&expand=info")[1]["life"]
    assert expanded["status"]["connector"]["state"] == "RUNNING"
    assert expanded["info"] == connect.get("/connectors/life")[1]
    assert connect.call("PUT", "/connectors/life/pause") == (202, None)
    assert [task["state"] for task in connect.until_state("life", "PAUSED")["tasks"]] == ["PAUSED", "PAUSED"]
    assert connect.call("PUT", "/connectors/life/resume") == (202, None)
    connect.until_state("life", "RUNNING")
    assert connect.call("PUT", "/connectors/life/stop") == (204, None)
    stopped = connect.until_state("life", "STOPPED")
    assert stopped["tasks"] == []
    assert stopped["connector"]["version"] == status["connector"]["version"]
    assert connect.get("/connectors/life/tasks") == (200, [])
    assert connect.call("DELETE", "/connectors/life") == (204, None)
    assert connect.get("/connectors/life") == refused(404, "Connector life not found")
    connect.until(lambda: connect.get("/connectors/life/status")[0], lambda status: status == 404)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream", "text/json", None]
)
def test_a_body_that_does_not_say_that_it_is_json_makes_nothing(connect: ConnectWorker, kind: str | None) -> None:
    caller = http.client.HTTPConnection("127.0.0.1", connect.port, timeout=30)
    body = json.dumps({"name": "page", "config": {"connector.class": SOURCE, "topic": "t"}})
    head = {} if kind is None else {"Content-Type": kind}
    for method, path in (("POST", "/connectors"), ("PUT", "/connectors/page/config")):
        caller.request(method, path, body, head)
        answer = caller.getresponse()
        assert (answer.status, json.loads(answer.read())["message"]) == (415, "HTTP 415 Unsupported Media Type")
    caller.request("POST", "/connectors", body, {"Content-Type": "application/json", "Origin": "http://evil.example"})
    assert caller.getresponse().status == 403
    caller.close()
    assert connect.get("/connectors/page")[0] == 404


def test_values_become_text_and_names_may_have_anything(connect: ConnectWorker) -> None:
    config = {"connector.class": SOURCE, "topic": "t", "batch.size": 100, "flag": True, "rate": 1.5}
    body = {"name": " a/b c ", "config": config, "initial_state": "STOPPED"}
    status, made = connect.call("POST", "/connectors", body)
    assert status == 201
    assert made["config"] == {
        "connector.class": SOURCE,
        "topic": "t",
        "batch.size": "100",
        "flag": "true",
        "rate": "1.5",
        "name": "a/b c",
    }
    assert connect.get("/connectors/a%2Fb%20c/config") == (200, made["config"])
    assert connect.until_state("a/b c", "STOPPED")["connector"]["version"]


def test_a_new_connector_has_no_null_values(connect: ConnectWorker) -> None:
    config = {"connector.class": SOURCE, "topic": "t", "file": None}
    status, answer = connect.call("POST", "/connectors", {"name": "null", "config": config})
    assert status == 400
    assert "following 1 error(s):\nNull value can not be supplied as the configuration value.\n" in answer["message"]
    assert connect.get("/connectors/null")[0] == 404


def test_a_plugin_is_asked_for_by_name_and_version(connect: ConnectWorker) -> None:
    path = "/connector-plugins/FileStreamSource/config"
    assert connect.get("/connector-plugins/x/config") == refused(404, "Unknown plugin x.")
    for version in ("", "?version=", "?version=latest", f"?version={PLUGIN_VERSION}", "?version=%5B0.0.1,9.0)"):
        assert connect.get(path + version)[0] == 200
    told = "Plugin FileStreamSource not found that matches the version range [99.0,99.0], available versions: "
    assert connect.get(f"{path}?version=99.0") == refused(400, f"{told}[{PLUGIN_VERSION}]")


def test_configs_are_put_and_patched(connect: ConnectWorker) -> None:
    path = "/connectors/changed/config"
    given = {"connector.class": SOURCE, "topic": "t", "k": "v"}
    assert connect.call("PUT", path, given)[0] == 201
    first = connect.until_state("changed", "RUNNING")
    assert first["type"] == "source"
    assert connect.call("PUT", path, {**given, "topic": "other"})[0] == 200
    status, answer = connect.call("PATCH", path, {"k": None, "more": 1})
    assert (status, answer["config"]) == (
        200,
        {"connector.class": SOURCE, "topic": "other", "name": "changed", "more": "1"},
    )
    assert connect.call("PATCH", path, {"topic": None})[0] == 400
    assert connect.call("PATCH", "/connectors/none/config", {}) == refused(404, "Connector none not found")
    assert connect.call("DELETE", "/connectors/changed")[0] == 204


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "x"}, "contains no connector type"),
        ({"name": "x", "config": {"connector.class": "no.Such"}}, "Failed to find any class that implements Connector"),
        ({"name": "x", "config": {"connector.class": SOURCE, "name": "y"}}, "doesn't match connector name in the URL"),
        ({"name": "x", "config": {"connector.class": SOURCE}}, 'Missing required configuration "topic"'),
        ({"name": "", "config": {"connector.class": SOURCE, "topic": "t"}}, "String may not be empty"),
        ({"name": "x", "config": {}, "initial_state": "ODD"}, "initial_state"),
        ({"name": "x", "config": {"a": {"b": 1}}}, "config"),
        (b"{oops", "not valid JSON"),
    ],
)
def test_what_cannot_be_created(connect: ConnectWorker, body: object, message: str) -> None:
    status, answer = connect.call("POST", "/connectors", body)
    assert (status, answer["error_code"]) == (400, 400)
    assert message in answer["message"]


def test_what_is_not_there(connect: ConnectWorker) -> None:
    for method, path, message in (
        ("GET", "/status", "No status found for connector none"),
        ("GET", "/tasks/0/status", "No status found for task none-0"),
        ("PUT", "/pause", "Unknown connector none"),
        ("POST", "/restart", "Unknown connector: none"),
        ("POST", "/tasks/0/restart", "Unknown connector: none"),
        ("GET", "/offsets", "Connector none not found"),
        ("DELETE", "/offsets", "Connector none not found"),
        ("DELETE", "", "Connector none not found"),
    ):
        assert connect.call(method, f"/connectors/none{path}") == refused(404, message)
    assert connect.get("/nothing") == refused(404, "HTTP 404 Not Found")


def test_one_that_fails_leaves_the_others_alone(connect: ConnectWorker) -> None:
    connect.create("well")
    connect.create("ill", fake_fail="The database is not there.")
    found = connect.until_state("ill", "FAILED")
    assert found["connector"]["trace"] == "The database is not there."
    connect.create("half", tasks_max="2", fake_fail="poison", fake_fail_task="1")
    half = connect.until(lambda: connect.status("half"), lambda found: len(found["tasks"]) == 2)
    assert (half["connector"]["state"], half["tasks"][1]["state"]) == ("RUNNING", "FAILED")
    assert half["tasks"][1]["trace"] == "poison"
    assert connect.until_state("well", "RUNNING")["tasks"]
    assert connect.call("POST", "/connectors/ill/restart?onlyFailed=true")[1]["connector"]["state"] == "RESTARTING"
    assert connect.call("POST", "/connectors/well/restart?onlyFailed=true")[1]["connector"]["state"] == "RUNNING"
    status, told = connect.call("POST", "/connectors/well/restart?includeTasks=true")
    assert (status, [task["state"] for task in told["tasks"]]) == (202, ["RESTARTING"])
    connect.until_state("well", "RUNNING")
    connect.until(lambda: connect.get("/connectors/well/tasks")[1], bool)
    assert connect.call("POST", "/connectors/well/restart") == (204, None)
    assert connect.call("POST", "/connectors/well/tasks/0/restart") == (204, None)
    assert connect.call("POST", "/connectors/well/tasks/7/restart") == refused(404, "Unknown task: well-7")
    for name in ("well", "ill", "half"):
        assert connect.call("DELETE", f"/connectors/{name}")[0] == 204


def test_offsets_of_a_source(connect: ConnectWorker) -> None:
    path = "/connectors/far/offsets"
    connect.create("far", fake_rows="8")
    there = [{"partition": {"filename": "f"}, "offset": {"position": 8}}]
    connect.until(lambda: connect.get(path)[1], lambda found: found == {"offsets": there})
    assert connect.until(lambda: connect.get("/connectors/far/topics")[1]["far"]["topics"], bool) == ["t"]
    moved = {"offsets": [{"partition": {"filename": "f"}, "offset": {"position": 3}}]}
    assert connect.call("PATCH", path, moved)[0] == 400
    assert connect.call("PUT", "/connectors/far/stop")[0] == 204
    assert connect.call("PATCH", path, {"offsets": []})[0] == 400
    for offset, told in (({"position": -1}, "non-negative"), ({"position": "x"}, "a Long"), ({}, "the key 'position'")):
        impossible = {"offsets": [{"partition": {"filename": "f"}, "offset": offset}]}
        status, answer = connect.call("PATCH", path, impossible)
        assert status == 400
        assert told in answer["message"]
    assert connect.call("PATCH", path, moved) == (
        200,
        {"message": "The offsets for this connector have been altered successfully"},
    )
    assert connect.get(path) == (200, moved)
    assert connect.call("DELETE", path)[0] == 200
    assert connect.get(path) == (200, {"offsets": []})
    assert connect.call("PUT", "/connectors/far/topics/reset") == (202, None)
    assert connect.get("/connectors/far/topics") == (200, {"far": {"topics": []}})


def test_a_connector_that_is_made_again_goes_on_where_the_deleted_one_was(connect: ConnectWorker) -> None:
    connect.create("again", fake_rows="7")
    path = "/connectors/again/offsets"
    there = connect.until(lambda: connect.get(path)[1], lambda found: bool(found["offsets"]))
    assert connect.call("DELETE", "/connectors/again") == (204, None)
    connect.until(lambda: connect.get("/connectors/again/status")[0], lambda status: status == 404)
    config = {"connector.class": SOURCE, "topic": "t"}
    made = {"name": "again", "config": config, "initial_state": "STOPPED"}
    assert connect.call("POST", "/connectors", made)[0] == 201
    assert connect.get(path) == (200, there)
    connect.until_state("again", "STOPPED")
    assert connect.call("DELETE", path)[0] == 200
    assert connect.get(path) == (200, {"offsets": []})


def test_offsets_of_a_sink_are_those_of_its_group(connect: ConnectWorker) -> None:
    path = "/connectors/sunk/offsets"
    connect.create("sunk", SINK, fake_rows="0")

    def at(offset: int) -> dict[str, object]:
        where = {"kafka_topic": "t", "kafka_partition": 0}
        return {"offsets": [{"partition": where, "offset": {"kafka_offset": offset}}]}

    connect.until(lambda: connect.get(path)[1], lambda found: found == at(0))
    assert connect.call("PUT", "/connectors/sunk/stop")[0] == 204
    wrong = {"offsets": [{"partition": {"topic": "t"}, "offset": None}]}
    assert "must contain the keys" in connect.call("PATCH", path, wrong)[1]["message"]
    for where in ({"kafka_topic": "t", "kafka_partition": 99}, {"kafka_topic": "none", "kafka_partition": 0}):
        nowhere = {"offsets": [{"partition": where, "offset": {"kafka_offset": 1}}]}
        assert connect.call("PATCH", path, nowhere)[0] == 400
    assert connect.call("PATCH", path, at(-1))[0] == 400
    assert connect.call("PATCH", path, at(5))[0] == 200
    assert connect.get(path) == (200, at(5))
    assert connect.call("DELETE", path)[0] == 200
    assert connect.get(path) == (200, {"offsets": []})
    assert connect.call("DELETE", "/connectors/sunk")[0] == 204


def test_plugins(connect: ConnectWorker) -> None:
    assert [each["class"] for each in connect.get("/connector-plugins")[1]] == [SINK, SOURCE]
    assert len(connect.get("/connector-plugins?connectorsOnly=false")[1]) > 2
    assert connect.get("/connector-plugins/FileStreamSource/config")[0] == 200
    assert connect.get("/connector-plugins/None/config")[0] == 400
    path = "/connector-plugins/FileStreamSource/config/validate"
    status, answer = connect.call("PUT", path, {"connector.class": SOURCE, "name": "x"})
    assert (status, answer["error_count"], answer["name"]) == (200, 1, "FileStreamSource")
    assert connect.call("PUT", path, {"connector.class": SINK}) == refused(
        400, f"Included connector type {SINK} does not match request type FileStreamSource"
    )


def test_loggers(connect: ConnectWorker) -> None:
    assert connect.get("/admin/loggers/root")[1]["level"] == "INFO"
    assert connect.call("PUT", "/admin/loggers/some.thing", {"level": "debug"}) == (200, ["some.thing"])
    assert connect.get("/admin/loggers/some.thing")[1]["level"] == "DEBUG"
    assert connect.call("PUT", "/admin/loggers/some?scope=cluster", {"level": "WARN"}) == (204, None)
    connect.until(lambda: connect.get("/admin/loggers/some.thing")[1]["level"], lambda level: level == "WARN")
    assert connect.get("/admin/loggers/no.such") == refused(404, "Logger no.such not found.")
    assert connect.call("PUT", "/admin/loggers/root", {"level": "BAD"}) == refused(404, "invalid log level 'BAD'.")
    assert connect.call("PUT", "/admin/loggers/root", {})[0] == 400


def test_the_description_has_every_endpoint(connect: ConnectWorker) -> None:
    paths = connect.get("/openapi.json")[1]["paths"]
    assert {"/connectors/{connector}/offsets", "/admin/loggers/{logger}", "/pipelines", "/metrics"} <= paths.keys()
