"""`/config` and `/mode` over HTTP."""

from __future__ import annotations

import pytest

from riacho.schema_registry.entities import CompatibilityLevel
from riacho.schema_registry.records import delete_subject_record
from riacho.schema_registry.scopes import Defaults
from support.schema_registry import INT, STRING, RegistryClient, error, record_schema

BAD_LEVEL = error(
    42203,
    "Invalid compatibility level. Valid values are none, backward, forward, full, backward_transitive, "
    "forward_transitive, and full_transitive",
)
BAD_MODE = error(42204, "Invalid mode. Valid values are READWRITE, READONLY, and IMPORT.")


@pytest.fixture
def registry() -> RegistryClient:
    return RegistryClient()


def test_the_default_contexts_config(registry: RegistryClient) -> None:
    assert registry.get("/config") == (200, {"compatibilityLevel": "BACKWARD"})
    assert registry.put("/config", {"compatibility": "full"}) == (200, {"compatibility": "FULL"})
    assert registry.get("/config") == (200, {"compatibilityLevel": "FULL"})
    assert registry.delete("/config") == (200, {"compatibilityLevel": "FULL"})
    assert registry.get("/config") == (200, {"compatibilityLevel": "BACKWARD"})


def test_the_default_level_is_a_setting() -> None:
    registry = RegistryClient(Defaults(CompatibilityLevel.FULL_TRANSITIVE))
    assert registry.get("/config") == (200, {"compatibilityLevel": "FULL_TRANSITIVE"})


def test_a_subjects_config(registry: RegistryClient) -> None:
    missing = error(40408, "Subject 's' does not have subject-level compatibility configured")
    assert registry.get("/config/s") == missing
    assert registry.get("/config/s?defaultToGlobal=true") == (200, {"compatibilityLevel": "BACKWARD"})
    assert registry.put("/config/s", {"compatibility": "NONE"}) == (200, {"compatibility": "NONE"})
    assert registry.get("/config/s") == (200, {"compatibilityLevel": "NONE"})
    assert registry.delete("/config/s") == (200, {"compatibilityLevel": "NONE"})
    assert registry.get("/config/s") == missing
    assert registry.delete("/config/s") == error(40401, "Subject 's' not found.")


@pytest.mark.parametrize("path", ["/config", "/config/s"])
def test_configs_that_are_refused(registry: RegistryClient, path: str) -> None:
    assert registry.put(path, {"compatibility": "SIDEWAYS"}) == BAD_LEVEL
    assert registry.put(path, {"compatibilityPolicy": "LOOSE"}) == error(
        42203, "Invalid compatibility policy. Valid values are strict, lenient, and logical"
    )
    rules = {"domainRules": [{"name": "a"}]}
    assert registry.put(path, {"defaultRuleSet": rules}) == error(42210, "Missing rule type")
    assert registry.put(path, {"overrideRuleSet": rules}) == error(42210, "Missing rule type")
    assert not registry.replicated_log.log


def test_what_is_not_sent_stays_and_null_takes_away(registry: RegistryClient) -> None:
    registry.put("/config/s", {"compatibility": "FULL", "normalize": True, "compatibilityGroup": "major"})
    assert registry.put("/config/s", {"normalize": None}) == (
        200,
        {"compatibility": "FULL", "compatibilityGroup": "major"},
    )
    assert registry.get("/config/s") == (200, {"compatibilityLevel": "FULL", "compatibilityGroup": "major"})
    changed = {"compatibility": None, "alias": "t", "compatibilityPolicy": "strict"}
    assert registry.put("/config/s", changed) == (
        200,
        {"alias": "t", "compatibilityPolicy": "STRICT", "compatibilityGroup": "major"},
    )
    assert registry.put("/config/s", {"compatibilityPolicy": None})[1] == {"alias": "t", "compatibilityGroup": "major"}
    assert registry.get("/config/s") == (200, {"alias": "t", "compatibilityGroup": "major"})
    assert registry.get("/config/s?defaultToGlobal=true")[1]["compatibilityLevel"] == "BACKWARD"


def test_scopes_from_the_nearest_outwards(registry: RegistryClient) -> None:
    registry.put("/config/:.__GLOBAL:", {"compatibility": "FORWARD"})
    assert registry.get("/config/:.ctx:s?defaultToGlobal=true")[1]["compatibilityLevel"] == "FORWARD"
    assert registry.get("/config?defaultToGlobal=true")[1]["compatibilityLevel"] == "FORWARD"
    registry.put("/config/:.ctx:", {"compatibility": "FULL"})
    assert registry.get("/config/:.ctx:s?defaultToGlobal=true")[1]["compatibilityLevel"] == "FULL"
    registry.put("/config", {"compatibility": "NONE"})
    assert registry.get("/config/s?defaultToGlobal=true")[1]["compatibilityLevel"] == "NONE"
    assert registry.get("/config/:.ctx:s?defaultToGlobal=true")[1]["compatibilityLevel"] == "FULL"


def test_a_read_only_config_is_not_changed(registry: RegistryClient) -> None:
    registry.put("/mode", {"mode": "READONLY"})
    assert registry.put("/config", {"compatibility": "FULL"}) == error(
        42205, "Subject null in context  is in read-only mode"
    )
    assert registry.put("/config/s", {"compatibility": "FULL"}) == error(
        42205, "Subject s in context  is in read-only mode"
    )
    assert registry.delete("/config") == error(42205, "Subject null in context  is in read-only mode")


def test_settings_of_what_is_no_subject(registry: RegistryClient) -> None:
    refused = error(42208, "The specified subject '__EMPTY' is not a valid.")
    assert registry.put("/config/__EMPTY", {"compatibility": "FULL"}) == refused
    assert registry.put("/mode/__EMPTY", {"mode": "READONLY"}) == refused


def test_modes(registry: RegistryClient) -> None:
    missing = error(40409, "Subject 's' does not have subject-level mode configured")
    assert registry.get("/mode") == (200, {"mode": "READWRITE"})
    assert registry.get("/mode/s") == missing
    assert registry.get("/mode/s?defaultToGlobal=true") == (200, {"mode": "READWRITE"})
    assert registry.put("/mode/s", {"mode": "readonly"}) == (200, {"mode": "readonly"})
    assert registry.get("/mode/s") == (200, {"mode": "READONLY"})
    assert registry.delete("/mode/s") == (200, {"mode": "READONLY"})
    assert registry.get("/mode/s") == missing
    assert registry.delete("/mode/s") == error(40401, "Subject 's' not found.")
    assert registry.put("/mode", {"mode": "SIDEWAYS"}) == BAD_MODE
    assert registry.put("/mode/s", {"mode": ""}) == BAD_MODE


def test_null_takes_a_mode_away(registry: RegistryClient) -> None:
    registry.put("/mode/s", {"mode": "READONLY"})
    assert registry.put("/mode/s", {"mode": None})[0] == 200
    assert registry.get("/mode/s")[0] == 404


def test_an_override_wins_over_the_subjects_own(registry: RegistryClient) -> None:
    registry.put("/mode/s", {"mode": "READWRITE"})
    registry.put("/mode", {"mode": "READONLY_OVERRIDE"})
    assert registry.get("/mode/s?defaultToGlobal=true") == (200, {"mode": "READONLY_OVERRIDE"})
    assert registry.post("/subjects/s/versions", {"schema": STRING})[1]["error_code"] == 42205
    registry.put("/mode", {"mode": "READONLY"})
    assert registry.register("s") == 1


def test_modes_may_be_fixed() -> None:
    registry = RegistryClient(Defaults(mode_mutability=False))
    refused = error(42205, "Mode changes are not allowed")
    assert registry.put("/mode", {"mode": "READONLY"}) == refused
    assert registry.delete("/mode") == refused


def test_to_import_there_must_be_nothing(registry: RegistryClient) -> None:
    registry.register("s")
    refused = error(42205, "Cannot import since found existing subjects")
    assert registry.put("/mode", {"mode": "IMPORT"}) == refused
    assert registry.put("/mode/s", {"mode": "IMPORT"}) == refused
    assert registry.put("/mode/:.ctx:", {"mode": "IMPORT"})[0] == 200
    assert registry.put("/mode/s?force=true", {"mode": "IMPORT"})[0] == 200
    assert registry.get("/subjects/s/versions") == (200, [1])


def test_to_import_what_was_deleted_goes(registry: RegistryClient) -> None:
    registry.register("s")
    registry.delete("/subjects/s")
    registry.put("/mode", {"mode": "IMPORT"})
    assert registry.get("/subjects?deleted=true") == (200, [])
    assert '{"keytype":"CLEAR_SUBJECT","magic":0}' in registry.replicated_log.written_keys()


def test_to_import_what_is_referred_to_stays(registry: RegistryClient) -> None:
    """Another registry may have deleted what others refer to."""
    registry.register("base", record_schema("a:int", name="Base"))
    reference = [{"name": "Base", "subject": "base", "version": 1}]
    registry.register("u", record_schema("b:Base"), references=reference)
    registry.replicated_log.append(delete_subject_record("base", 1))
    assert registry.put("/mode/base", {"mode": "IMPORT"}) == error(
        42206, "One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=base,version=1}."
    )


def test_modes_of_a_context_go_together(registry: RegistryClient) -> None:
    registry.register(":.ctx:s", INT)
    for scope in (":.ctx:", ":.ctx:s", "t"):
        registry.put(f"/mode/{scope}", {"mode": "READONLY"})
    assert registry.delete("/mode/:.ctx:?recursive=true") == (200, {"mode": "READONLY"})
    assert registry.get("/mode/:.ctx:s")[0] == 404
    assert registry.get("/mode/t")[0] == 200


def test_settings_go_with_the_last_version(registry: RegistryClient) -> None:
    registry.register("s")
    registry.put("/config/s", {"compatibility": "FULL"})
    registry.put("/mode/s", {"mode": "READWRITE"})
    registry.delete("/subjects/s")
    assert registry.get("/config/s")[0] == 200
    registry.delete("/subjects/s?permanent=true")
    assert registry.get("/config/s")[0] == 404
    assert registry.get("/mode/s")[0] == 404
