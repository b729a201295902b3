"""`/pipelines`: Riacho's own view of connectors as pipelines, with the figures of their last micro-batches.

Not in Kafka Connect. `riacho pipeline` shows it on a terminal.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec
from starlette.responses import Response

from riacho.base.config import ConfigError
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.showing import status_of
from riacho.pipelines.connect.api.table import endpoint
from riacho.pipelines.pipeline import Pipeline
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


class PipelineInfo(msgspec.Struct):
    name: str
    type: str
    connector: str
    state: str
    tasks: list[str]
    trace: str | None
    batch_id: int | None
    rows: int
    batch_rows: int
    rows_per_second: float | None
    batch_ms: float | None
    lag: int | None
    lag_by_topic: dict[str, int]
    state_rows: int
    state_bytes: int | None
    errors: int
    dead_letters: int
    skipped: int
    updated_ms: int | None
    doing: str | None
    picture: str
    explanation: str
    # Where the pages of the Spark are that runs it, while they are served.
    spark_ui: str | None


def endpoints(service: Service) -> list[Endpoint]:
    async def list_all(call: Call) -> Response:
        async def act() -> Response:
            return json_answer([await _shown(service, name) for name in list(service.state.connectors)])

        return await service.at_leader(call, act)

    async def get(call: Call) -> Response:
        name = call.segment("pipeline")

        async def act() -> Response:
            return json_answer(await _shown(service, name))

        return await service.at_leader(call, act)

    about = "Connectors as pipelines: states, rates, lag and errors."
    return [
        endpoint("GET", "/pipelines", list_all, about, answers={200: list[PipelineInfo]}, codes=(409,)),
        endpoint("GET", "/pipelines/{pipeline}", get, "One of them.", answers={200: PipelineInfo}, codes=(409,)),
    ]


async def _shown(service: Service, name: str) -> dict[str, Any]:
    config = service.wanted(name).config
    status = await status_of(service, name)
    assert status is not None, "a connector that is wanted has a status"
    failed = [part for part in (status["connector"], *status["tasks"]) if part.get("trace")]
    picture, explanation = _drawn(name, {**service.defaults, **config}, status["type"] == "sink")
    return {
        "name": name,
        "type": status["type"],
        "connector": config.get("connector.class", ""),
        "state": status["connector"]["state"],
        "tasks": [task["state"] for task in status["tasks"]],
        "trace": failed[0]["trace"] if failed else None,
        **asdict(service.progress.of(name)),
        "picture": picture,
        "explanation": explanation,
        "spark_ui": service.supervisor.spark_ui(name),
    }


def _drawn(name: str, config: dict[str, str], is_sink: bool) -> tuple[str, str]:
    try:
        pipeline = Pipeline.from_connector(name, config, is_sink)
        return pipeline.draw(), pipeline.explain()
    except (ConfigError, ValueError) as error:
        # A secret's place may stand where a number is read.
        return "", f"pipeline {name}: {error}"
