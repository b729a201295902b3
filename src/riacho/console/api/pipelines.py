"""What runs on Spark beside a cluster, as `services/pipelines.py` finds it. Over time: `metrics`, `pipeline_...`."""

from __future__ import annotations

import time

import msgspec
from starlette.responses import Response

from riacho.console.parts import Parts
from riacho.console.services.pipelines import PipelineRow
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


class PipelineList(msgspec.Struct):
    items: list[PipelineRow]
    as_of_ms: int
    # Why some may be missing.
    problems: list[str]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        found = await parts.clusters.of(call).services.pipelines.now()
        return json_answer(PipelineList(found.items, time.time_ns() // 1_000_000, found.problems))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/pipelines", get, "What runs on Spark, with rates, latency and state.",
                 tag="pipelines", answers={200: PipelineList}),
    ]  # fmt: skip
