"""A runner without Spark: speaks the JSON lines of `pipelines/sql/runner` and plays what names of queries ask for.

A persistent query, by its id:
    ..FAILS_FOR_GOOD..   fails, and trying again would not help
    ..FAILS_TWICE..      fails in its first two generations, for what may pass
    ..DIES_ONCE..        the whole runner ends in its first generation
    ..SAYS_NONSENSE..    a line that is no event, in its first generation
    else                 runs, and tells of one micro-batch: seven records, two of them left out
A push query, by its statement: `NEVER` gives no row, `FLOOD` more than anybody reads, `FAILS`, `DIES`,
`DELETES` one row and its tombstone; else three rows.
What is to be evaluated is 42 in every column; DIES ends the runner, FAILS is an error.

Every command is appended to the file named by RIACHO_FAKE_RUNNER_LOG, if that is set.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

from riacho.pipelines.spark_child.lifeline import Lifeline

FAKE_UI = "http://127.0.0.1:40404"


def say(**event: Any) -> None:
    print(json.dumps(event), flush=True)


def end(why: str) -> None:
    print(f"the fake runner ends because of {why}", file=sys.stderr, flush=True)
    os._exit(3)


def failed(whose: dict[str, Any], sentence: str, is_user_error: bool) -> None:
    say(event="failed", **whose, sentence=sentence, trace=sentence, is_user_error=is_user_error)


def start_query(command: dict[str, Any]) -> None:
    query_id, generation = command["query_id"], command["generation"]
    whose = {"query_id": query_id, "generation": generation}
    if "://" not in command["checkpoint"]:
        Path(command["checkpoint"]).mkdir(parents=True, exist_ok=True)
    if "FAILS_FOR_GOOD" in query_id:
        return failed(whose, "It cannot be done.", True)
    if "FAILS_TWICE" in query_id and generation <= 2:
        return failed(whose, "Not now.", False)
    if "DIES_ONCE" in query_id and generation == 1:
        end(query_id)
    if "SAYS_NONSENSE" in query_id and generation == 1:
        print("nonsense", flush=True)
        return None
    say(event="running", **whose)
    say(
        event="progress", **whose, batch_id=0, rows=7, rows_per_second=7.0, batch_ms=12, dropped=2,
        offsets={"s": {"0": 7}}, lag={"s": {"0": 3}}, state_rows=5, state_bytes=8192,
    )  # fmt: skip
    return None


def start_push(command: dict[str, Any]) -> None:
    whose = {"query_id": command["query_id"], "generation": command["generation"]}
    plan = command["plan"]
    statement = json.dumps(plan).upper()
    names = [name for name, _ in plan["write"]["value"]["columns"]] + [
        name for name, _ in plan["write"]["key"]["columns"]
    ]
    row = json.dumps({"k": None, "v": json.dumps(dict.fromkeys(names, "x"))})
    if "DIES" in statement:
        end("a push query")
    if "FAILS" in statement:
        return failed(whose, "It cannot be pushed.", True)
    if "FLOOD" in statement:
        large = json.dumps({"k": None, "v": json.dumps(dict.fromkeys(names, "x" * 1_000))})
        for _ in range(400):
            say(event="rows", **whose, rows=[large] * 100)
    elif "DELETES" in statement:
        key = json.dumps({name: "x" for name, _ in plan["write"]["key"]["columns"]})
        say(event="rows", **whose, rows=[row, json.dumps({"k": key, "v": None})])
    elif "NEVER" not in statement:
        say(event="rows", **whose, rows=[row] * 3)
    return None


def evaluate(command: dict[str, Any]) -> None:
    if "DIES" in command["answer"]:
        end("an expression")
    if "FAILS" in command["answer"]:
        return say(event="evaluated", request_id=command["request_id"], rows=[], error="It cannot be evaluated.")
    names = sorted(set(re.findall(r"\bC\d+\b", command["answer"])))
    return say(
        event="evaluated",
        request_id=command["request_id"],
        rows=[json.dumps(dict.fromkeys(names, 42)) for _ in command["rows"]],
        error=None,
    )


def main() -> None:
    settings = json.loads(sys.stdin.readline())
    ui = FAKE_UI if settings["spark"].get("spark.ui.enabled") == "true" else None
    say(event="ready", spark="fake", master="none", ui=ui)
    log = os.environ.get("RIACHO_FAKE_RUNNER_LOG")
    for line in Lifeline(sys.stdin, settings["silence_ms"] / 1000):
        command = json.loads(line)
        if log:
            with Path(log).open("a") as file:
                file.write(json.dumps({"pid": os.getpid(), "at": time.time(), **command}) + "\n")
        match command["do"]:
            case "startquery":
                start_query(command)
            case "startpush":
                start_push(command)
            case "evaluate":
                evaluate(command)
            case "deletecheckpoints":
                say(event="checkpointsdeleted")
            case "stopquery":
                say(event="stopped", query_id=command["query_id"], generation=command["generation"])
            case "quit":
                return


if __name__ == "__main__":
    main()
