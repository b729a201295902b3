"""Connectors by this project's own worker: a form, a trial, life and offsets; and secrets that never leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from riacho.console.services.connector_secrets import HIDDEN, Secrets
from support.connect_fake_plugins import SINK, SOURCE
from support.connect_worker import ConnectWorker
from support.control_center import CLUSTER, ControlCenterService

CONNECTORS, PLUGINS = f"{CLUSTER}/connectors", f"{CLUSTER}/connector-plugins"


def create(console: ControlCenterService, name: str, kind: str = SOURCE, **config: str) -> None:
    """Underscores in names of settings are dots."""
    given = {"connector.class": kind, "topics" if kind == SINK else "topic": "t"}
    given |= {key.replace("_", "."): value for key, value in config.items()}
    answer = console.post(CONNECTORS, {"name": name, "config": given})
    assert answer.status_code == 201, answer.text


def page(console: ControlCenterService, name: str) -> Any:
    return console.get(f"{CONNECTORS}/{quote(name, safe='')}").json()


def row(console: ControlCenterService, name: str) -> Any:
    return next(each for each in console.get(f"{CONNECTORS}?q={name}").json()["items"] if each["name"] == name)


def test_a_form_from_the_definition_and_a_trial(with_connect: ControlCenterService) -> None:
    plugins = with_connect.get(PLUGINS).json()
    assert {each["class"]: each["type"] for each in plugins} == {SOURCE: "source", SINK: "sink"}
    form = with_connect.get(f"{PLUGINS}/{SOURCE}").json()
    assert form["class"] == SOURCE
    settings = {each["name"]: each for each in form["settings"]}
    assert (settings["topic"]["required"], settings["topic"]["type"]) == (True, "STRING")
    assert settings["password"]["type"] == "PASSWORD"
    trial = with_connect.post(f"{PLUGINS}/{SOURCE}/validate", {"config": {"name": "x", "batch.size": "many"}}).json()
    errors = {each["value"]["name"]: each["value"]["errors"] for each in trial["configs"] if each["value"]["errors"]}
    assert errors.keys() == {"topic", "batch.size"}
    assert trial["error_count"] == 2
    assert with_connect.get(f"{PLUGINS}/no.such.Class").status_code in (400, 404)


def test_a_trial_never_tells_a_password(with_connect: ControlCenterService) -> None:
    config = {"name": "x", "topic": "t", "password": "s3cret-word"}
    answer = with_connect.post(f"{PLUGINS}/{SOURCE}/validate", {"config": config})
    assert "s3cret-word" not in answer.text
    value = next(each["value"] for each in answer.json()["configs"] if each["value"]["name"] == "password")
    assert value["value"] in (HIDDEN, "[hidden]")


def test_what_a_connector_is_at(with_connect: ControlCenterService, connect: ConnectWorker) -> None:
    create(with_connect, "well", fake_tasks="2", tasks_max="2", fake_rows="5")
    connect.until_state("well", "RUNNING")
    connect.until(lambda: page(with_connect, "well"), lambda found: len(found["tasks"]) == 2)
    found = page(with_connect, "well")
    assert (found["type"], found["class"], found["state"], found["trace"]) == ("source", SOURCE, "RUNNING", None)
    connect.until(lambda: row(with_connect, "well"), lambda each: each["tasks_running"] == 2)
    connect.until(lambda: page(with_connect, "well")["topics"], lambda topics: topics == ["t"])
    pipelines = with_connect.get(f"{CLUSTER}/pipelines").json()
    shown = next(each for each in pipelines["items"] if each["name"] == "well")
    assert (shown["kind"], shown["rows"], shown["batch_ms"], shown["state_rows"]) == ("connector", 5, 12, 3)
    assert (shown["state_bytes"], shown["spark_ui"]) == (4096, "http://127.0.0.1:40404")
    assert pipelines["problems"] == []


def test_pipelines_are_kept_over_time(with_connect: ControlCenterService, connect: ConnectWorker) -> None:
    create(with_connect, "measured", fake_tasks="1", fake_rows="5")
    connect.until_state("measured", "RUNNING")

    def figures() -> Any:
        return [each for each in with_connect.get(f"{CLUSTER}/pipelines").json()["items"] if each["name"] == "measured"]

    connect.until(figures, lambda found: found and found[0]["batch_ms"] is not None)
    for _ in range(2):
        with_connect.look()
        with_connect.thread.run(_measured(with_connect))
    series = quote('pipeline_batch_ms{name="measured"}')
    [found] = with_connect.get(f"{CLUSTER}/metrics?series={series}").json()["series"]
    assert found["labels"] == {"kind": "connector", "name": "measured"}
    assert {value for _, value in found["points"]} == {None, 12.0}
    rate = quote('pipeline_rows_per_s{kind="connector",name="measured"}')
    [found] = with_connect.get(f"{CLUSTER}/metrics?series={rate}").json()["series"]
    assert {value for _, value in found["points"]} == {None, 0.0}, "nothing came between the looks"


async def _measured(console: ControlCenterService) -> None:
    """The look that there was, as of another ten seconds than the last one that was kept."""
    watch, history = console.cluster.watch, console.center.parts.history.of("default")
    await history.settled()
    assert watch.picture is not None
    picture = watch.picture
    late_ms = vars(console).get("late_ms", picture.as_of_ms - 60_000) + 10_000
    vars(console)["late_ms"] = late_ms
    watch.picture = replace(picture, as_of_ms=late_ms)
    history.looked(watch)
    watch.picture = picture
    await history.settled()


def test_a_task_that_failed_tells_why_and_nothing_secret(
    with_connect: ControlCenterService, connect: ConnectWorker
) -> None:
    trace = "java.lang.Boom: jdbc:x://ann:hunter22@db failed with topsecret\n\tat somewhere"
    create(with_connect, "ill", SINK, fake_fail=trace, fake_fail_task="0", my_token="topsecret",
           errors_deadletterqueue_topic_name="dead")  # fmt: skip
    connect.until(lambda: page(with_connect, "ill")["tasks"], lambda tasks: tasks and tasks[0]["state"] == "FAILED")
    found = page(with_connect, "ill")
    assert "java.lang.Boom" in found["tasks"][0]["trace"]
    assert "somewhere" in found["tasks"][0]["trace"]
    assert "hunter22" not in str(found)
    assert "topsecret" not in str(found["tasks"])
    assert found["config"]["my.token"] == HIDDEN
    assert found["dead_letters_topic"] == "dead"
    shown = row(with_connect, "ill")
    assert (shown["tasks_failed"], shown["dead_letters_topic"]) == (1, "dead")
    assert shown["problem"].startswith("java.lang.Boom")
    assert "hunter22" not in shown["problem"]
    assert "somewhere" not in shown["problem"]
    pipelines = with_connect.get(f"{CLUSTER}/pipelines").json()["items"]
    told = next(each for each in pipelines if each["name"] == "ill")
    assert (shown["state"], told["state"]) == ("RUNNING", "FAILED"), "the connector runs on, what it does does not"
    assert "hunter22" not in told["problem"]


def test_secrets_stay_what_they_were_when_a_config_comes_back(
    with_connect: ControlCenterService, connect: ConnectWorker
) -> None:
    create(with_connect, "kept", password="first-word", file="a")
    found = page(with_connect, "kept")
    assert (found["config"]["password"], found["hidden"]) == (HIDDEN, ["password"])
    config = {**found["config"], "file": "b"}
    assert with_connect.call("PUT", f"{CONNECTORS}/kept", {"config": config}).status_code == 204
    stored = connect.get("/connectors/kept/config")[1]
    assert (stored["password"], stored["file"]) == ("first-word", "b")
    entry = with_connect.get("/api/v1/audit?q=kept").json()["items"][0]
    assert entry["notes"]["changed"] == "file"
    with_connect.call("PUT", f"{CONNECTORS}/kept", {"config": {**config, "password": "second-word"}})
    assert connect.get("/connectors/kept/config")[1]["password"] == "second-word"
    assert "second-word" not in with_connect.get("/api/v1/audit").text


def test_pause_resume_stop_restart_offsets_delete(with_connect: ControlCenterService, connect: ConnectWorker) -> None:
    create(with_connect, "moved", fake_rows="9", file="f")
    connect.until_state("moved", "RUNNING")
    one = f"{CONNECTORS}/moved"
    for verb, state in (("pause", "PAUSED"), ("resume", "RUNNING")):
        assert with_connect.post(f"{one}/{verb}").status_code == 204
        connect.until_state("moved", state)
    assert with_connect.post(f"{one}/restart", {"include_tasks": True}).status_code == 204
    assert with_connect.post(f"{one}/restart").status_code == 204
    connect.until_state("moved", "RUNNING")
    assert with_connect.post(f"{one}/tasks/0/restart").status_code == 204
    connect.until(lambda: with_connect.get(f"{one}/offsets").json()["offsets"], bool)
    refused = with_connect.patch(f"{one}/offsets", {"offsets": [{"partition": {"filename": "f"}, "offset": None}]})
    assert refused.status_code == 400, "it is not stopped"
    assert with_connect.post(f"{one}/stop").status_code == 204
    connect.until_state("moved", "STOPPED")
    pair = {"partition": {"filename": "f"}, "offset": {"position": 3}}

    def moves() -> int:
        return with_connect.patch(f"{one}/offsets", {"offsets": [pair]}).status_code

    connect.until(moves, lambda status: status == 200)
    assert with_connect.get(f"{one}/offsets").json()["offsets"] == [pair]
    assert with_connect.delete(f"{one}/offsets").status_code == 200
    assert with_connect.get(f"{one}/offsets").json()["offsets"] == []
    assert with_connect.delete(one).status_code == 204
    assert with_connect.get(one).status_code == 404
    assert with_connect.get(f"{CONNECTORS}?q=moved").json()["total"] == 0


def test_what_is_refused_is_told_in_the_workers_words(with_connect: ControlCenterService) -> None:
    wrong = with_connect.post(CONNECTORS, {"name": "none", "config": {"connector.class": SOURCE}})
    assert wrong.status_code == 400
    assert "topic" in wrong.json()["message"]
    assert with_connect.post(CONNECTORS, {"name": "", "config": {}}).status_code == 422
    assert with_connect.patch(f"{CONNECTORS}/x/offsets", {"offsets": []}).status_code == 422


def test_names_with_everything_in_them(with_connect: ControlCenterService, connect: ConnectWorker) -> None:
    name = "a/b ?c=d&<b>#%"
    create(with_connect, name)
    connect.until_state(name, "RUNNING")
    assert page(with_connect, name)["name"] == name
    assert with_connect.delete(f"{CONNECTORS}/{quote(name, safe='')}").status_code == 204


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("database.password", "hunter2", HIDDEN),
        ("database.password", "${file:/x:password}", "${file:/x:password}"),
        ("database.password", "", ""),
        ("aws.access.key.id", "AKIA", HIDDEN),
        ("odd.name", "typed-as-password", HIDDEN),
        ("connection.url", "jdbc:postgresql://ann:pw1234@db/x", f"jdbc:postgresql://ann:{HIDDEN}@db/x"),
        ("connection.url", "jdbc:sqlserver://db;user=a;password=pw1234;x=1", f"jdbc:sqlserver://db;user=a;password={HIDDEN};x=1"),
        ("file", "/tmp/a", "/tmp/a"),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_setting(name: str, value: str, shown: str) -> None:
    secrets = Secrets({name: value}, {"odd.name"})
    assert secrets.shown() == {name: shown}
    assert secrets.hidden() == ([name] if shown != value else [])
    assert secrets.restored({name: shown}) == {name: value}
    assert secrets.restored({"file.copy": shown}) == {"file.copy": shown}


def test_without_a_definition_only_the_harmless_is_shown() -> None:
    secrets = Secrets({"connector.class": "X", "file": "a", "topics": "t"}, None)
    assert secrets.shown() == {"connector.class": "X", "file": HIDDEN, "topics": "t"}
