"""A runner without Spark: speaks the JSON lines of `pipelines/connect/runner` and plays what configs ask for.

Settings of a fake connector's config:
    fake.tasks=N         how many tasks it says it has (at most tasks.max)
    fake.fail=TEXT       fails with this trace instead of running; `fake.fail.task=N` says that it was a task
    fake.die=true        the whole runner ends when this connector is started
    fake.die.once=FILE   the same, unless the file is there already
    fake.wait=TEXT       is prepared, does not start, and says that it is at this
    fake.rows=N          one batch of so many rows is reported after the start
    fake.say=LINE        says this line as it stands after the start
Every command it gets, but for those that only say that the worker is alive, is appended to the file named by
RIACHO_FAKE_RUNNER_LOG, if that is set.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from riacho.pipelines.spark_child.lifeline import Lifeline

FAKE_UI = "http://127.0.0.1:40404"


def say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


def start(command: dict[str, Any], running: dict[str, int]) -> None:
    name, generation, configs = command["name"], command["generation"], command["configs"]
    whose = {"name": name, "generation": generation}
    once = configs.get("fake.die.once")
    if configs.get("fake.die") == "true" or (once and not Path(once).exists()):
        if once:
            Path(once).touch()
        print(f"the fake runner ends because of {name} {configs.get('password', '')}", file=sys.stderr, flush=True)
        os._exit(3)
    if configs.get("fake.log"):
        say(event="log", level="WARN", message=configs["fake.log"])
    if "fake.wait" in configs:
        say(event="prepared", **whose, tasks=min(int(configs.get("fake.tasks", "1")), command["tasks_max"]))
        say(event="doing", **whose, what=configs["fake.wait"])
        return
    if "fake.fail" in configs:
        task = configs.get("fake.fail.task")
        say(event="failed", **whose, task=None if task is None else int(task), trace=configs["fake.fail"])
        return
    running[name] = generation
    tasks = min(int(configs.get("fake.tasks", "1")), command["tasks_max"])
    say(event="running", **whose, tasks=tasks)
    if "fake.rows" in configs:
        progress(command, int(configs["fake.rows"]))
    if "fake.say" in configs:
        print(configs["fake.say"], flush=True)


def progress(command: dict[str, Any], rows: int) -> None:
    whose = {"name": command["name"], "generation": command["generation"]}
    if command["type"] == "sink":
        topic = command["configs"]["topics"]
        offsets = [{"partition": {"kafka_topic": topic, "kafka_partition": 0}, "offset": {"kafka_offset": rows}}]
        topics, lag = [topic], {topic: {"0": 7}}
    else:
        topic = command["configs"].get("topic", "t")
        offsets, topics, lag = [{"partition": {"filename": "f"}, "offset": {"position": rows}}], [topic], None
    say(
        event="progress",
        **whose,
        batch_id=0,
        rows=rows,
        rows_per_second=float(rows),
        batch_ms=12,
        lag=lag,
        state_rows=3,
        state_bytes=4096,
        topics=topics,
        offsets=offsets,
    )
    say(event="errors", **whose, total=2, dead_letters=1, skipped=1)


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    ui = FAKE_UI if settings["spark"].get("spark.ui.enabled") == "true" else None
    say(event="ready", spark="fake", master="none", ui=ui)
    log = os.environ.get("RIACHO_FAKE_RUNNER_LOG")
    running: dict[str, int] = {}
    for line in Lifeline(sys.stdin, settings["silence_ms"] / 1000):
        command = json.loads(line)
        if log:
            with Path(log).open("a") as file:
                file.write(json.dumps({"pid": os.getpid(), "settings": settings, **command}) + "\n")
        match command["do"]:
            case "start":
                start(command, running)
            case "stop":
                running.pop(command["name"], None)
                say(event="stopped", name=command["name"], generation=command["generation"])
            case "quit":
                return


if __name__ == "__main__":
    main()
