"""The registry held against its own description by schemathesis.

Only calls without a body: what schemathesis makes of the bodies' many nested fields takes minutes for each endpoint.
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from riacho.schema_registry.app import registry_endpoints
from support.schema_registry import RegistryClient, record_schema

REGISTRY = RegistryClient()
for subject in ("0", "s", ":.ctx:s"):
    REGISTRY.register(subject, record_schema("a:int"))
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", REGISTRY.app)
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_the_description_is_valid_openapi() -> None:
    SCHEMA.validate()


def test_every_endpoint_is_described() -> None:
    described = {(method.upper(), path) for path, item in SCHEMA.raw_schema["paths"].items() for method in item}
    assert {(endpoint.method, endpoint.path) for endpoint in registry_endpoints(REGISTRY.service)} <= described


@pytest.mark.filterwarnings("ignore")
@SCHEMA.include(method=["GET", "DELETE"]).parametrize()
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_registry_does_what_its_description_says(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=CHECKS)
