"""Every error of the registry: its code, and its text in the words that clients of the original look for."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.schema_registry.naming import context_name_of
from riacho.web.errors import ApiError


def _error(code: int, message: str) -> ApiError:
    return ApiError(code // 100, code, message)


def subject_not_found(subject: str) -> ApiError:
    return _error(40401, f"Subject '{subject}' not found.")


def version_not_found(version: int) -> ApiError:
    return _error(40402, f"Version {version} not found.")


def schema_not_found(name: object = None) -> ApiError:
    """`name` is the id or GUID that was asked for, None in a search by content."""
    return _error(40403, "Schema not found" if name is None else f"Schema {name} not found")


def subject_soft_deleted(subject: str) -> ApiError:
    return _error(40404, f"Subject '{subject}' was soft deleted.Set permanent=true to delete permanently")


def subject_not_soft_deleted(subject: str) -> ApiError:
    return _error(40405, f"Subject '{subject}' was not deleted first before being permanently deleted")


def version_soft_deleted(subject: str, version: str) -> ApiError:
    text = f"Subject '{subject}' Version {version} was soft deleted.Set permanent=true to delete permanently"
    return _error(40406, text)


def version_not_soft_deleted(subject: str, version: int) -> ApiError:
    text = f"Subject '{subject}' Version {version} was not deleted first before being permanently deleted"
    return _error(40407, text)


def no_subject_level_compatibility(subject: str) -> ApiError:
    return _error(40408, f"Subject '{subject}' does not have subject-level compatibility configured")


def no_subject_level_mode(subject: str) -> ApiError:
    return _error(40409, f"Subject '{subject}' does not have subject-level mode configured")


def denied(operation: str, resource: str) -> ApiError:
    return _error(40301, f"User is denied operation {operation} on {resource}")


def incompatible(subject: str, messages: Sequence[str], code: int) -> ApiError:
    """Clients switch on the code: 409 is what most releases of the original say, 40901 what the newest does."""
    text = f'Schema being registered is incompatible with an earlier schema for subject "{subject}", details: '
    return ApiError(409, code, f"{text}[{', '.join(messages)}]")


def invalid_schema(message: str) -> ApiError:
    return _error(42201, message)


def invalid_version(version: str) -> ApiError:
    allowed = 'Allowed values are between [1, 2^31-1] and the string "latest"'
    return _error(42202, f"The specified version '{version}' is not a valid version id. {allowed}")


def invalid_compatibility_level() -> ApiError:
    levels = "none, backward, forward, full, backward_transitive, forward_transitive, and full_transitive"
    return _error(42203, f"Invalid compatibility level. Valid values are {levels}")


def invalid_compatibility_policy() -> ApiError:
    return _error(42203, "Invalid compatibility policy. Valid values are strict, lenient, and logical")


def logical_forward(level: str) -> ApiError:
    return _error(42203, logical_forward_reason(level))


def logical_forward_reason(level: str) -> str:
    return f"The compatibility policy LOGICAL does not go with the level {level}: tables of Iceberg only read backward"


def invalid_mode() -> ApiError:
    return _error(42204, "Invalid mode. Valid values are READWRITE, READONLY, and IMPORT.")


def not_permitted(message: str) -> ApiError:
    return _error(42205, message)


def read_only(subject: str | None) -> ApiError:
    return _not_in_mode(subject, "is in read-only mode")


def not_in_import_mode(subject: str) -> ApiError:
    return _not_in_mode(subject, "is not in import mode")


def not_in_read_write_mode(subject: str) -> ApiError:
    return _not_in_mode(subject, "is not in read-write mode")


def id_taken(schema_id: int, subject: str) -> ApiError:
    context = context_name_of(subject)
    return not_permitted(f"Overwrite new schema with id {schema_id} in context {context} is not permitted.")


def reference_exists(subject: str, version: int) -> ApiError:
    shown = f"{{magic=1,keytype=SCHEMA,subject={subject},version={version}}}"
    return _error(42206, f"One or more references exist to the schema {shown}.")


def invalid_subject(subject: str) -> ApiError:
    return _error(42208, f"The specified subject '{subject}' is not a valid.")


def schema_too_large() -> ApiError:
    return _error(42209, "Register operation failed because schema is too large")


def invalid_rule_set(message: str) -> ApiError:
    return _error(42210, message)


def context_not_empty(context: str) -> ApiError:
    return _error(42211, f"The specified context '{context}' is not empty.")


def store_error(message: str) -> ApiError:
    return _error(50001, message)


def operation_timed_out(message: str) -> ApiError:
    return _error(50002, message)


def forwarding_failed(message: str) -> ApiError:
    return _error(50003, message)


def unknown_leader(message: str) -> ApiError:
    return _error(50004, message)


def _not_in_mode(subject: str | None, what: str) -> ApiError:
    # The default context has no name in these texts; hence two spaces.
    shown = "null" if subject is None else subject
    return not_permitted(f"Subject {shown} in context {context_name_of(subject)} {what}")
