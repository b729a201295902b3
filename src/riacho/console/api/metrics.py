"""Figures over time, from the console's own history: 10 s steps for two hours, minutes for a day."""

from __future__ import annotations

import asyncio
import re

import msgspec
from starlette.responses import Response

from riacho.console.parts import Parts
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_SERIES_MAX = 50
_POINTS_MAX = 1_500
_DAY_MS = 24 * 60 * 60_000
_HOUR_MS = 60 * 60_000
_NAME = re.compile(r"([a-z_]{1,64})(?:\{(.*)\})?", re.DOTALL)
_LABEL = re.compile(r'\s*([a-z_]{1,32})="((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class Series(msgspec.Struct):
    """`points`: time in ms and value; null where nothing is known of that time."""

    name: str
    labels: dict[str, str]
    points: list[tuple[int, float | None]]


class Metrics(msgspec.Struct):
    series: list[Series]
    from_ms: int
    to_ms: int
    step_ms: int
    # How many series there were besides.
    left_out: int = 0


class MetricNames(msgspec.Struct):
    names: list[str]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        history = parts.history.of(parts.clusters.of(call).id)
        wanted = [_parsed(text) for text in call.texts("series")]
        now_ms = parts.door.now_ms()
        if not wanted:
            return json_answer(MetricNames(sorted({_parsed(name)[0] for name in history.ring.names()})))
        to_ms = min(call.integer("to", now_ms), now_ms)
        from_ms = max(call.integer("from", to_ms - _HOUR_MS), to_ms - _DAY_MS)
        if from_ms > to_ms:
            raise ApiError(400, 40001, "The time that `from` names is after the one that `to` names.")
        step_ms = max(call.integer("step", 0), (to_ms - from_ms) // _POINTS_MAX, 10_000)
        found = [(name, parsed) for name in history.ring.names() if _matches(parsed := _parsed(name), wanted)]
        shown = dict(sorted(found)[:_SERIES_MAX])

        def answer() -> bytes:
            points = history.ring.read(shown, from_ms, to_ms, step_ms)
            series = [Series(name, labels, points.get(key, [])) for key, (name, labels) in shown.items()]
            return msgspec.json.encode(Metrics(series, from_ms, to_ms, step_ms, len(found) - len(shown)))

        # A day of many series is a megabyte.
        return raw_json(await asyncio.to_thread(answer))

    about = "Figures over time; without `series` the names that there are."
    return [
        Endpoint("GET", "/api/v1/clusters/{c}/metrics", get, about, tag="metrics",
                 query=(Query("series", list, 'As `name` or `name{label="value"}`; may be repeated.'),
                        Query("from", int, "Epoch ms; an hour before `to` where it is missing."),
                        Query("to", int, "Epoch ms; now where it is missing."),
                        Query("step", int, "Ms between points, at least 10 s.")),
                 answers={200: Metrics}),
    ]  # fmt: skip


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """A name and its labels; ApiError 400."""
    match = _NAME.fullmatch(text[:2_000])
    labels: dict[str, str] = {}
    at = 0
    inside = "" if match is None else match[2] or ""
    while match is not None and at < len(inside):
        label = _LABEL.match(inside, at)
        if label is None:
            match = None
            break
        labels[label[1]] = _ESCAPED.sub(lambda each: "\n" if each[1] == "n" else each[1], label[2])
        at = label.end()
    if match is None:
        raise ApiError(400, 40002, 'A series is written name{label="value"}.')
    return match[1], labels


def _matches(series: tuple[str, dict[str, str]], wanted: list[tuple[str, dict[str, str]]]) -> bool:
    name, labels = series
    return any(name == asked and labels.items() >= given.items() for asked, given in wanted)
