"""`/` and `/v1/metadata`: that the registry is there, which cluster and which version it is."""

from __future__ import annotations

from starlette.responses import Response

from riacho.schema_registry.endpoints.bodies import ClusterId, ServerVersion
from riacho.schema_registry.endpoints.table import endpoint
from riacho.schema_registry.service import Service
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


def endpoints(service: Service) -> list[Endpoint]:
    async def root(call: Call) -> Response:
        return raw_json(b"{}")

    async def cluster_id(call: Call) -> Response:
        clusters: dict[str, dict[str, str] | list[str]] = {
            "path": [],
            "clusters": {"kafka-cluster": await service.cluster_id(), "schema-registry-cluster": service.group_id},
        }
        return json_answer(ClusterId(clusters, ""))

    async def version(call: Call) -> Response:
        return json_answer(ServerVersion(service.software_version, ""))

    async def deployment(call: Call) -> Response:
        return raw_json(b'{"attributes":["opensource"]}')

    nothing = dict[str, str]
    return [
        endpoint("GET", "/", root, "That the registry is there.", answers={200: nothing}),
        endpoint("POST", "/", root, "That the registry is there.", answers={200: nothing}),
        endpoint("GET", "/v1/metadata/id", cluster_id, "Which cluster this is.", answers={200: ClusterId}),
        endpoint("GET", "/v1/metadata/version", version, "Which version this is.", answers={200: ServerVersion}),
        endpoint(
            "GET", "/v1/metadata/deployment", deployment, "What kind this is.", answers={200: dict[str, list[str]]}
        ),
    ]
