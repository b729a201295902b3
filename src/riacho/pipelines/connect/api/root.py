"""`/` and `/health` (KIP-1017): which worker this is, and whether it can work.

A worker is well as long as it can read its config topic to the end, within the ten seconds that Kafka gives it. One
that has lost its brokers cannot: 500, and `unhealthy` with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.table import endpoint
from riacho.pipelines.connect.decisions.writer import NotOpen
from riacho.single_writer.errors import ReplicatedLogError
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_READY = "Worker has completed startup and is ready to handle requests."
_STARTING = "Worker is still starting up."
_UNWELL = "Worker was unable to handle this request and may be unable to handle other requests."
HEALTH_TIMEOUT_S = 10.0


class ServerInfo(msgspec.Struct):
    version: str
    commit: str
    kafka_cluster_id: str


class WorkerStatus(msgspec.Struct):
    status: str
    message: str


def endpoints(service: Service, commit: Callable[[], str] = lambda: "Unknown") -> list[Endpoint]:
    async def root(call: Call) -> Response:
        return json_answer(ServerInfo(service.version, commit(), await service.cluster_id()))

    async def health(call: Call) -> Response:
        if isinstance(service.replicated_log, NotOpen):
            return json_answer(WorkerStatus("starting", _STARTING), 503)
        trouble = await _trouble(service)
        if trouble is not None:
            return json_answer(WorkerStatus("unhealthy", f"{_UNWELL} {trouble}"), 500)
        return json_answer(WorkerStatus("healthy", _READY))

    return [
        endpoint("GET", "/", root, "Which version this is, of which cluster.", answers={200: ServerInfo}),
        endpoint("GET", "/health", health, "Whether the worker can work.", is_public=True, tag="service",
                 answers={200: WorkerStatus, 500: WorkerStatus, 503: WorkerStatus}),
    ]  # fmt: skip


async def _trouble(service: Service) -> str | None:
    try:
        async with asyncio.timeout(HEALTH_TIMEOUT_S):
            await service.replicated_log.barrier()
    except TimeoutError:
        return "The config topic could not be read up to its end in time."
    except ReplicatedLogError as error:
        return str(error)
    return None
