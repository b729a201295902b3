"""How the registry's endpoints are described: the media types that all share, and what each error code means."""

from __future__ import annotations

from typing import Unpack

from riacho.schema_registry import errors
from riacho.schema_registry.naming import is_valid_subject, normalize_subject
from riacho.schema_registry.scopes import aliased
from riacho.schema_registry.service import Service
from riacho.web.call import Call
from riacho.web.endpoint import Described, Endpoint, Handler, Query

MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
ANSWER_TYPES = (MEDIA_TYPE, "application/vnd.schemaregistry+json", "application/json")
REQUEST_TYPES = (*ANSWER_TYPES, "application/octet-stream")

ERRORS = {
    40301: "The caller may not do this.",
    40401: "The subject is not found.",
    40402: "The version is not found.",
    40403: "The schema is not found.",
    40404: "The subject was soft deleted already.",
    40405: "The subject was not soft deleted before.",
    40406: "The version was soft deleted already.",
    40407: "The version was not soft deleted before.",
    40408: "The subject has no config of its own.",
    40409: "The subject has no mode of its own.",
    409: "The schema is incompatible with an earlier one (error_code 409, or 40901 where that is set).",
    42201: "The schema or its type is not valid.",
    42202: "The version is not valid.",
    42203: "The compatibility level is not valid.",
    42204: "The mode is not valid.",
    42205: "The mode of the subject does not permit this.",
    42206: "Another schema refers to this one.",
    42208: "The subject is not valid.",
    42209: "The schema is too large.",
    42210: "The rules are not valid.",
    42211: "The context is not empty.",
    50001: "The log could not be written or read.",
    50002: "The log did not answer in time.",
    50003: "The leader could not be reached.",
    50004: "There is no leader at the moment.",
}
_WRITE_ERRORS = (42205, 50001, 50002, 50003, 50004)

DELETED = Query("deleted", bool, "Whether to include what was soft deleted.", False)
DELETED_ONLY = Query("deletedOnly", bool, "Whether to list only what was soft deleted.", False)
OFFSET = Query("offset", int, "How many to leave out at the beginning.", 0)
LIMIT = Query("limit", int, "How many to list; negative: as many as allowed.", -1)
PAGE = (OFFSET, LIMIT)
FORM = Query("format", str, "The form of the schema: resolved, serialized, ignore_extensions, ...", "")
REFERENCE_FORM = Query("referenceFormat", str, "qualified: subjects of references with their context.", "")
FIND_TAGS = Query("findTags", list, "Tags whose entities to list; * is all.")
NORMALIZE = Query("normalize", bool, "Whether to normalize the schema.", False)
SUBJECT = Query("subject", str, "A subject that has the id, or a context.")


def endpoint(
    method: str,
    path: str,
    handler: Handler,
    about: str,
    *,
    codes: tuple[int, ...] = (),
    writes: bool = False,
    **more: Unpack[Described],
) -> Endpoint:
    errors = {code: ERRORS[code] for code in sorted({40301, *codes, *(_WRITE_ERRORS if writes else ())})}
    return Endpoint(
        method,
        path,
        handler,
        about,
        errors=errors,
        request_types=REQUEST_TYPES,
        answer_types=ANSWER_TYPES,
        **more,
    )


def subject_of(service: Service, call: Call) -> str:
    """The subject in the path: in its one spelling, and the one meant where it is an alias."""
    return aliased(service.registry.state, normalize_subject(call.segment("subject")))


def new_subject_of(service: Service, call: Call) -> str:
    """Of a call that may create it: ApiError 42208 where it cannot be one."""
    subject = subject_of(service, call)
    if not is_valid_subject(subject):
        raise errors.invalid_subject(call.segment("subject"))
    return subject
