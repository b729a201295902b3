"""The answer of an API whose whole request failed has the code wherever its clients look for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import BY_KEY, TABLE
from riacho.broker.requests.error_response import error_response
from riacho.wire import codec
from riacho.wire.apis import request_class, response_class
from riacho.wire.schema import WireStruct

CODE = ErrorCode.NOT_CONTROLLER
CASES = [(api.key, version) for api in TABLE for version in range(api.version_min, api.version_max + 1)]
# Early DescribeLogDirs has codes only in the directories it lists, and a request that failed lists none.
WITHOUT_A_CODE = {(35, 1), (35, 2)}


def filled(cls: type[Any], version: int) -> Any:
    """A message with one element in each of its arrays."""
    values: dict[str, Any] = {}
    for field in cls.FIELDS:
        if not field.is_in(version):
            continue
        if isinstance(field.type, str):
            if field.array:
                values[field.name] = [{"string": "name", "uuid": b"u" * 16}.get(field.type, 3)]
            elif field.type == "string":
                values[field.name] = "name"
        else:
            nested = filled(field.type, version)
            values[field.name] = [nested] if field.array else nested
    return cls(**values)


def codes(message: Any, version: int) -> Iterator[int]:
    """Every code that this version carries."""
    for field in message.FIELDS:
        value = getattr(message, field.name)
        if not field.is_in(version):
            continue
        if field.name in ("error_code", "partition_error_code"):
            yield value
        elif isinstance(value, WireStruct):
            yield from codes(value, version)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, WireStruct):
                    yield from codes(each, version)


def answer_to(key: int, version: int, request: Any) -> Any:
    response = error_response(BY_KEY[key], version, request, CODE, "why")
    return codec.decode(response_class(key), version, codec.encode(response, version))


@pytest.mark.parametrize(("key", "version"), CASES, ids=[f"{BY_KEY[k].name}-v{v}" for k, v in CASES])
def test_every_version_of_every_api_can_say_that_it_failed(key: int, version: int) -> None:
    request = filled(request_class(key), version)
    expected = set() if (key, version) in WITHOUT_A_CODE else {CODE}
    assert set(codes(answer_to(key, version, request), version)) == expected


@pytest.mark.parametrize(("key", "version"), CASES, ids=[f"{BY_KEY[k].name}-v{v}" for k, v in CASES])
def test_an_empty_request_can_fail_too(key: int, version: int) -> None:
    request = request_class(key)()
    for field in request.FIELDS:
        if field.array and field.is_nullable_in(version):
            setattr(request, field.name, None)
    answer_to(key, version, request)
