"""A search of the console's message browser, as a page sees it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import urlencode

from support.control_center import CLUSTER, ControlCenterService


class Found(NamedTuple):
    messages: list[dict[str, Any]]
    progress: dict[str, Any]
    problems: list[str]
    done: str

    @property
    def places(self) -> list[tuple[int, int]]:
        return [(each["partition"], each["offset"]) for each in self.messages]

    @property
    def values(self) -> list[str | None]:
        return [each["value"] for each in self.messages]


def events_of(text: str) -> list[tuple[str, Any]]:
    parsed = []
    for block in text.split("\n\n"):
        if block.strip():
            event, data = block.split("\n")
            parsed.append((event.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return parsed


def search(console: ControlCenterService, topic: str, **query: Any) -> Found:
    """`origin` stands for `from`."""
    query = {("from" if name == "origin" else name): value for name, value in query.items()}
    answer = console.get(f"{CLUSTER}/topics/{topic}/messages?{urlencode(query, doseq=True)}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/event-stream"
    told = events_of(answer.text)
    named: dict[str, list[Any]] = {"message": [], "progress": [], "problem": [], "done": []}
    for name, data in told:
        named[name].append(data)
    assert told[-1][0] == "done"
    [done] = named["done"]
    return Found(named["message"], named["progress"][-1], [p["message"] for p in named["problem"]], done["reason"])
