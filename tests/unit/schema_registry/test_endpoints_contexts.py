"""`/contexts` over HTTP, and the paths under it."""

from __future__ import annotations

import pytest

from riacho.schema_registry.context_paths import rewrite
from support.schema_registry import INT, STRING, RegistryClient, error


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    client.register("s", STRING)
    client.register(":.b:s", INT)
    client.register(":.a:t", INT)
    return client


def test_lists(registry: RegistryClient) -> None:
    assert registry.get("/contexts") == (200, [".", ".a", ".b"])
    assert registry.get("/contexts?contextPrefix=.b") == (200, [".b"])
    assert registry.get("/contexts?offset=1&limit=1") == (200, [".a"])


def test_delete(registry: RegistryClient) -> None:
    refused = error(42211, "The specified context ':.b:' is not empty.")
    assert registry.delete("/contexts/.b") == refused
    registry.delete("/subjects/:.b:s")
    assert registry.delete("/contexts/b") == refused
    registry.delete("/subjects/:.b:s?permanent=true")
    registry.put("/config/:.b:", {"compatibility": "FULL"})
    assert registry.delete("/contexts/:.b:") == (204, None)
    assert registry.get("/contexts") == (200, [".", ".a"])
    assert registry.get("/config/:.b:")[0] == 404
    assert registry.delete("/contexts/.b") == (204, None)
    assert registry.delete("/contexts/.") == error(42211, "The specified context '.' is not empty.")


def test_the_same_endpoints_within_a_context(registry: RegistryClient) -> None:
    assert registry.get("/contexts/.b/subjects") == (200, [":.b:s"])
    assert registry.get("/contexts/b/subjects/s/versions/1")[1]["subject"] == ":.b:s"
    assert registry.get("/contexts/.b/schemas/ids/1")[1]["schema"] == INT
    assert registry.get("/contexts/.b/schemas/ids/1/schema") == (200, "int")
    assert registry.get("/contexts/.b/schemas/ids/1/versions")[1] == [{"subject": ":.b:s", "version": 1}]
    assert [each["subject"] for each in registry.get("/contexts/.b/schemas")[1]] == [":.b:s"]
    assert registry.post("/contexts/.c/subjects/s/versions", {"schema": STRING})[0] == 200
    assert registry.get("/contexts") == (200, [".", ".a", ".b", ".c"])
    assert registry.post("/contexts/.b/compatibility/subjects/s/versions/latest", {"schema": STRING})[1] == {
        "is_compatible": False
    }
    assert registry.put("/contexts/.b/config", {"compatibility": "FULL"})[0] == 200
    assert registry.get("/config/:.b:") == (200, {"compatibilityLevel": "FULL"})
    assert registry.put("/contexts/.b/mode/s", {"mode": "READONLY"})[0] == 200
    assert registry.get("/mode/:.b:s") == (200, {"mode": "READONLY"})
    assert registry.get("/contexts/./config") == registry.get("/config")


def test_a_context_that_is_none(registry: RegistryClient) -> None:
    assert registry.get("/contexts/a:b/subjects") == (
        400,
        {"error_code": 400, "message": "Context name cannot contain a colon"},
    )
    assert registry.delete("/contexts/a%3Ab") == (
        400,
        {"error_code": 400, "message": "Context name cannot contain a colon"},
    )


@pytest.mark.parametrize(
    ("path", "query", "rewritten"),
    [
        ("/contexts/ctx/subjects/s/versions", "", ("/subjects/:.ctx:s/versions", "")),
        ("/contexts/ctx/subjects/a%2Fb", "", ("/subjects/:.ctx:a%2Fb", "")),
        ("/contexts/ctx/subjects/:.other:s", "", ("/subjects/:.other:s", "")),
        ("/contexts/ctx/subjects/%3A.other%3As", "", ("/subjects/%3A.other%3As", "")),
        ("/contexts/ctx/subjects/subjects/versions/1", "", ("/subjects/:.ctx:subjects/versions/1", "")),
        ("/contexts/ctx/config", "", ("/config/:.ctx:", "")),
        ("/contexts/./config", "", ("/config", "")),
        ("/contexts/ctx/mode/s", "force=true", ("/mode/:.ctx:s", "force=true")),
        ("/contexts/ctx/schemas", "limit=3", ("/schemas", "limit=3&subjectPrefix=%3A.ctx%3A")),
        ("/contexts/ctx/subjects", "subjectPrefix=a", ("/subjects", "subjectPrefix=%3A.ctx%3Aa")),
        ("/contexts/ctx/schemas/ids/1", "subject=s", ("/schemas/ids/1", "subject=%3A.ctx%3As")),
        ("/contexts/ctx/schemas/types", "", ("/schemas/types", "")),
        ("/contexts/ctx", "", ("/contexts/ctx", "")),
        ("/contexts/ctx/", "", ("/contexts/ctx/", "")),
    ],
)
def test_rewriting(path: str, query: str, rewritten: tuple[str, str]) -> None:
    assert rewrite(path, query) == rewritten
