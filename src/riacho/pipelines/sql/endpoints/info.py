"""What the server is, whether it is well, and what became of commands."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import RedirectResponse, Response

from riacho.pipelines.sql.endpoints.media import ANSWERS
from riacho.pipelines.sql.server.errors import NOT_FOUND, not_leading
from riacho.pipelines.sql.server.service import KSQLDB_VERSION, Service
from riacho.pipelines.sql.server.session import is_settable
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


def endpoints(service: Service) -> list[Endpoint]:
    async def root(_call: Call) -> Response:
        return RedirectResponse("/info", 307)

    async def info(_call: Call) -> Response:
        fields = {
            "version": KSQLDB_VERSION,
            "kafkaClusterId": await service.cluster_id(),
            "ksqlServiceId": service.service_id,
            "serverStatus": "RUNNING",
        }
        return json_answer({"KsqlServerInfo": fields})

    async def health(_call: Call) -> Response:
        is_open = service.writer.is_leader or service.writer.leader_url is not None
        details = {
            "metastore": {"isHealthy": service.is_open},
            "kafka": {"isHealthy": await service.is_kafka_reached()},
            "commandRunner": {"isHealthy": is_open},
        }
        is_healthy = all(each["isHealthy"] for each in details.values())
        state = {"state": "READY" if service.is_open else "NOT_READY"}
        return json_answer({"isHealthy": is_healthy, "details": details, "serverState": state})

    async def statuses(_call: Call) -> Response:
        known = {command_id: status.status for command_id, status in service.state.statuses.items()}
        return json_answer({"commandStatuses": known})

    async def status(call: Call) -> Response:
        command_id = "/".join(call.path_params[name] for name in ("type", "entity", "action"))
        found = service.state.statuses.get(command_id)
        if found is None:
            raise ApiError(404, NOT_FOUND, "Command not found")
        return json_answer({"status": found.status, "message": found.message, "queryId": found.query_id})

    async def cluster(_call: Call) -> Response:
        """Servers that are alive; queries run on the one that leads."""
        own = service.supervisor.host
        leader = (service.writer.leader_url or "").partition("://")[2]
        others = await service.members.hosts()
        now_ms = int(time.time() * 1000)
        queries = service.state.catalogue.queries.values()
        active = {
            query.query_id: {
                "activeStores": [query.sink],
                "activePartitions": [],
                "standByStores": [],
                "standByPartitions": [],
            }
            for query in queries
        }
        hosts = {
            host: {
                "hostAlive": True,
                "lastStatusUpdateMs": now_ms if host == own else service.members.updated_ms,
                "activeStandbyPerQuery": active if host == leader else {},
                "hostStoreLags": {"stateStoreLags": {}, "updateTimeMs": now_ms},
            }
            for host in dict.fromkeys((own, leader, *others))
            if host
        }
        return json_answer({"clusterStatus": hosts, "lastStatusUpdateMs": now_ms})

    async def is_valid_property(call: Call) -> Response:
        name = call.path_params["property"]
        if not is_settable(name, service.denied_properties):
            raise ApiError(400, 40000, f"Not recognizable as a property that a request may set: {name[:200]}")
        return json_answer(True)

    async def metadata(_call: Call) -> Response:
        scope = {
            "path": [],
            "clusters": {"kafka-cluster": await service.cluster_id(), "ksql-cluster": service.service_id},
        }
        return json_answer({"id": "", "scope": scope})

    async def ready(_call: Call) -> Response:
        if not service.is_open:
            raise not_leading("The server is starting or stopping.")
        return json_answer({})

    async def live(_call: Call) -> Response:
        return json_answer({})

    shared: dict[str, Any] = {"answer_types": ANSWERS}
    return [
        Endpoint("GET", "/", root, "Leads to /info.", **shared),
        Endpoint("GET", "/info", info, "The server's version and cluster.", **shared),
        Endpoint("GET", "/healthcheck", health, "Whether it is well, and its parts.", is_public=True, **shared),
        Endpoint("GET", "/status", statuses, "What became of commands.", **shared),
        Endpoint("GET", "/status/{type}/{entity}/{action}", status, "What became of one command.", **shared),
        Endpoint("GET", "/clusterStatus", cluster, "The servers of this cluster.", **shared),
        Endpoint("GET", "/is_valid_property/{property}", is_valid_property, "Whether it may be set.", **shared),
        Endpoint("GET", "/v1/metadata", metadata, "Names of the clusters.", **shared),
        Endpoint("GET", "/v1/metadata/id", metadata, "Names of the clusters.", **shared),
        Endpoint("GET", "/chc/ready", ready, "Answers when statements are taken.", is_public=True, **shared),
        Endpoint("GET", "/chc/live", live, "Answers while the process lives.", is_public=True, **shared),
    ]
