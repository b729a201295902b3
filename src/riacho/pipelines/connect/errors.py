"""Every error of the worker, in the words that clients of Kafka Connect look for; its code is its HTTP status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.web.errors import ApiError


def _error(status: int, message: str) -> ApiError:
    return ApiError(status, status, message)


NULL_VALUE = "Null value can not be supplied as the configuration value."


def bad_request(message: str) -> ApiError:
    return _error(400, message)


def connector_not_found(name: str) -> ApiError:
    return _error(404, f"Connector {name} not found")


def unknown_connector(name: str, colon: bool = False) -> ApiError:
    return _error(404, f"Unknown connector{':' if colon else ''} {name}")


def no_connector_status(name: str) -> ApiError:
    return _error(404, f"No status found for connector {name}")


def no_task_status(name: str, task: int) -> ApiError:
    return _error(404, f"No status found for task {name}-{task}")


def unknown_task(name: str, task: int) -> ApiError:
    return _error(404, f"Unknown task: {name}-{task}")


def connector_exists(name: str) -> ApiError:
    return _error(409, f"Connector {name} already exists")


def name_mismatch(configured: str, called: str) -> ApiError:
    text = f"Connector name configuration ({configured}) doesn't match connector name in the URL ({called})"
    return bad_request(text)


def no_connector_type(config: Mapping[str, str]) -> ApiError:
    """Names only: a value may be a secret."""
    shown = ", ".join(sorted(config))
    return bad_request(f"Connector config {{{shown}}} contains no connector type")


def class_mismatch(given: str, asked: str) -> ApiError:
    return bad_request(f"Included connector type {given} does not match request type {asked}")


def unknown_plugin(name: str) -> ApiError:
    return _error(404, f"Unknown plugin {name}.")


def invalid_plugin(name: str) -> ApiError:
    """Of a plugin that is none of those which have a config to show."""
    kinds = "sink, source, converter, header_converter, transformation, predicate"
    return bad_request(f"Invalid plugin class {name}. Valid types are {kinds}.")


def no_such_version(name: str, wanted: str, version: str) -> ApiError:
    shown = wanted if wanted[:1] in "[(" else f"[{wanted},{wanted}]"
    return bad_request(
        f"Plugin {name} not found that matches the version range {shown}, available versions: [{version}]"
    )


def invalid_config(messages: Sequence[str]) -> ApiError:
    lines = "\n".join(messages)
    return bad_request(
        f"Connector configuration is invalid and contains the following {len(messages)} error(s):\n{lines}\n"
        "You can also find the above list of errors at the endpoint "
        "`/connector-plugins/{connectorType}/config/validate`"
    )


def not_stopped(name: str) -> ApiError:
    return bad_request(
        "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the "
        f"specified connector by issuing a 'PUT' request to the '/connectors/{name}/stop' endpoint"
    )


def no_offsets_given() -> ApiError:
    return bad_request("Partitions / offsets need to be provided for an alter offsets request")


def topics_not_tracked() -> ApiError:
    return _error(403, "Topic tracking is disabled.")


def topics_not_reset() -> ApiError:
    return _error(403, "Topic tracking reset is disabled.")


def no_such_logger(name: str) -> ApiError:
    return _error(404, f"Logger {name} not found.")


def invalid_level(level: str) -> ApiError:
    return _error(404, f"invalid log level '{level}'.")


def level_missing() -> ApiError:
    return bad_request("Desired 'level' parameter was not specified in request.")


def no_leader() -> ApiError:
    text = "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway."
    return _error(409, text)


def timed_out(reason: str) -> ApiError:
    return _error(500, f"Request timed out. {reason}")


def failed(reason: str) -> ApiError:
    return _error(500, reason)
