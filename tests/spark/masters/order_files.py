"""What the connectors of `connectors.json` are given, and what has to come of it, whichever Spark runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.connect_runner import ConnectRunner, Event
from support.topic_records import read

CONFIGS = Path(__file__).with_name("connectors.json")
POISON = (7, 65)
ORDERS = 120


def line(number: int) -> str:
    return "{no order " + str(number) if number in POISON else json.dumps({"id": number, "city": f"c{number % 3}"})


def lines(first: int, last: int) -> str:
    return "".join(line(number) + "\n" for number in range(first, last))


class Orders:
    """A file that becomes a topic that becomes a directory of Parquet and a topic of letters."""

    def __init__(self, runner: ConnectRunner, bootstrap: str, directory: Path, topic: str) -> None:
        self.runner, self.bootstrap, self.directory, self.topic = runner, bootstrap, directory, topic
        text = CONFIGS.read_text().replace("${directory}", str(directory)).replace("${topic}", topic)
        self.configs: dict[str, dict[str, str]] = json.loads(text)
        self.reading = self.writing = 0

    def append(self, first: int, last: int) -> None:
        with (self.directory / "orders.txt").open("a") as file:
            file.write(lines(first, last))

    def start(self) -> None:
        self.reading = self.runner.run("orders-in", self.configs["orders-in"], kind="source")
        self.runner.wait_for(lambda event: event["event"] == "progress", self.reading)
        self.writing = self.runner.run("orders-out", self.configs["orders-out"], kind="sink")

    def stop(self) -> None:
        self.runner.stop("orders-in", self.reading)
        self.runner.stop("orders-out", self.writing)

    def wait(self, count: int) -> None:
        """Until the sink has said that it has done a batch, and the file's records up to here are in its files."""
        self.runner.wait_for(self._reached(count), self.writing)

    def _reached(self, count: int) -> Callable[[Event], bool]:
        good = len([number for number in range(count) if number not in POISON])
        return lambda event: event["event"] == "progress" and len(self.rows()) >= good

    def rows(self) -> list[dict[str, Any]]:
        import pyarrow.parquet as pq

        files = sorted((self.directory / "orders").rglob("*.parquet"))
        rows = [row for file in files for row in pq.read_table(file).to_pylist()]
        return sorted(rows, key=lambda row: int(row["number"]))

    def check(self, count: int) -> None:
        assert [each.value for each in read(self.bootstrap, self.topic)] == [
            line(number).encode() for number in range(count)
        ]
        good = [number for number in range(count) if number not in POISON]
        rows = self.rows()
        assert [(row["number"], row["city"]) for row in rows] == [(number, f"c{number % 3}") for number in good]
        positions = [row["position"] for row in rows]
        assert positions == sorted(set(positions))
        letters = read(self.bootstrap, f"{self.topic}-letters")
        assert [each.value for each in letters] == [line(number).encode() for number in POISON if number < count]
        headers = [dict(each.headers) for each in letters]
        assert {each["__connect.errors.stage"] for each in headers} == {b"VALUE_CONVERTER"}
        assert {each["__connect.errors.topic"] for each in headers} == {self.topic.encode()}
