"""Rules of access: read from a file, and held to by every endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.types import Scope

from riacho.base.config import ConfigError
from riacho.schema_registry.authorization import Caller, Operation, parse_rules
from riacho.web.call import PRINCIPAL, ROLES
from support.schema_registry import INT, STRING, RegistryClient, error, record_schema

RULES = """
# effect  who         operations   subjects
allow     role:admin  *            *
allow     user:ana    read,write   orders-*
deny      user:ana    write        orders-audit
allow     *           read         :.public:*
"""


class ByHeader:
    """Believes whoever says who they are."""

    async def authenticate(self, scope: Scope, path: str) -> None:
        headers = dict(scope["headers"])
        scope[PRINCIPAL] = headers.get(b"x-user", b"nobody").decode()
        scope[ROLES] = frozenset(filter(None, headers.get(b"x-roles", b"").decode().split(",")))


ANA = {"x-user": "ana"}
BOB = {"x-user": "bob"}
ADMIN = {"x-user": "root", "x-roles": "admin"}


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient(access=parse_rules(RULES, "rules"), authenticator=ByHeader())
    for subject, schema in (("orders-value", STRING), ("secret", INT), (":.public:s", STRING)):
        assert client.post(f"/subjects/{subject}/versions", {"schema": schema}, headers=ADMIN)[0] == 200
    return client


def test_a_denial_wins_and_silence_denies() -> None:
    rules = parse_rules(RULES, "rules")
    ana = Caller("ana", frozenset())
    assert rules.allows(ana, Operation.WRITE, "orders-value")
    assert not rules.allows(ana, Operation.WRITE, "orders-audit")
    assert not rules.allows(ana, Operation.DELETE, "orders-value")
    assert not rules.allows(ana, Operation.READ, "other")
    assert rules.allows(Caller(None, frozenset()), Operation.READ, ":.public:x")
    assert rules.allows(Caller("x", frozenset({"admin"})), Operation.CONFIG, None)


def test_the_example_of_the_guide_is_true() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guides" / "schema-registry.md").read_text()
    example = guide[guide.index("# effect") :].partition("```")[0]
    rules, ana = parse_rules(example, "guide"), Caller("ana", frozenset())
    assert rules.allows(ana, Operation.WRITE, "orders-value")
    assert not rules.allows(ana, Operation.WRITE, "orders-audit-2")
    assert rules.allows(ana, Operation.READ, "orders-audit-2")
    assert not rules.allows(ana, Operation.WRITE, ":.public:orders-x")
    assert not rules.allows(ana, Operation.CONFIG, None)
    assert rules.allows(Caller("x", frozenset({"admin"})), Operation.DELETE, ":.any:s")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("allow user:ana read", "rules, line 1: a rule is effect, who, operations, subjects"),
        ("\npermit user:ana read *", "rules, line 2: 'permit' is neither allow nor deny"),
        ("allow ana read *", "rules, line 1: 'ana' is neither user:NAME, role:NAME nor *"),
        ("allow * look *", "rules, line 1: 'look' is not a list of read, write, delete, config, nor *"),
    ],
)
def test_rules_that_cannot_be_used(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_rules(text, "rules")
    assert str(refused.value) == sentence


def test_what_ana_may(registry: RegistryClient) -> None:
    assert registry.post("/subjects/orders-value/versions", {"schema": STRING}, headers=ANA)[0] == 200
    assert registry.get("/subjects/orders-value/versions/1", headers=ANA)[0] == 200
    assert registry.get("/subjects", headers=ANA) == (200, [":.public:s", "orders-value"])
    assert [each["subject"] for each in registry.get("/schemas", headers=ANA)[1]] == [":.public:s", "orders-value"]
    assert registry.get("/schemas/ids/1", headers=ANA)[0] == 200
    assert registry.get("/schemas/ids/1/subjects", headers=ANA) == (200, ["orders-value"])


@pytest.mark.parametrize(
    ("method", "path", "body", "operation"),
    [
        ("POST", "/subjects/secret/versions", {"schema": INT}, "Write"),
        ("POST", "/subjects/secret/versions/1/tags", {}, "Write"),
        ("POST", "/subjects/secret", {"schema": INT}, "Read"),
        ("GET", "/subjects/secret/versions", None, "Read"),
        ("GET", "/subjects/secret/versions/1", None, "Read"),
        ("GET", "/subjects/secret/versions/1/schema", None, "Read"),
        ("GET", "/subjects/secret/versions/1/referencedby", None, "Read"),
        ("GET", "/subjects/secret/metadata", None, "Read"),
        ("GET", "/config/secret", None, "Read"),
        ("GET", "/mode/secret", None, "Read"),
        ("POST", "/compatibility/subjects/secret/versions", {"schema": INT}, "Read"),
        ("POST", "/compatibility/subjects/secret/versions/1", {"schema": INT}, "Read"),
        ("PUT", "/config/secret", {"compatibility": "FULL"}, "Config"),
        ("DELETE", "/config/secret", None, "Config"),
        ("PUT", "/mode/secret", {"mode": "READONLY"}, "Config"),
        ("DELETE", "/mode/secret", None, "Config"),
        ("DELETE", "/subjects/secret", None, "Delete"),
        ("DELETE", "/subjects/secret/versions/1", None, "Delete"),
    ],
)
def test_what_bob_may_not(registry: RegistryClient, method: str, path: str, body: object, operation: str) -> None:
    registry.call(method, path, body, headers=ADMIN) if method == "GET" else None
    expected = error(40301, f"User is denied operation {operation} on Subject: secret")
    assert registry.call(method, path, body, headers=BOB) == expected


def test_what_belongs_to_no_subject(registry: RegistryClient) -> None:
    assert registry.get("/config", headers=BOB)[0] == 200
    assert registry.put("/config", {"compatibility": "FULL"}, headers=BOB) == error(
        40301, "User is denied operation Config on Cluster"
    )
    assert registry.put("/config", {"compatibility": "FULL"}, headers=ADMIN)[0] == 200


@pytest.mark.parametrize("path", ["/schemas/ids/2", "/schemas/ids/2/schema", "/schemas/ids/2?subject="])
def test_an_id_is_denied_without_telling_whose_it_is(registry: RegistryClient, path: str) -> None:
    assert registry.get(path, headers=BOB) == error(40301, "User is denied operation Read on Schema: 2")


def test_an_id_is_told_by_a_subject_that_may_be_read(registry: RegistryClient) -> None:
    assert registry.post("/subjects/a-secret/versions", {"schema": STRING}, headers=ADMIN)[0] == 200
    assert registry.post("/subjects/orders-key/versions", {"schema": INT}, headers=ADMIN)[0] == 200
    assert registry.get("/schemas/ids/2?subject=", headers=ANA)[1]["subject"] == "orders-key"
    assert registry.get("/schemas/ids/2?subject=secret", headers=ANA)[1]["subject"] == "orders-key"


def test_guids_are_as_ids(registry: RegistryClient) -> None:
    secret, string = (registry.get(f"/schemas/ids/{each}", headers=ADMIN)[1]["guid"] for each in (2, 1))
    denied = error(40301, f"User is denied operation Read on Schema: {secret}")
    assert registry.get(f"/schemas/guids/{secret}", headers=BOB) == denied
    assert registry.get(f"/schemas/guids/{secret}/ids", headers=BOB) == denied
    # The same schema is in two contexts, of which Bob may read one.
    assert registry.get(f"/schemas/guids/{string}", headers=BOB)[1]["schema"] == STRING
    assert registry.get(f"/schemas/guids/{string}/ids", headers=BOB) == (200, [{"context": ".public", "id": 1}])


def test_another_context_is_not_there_for_whoever_may_not_read_it(registry: RegistryClient) -> None:
    """A subject without a context is looked for in all of them."""
    assert registry.post("/subjects/:.hidden:orders-x/versions", {"schema": INT}, headers=ADMIN)[0] == 200
    missing = error(40401, "Subject 'orders-x' not found.")
    assert registry.post("/subjects/orders-x", {"schema": INT}, headers=ANA) == missing
    assert registry.get("/subjects/orders-x/versions/1", headers=ANA) == missing
    assert registry.post("/subjects/orders-x/versions/1/tags", {"newVersion": 1}, headers=ANA) == missing
    assert registry.get("/subjects/orders-x/versions/1", headers=ADMIN)[0] == 200
    assert registry.get("/contexts", headers=ANA) == (200, [".", ".public"])
    assert registry.get("/contexts", headers=ADMIN) == (200, [".", ".hidden", ".public"])


def test_a_reference_needs_the_right_to_read(registry: RegistryClient) -> None:
    """Else a schema that may not be read could be had through one's own, with format=resolved."""
    inner, outer = record_schema("a:int", name="Inner"), record_schema("b:Inner", name="Outer")
    assert registry.post("/subjects/hidden/versions", {"schema": inner}, headers=ADMIN)[0] == 200
    body = {"schema": outer, "references": [{"name": "Inner", "subject": "hidden", "version": 1}]}
    denied = error(40301, "User is denied operation Read on Subject: hidden")
    for path in ("/subjects/orders-o/versions", "/subjects/orders-o", "/compatibility/subjects/orders-o/versions"):
        assert registry.post(path, body, headers=ANA) == denied
    assert registry.post("/subjects/hidden-too/versions", body, headers=ADMIN)[0] == 200


def test_lists_leave_out_what_may_not_be_read(registry: RegistryClient) -> None:
    inner = record_schema("a:int", name="Inner")
    assert registry.post("/subjects/orders-in/versions", {"schema": inner}, headers=ADMIN)[0] == 200
    references = [{"name": "Inner", "subject": "orders-in", "version": 1}]
    body = {"schema": record_schema("b:Inner", name="Outer"), "references": references}
    outer = registry.post("/subjects/hidden/versions", body, headers=ADMIN)[1]["id"]
    path = "/subjects/orders-in/versions/1/referencedby"
    assert registry.get(path, headers=ADMIN) == (200, [outer])
    assert registry.get(path, headers=ANA) == (200, [])
    for alias in ("hidden-alias", "orders-alias"):
        assert registry.put(f"/config/{alias}", {"alias": "orders-in"}, headers=ADMIN)[0] == 200
    shown = registry.get("/schemas?aliases=true&subjectPrefix=", headers=ANA)[1]
    assert [each.get("aliases") for each in shown if each["subject"] == "orders-in"] == [["orders-alias"]]


def test_one_callers_answer_is_not_anothers(registry: RegistryClient) -> None:
    """Answers are kept ready: not across callers."""
    assert registry.get("/schemas/ids/2", headers=ADMIN)[0] == 200
    assert registry.get("/schemas/ids/2", headers=BOB)[0] == 403
    assert registry.get("/schemas/ids/2", headers=ADMIN)[0] == 200
