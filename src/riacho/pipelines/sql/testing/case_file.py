"""Files of test cases: `{"tests": [...]}`, a case with formats being one for each of them.

Fields that are not known are ignored: cases written for ksqlDB's own tools say more than a runner needs.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.json_source import jackson_text, read_exact
from riacho.pipelines.sql.testing.case import Case, CaseError, CaseRecord, CaseTopic, CaseWindow, ExpectedError

FILE_BYTES_MAX = 64 * 1024 * 1024
_PLACE = "{FORMAT}"


def read_directory(directory: Path) -> list[Case]:
    """Every `*.json` in it and below, by path; files without tests are others' business. CaseError where it is not
    there. What cannot be read is a case that fails, so that one file spoils no other."""
    if not directory.exists():
        raise CaseError(f"There is no {directory}")
    if directory.is_file():
        return read_file(directory)
    cases: list[Case] = []
    for path in sorted(directory.rglob("*.json")):
        try:
            cases += read_file(path)
        except NoTestsError:
            continue
        except CaseError as error:
            cases.append(Case(path.name, (), path.name, problem=str(error)))
    return cases


def read_file(path: Path) -> list[Case]:
    content = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get("tests"), list):
        raise NoTestsError(f"{path} has no list of tests")
    return [case for test in content["tests"] for case in _cases(test, path)]


class NoTestsError(CaseError):
    pass


def read_json(path: Path) -> Any:
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise CaseError(f"{path} is larger than {FILE_BYTES_MAX} bytes")
        return read_exact(path.read_bytes())
    except (OSError, CodecError, ValueError, RecursionError) as error:
        raise CaseError(f"{path} cannot be read: {error}") from None


def _cases(test: Any, path: Path) -> Iterator[Case]:
    if not isinstance(test, dict):
        yield Case("", (), path.name, problem="The test is not an object")
        return
    formats = test.get("format")
    if not formats or not isinstance(formats, list):
        yield _case(test, path, None)
        return
    for name in formats:
        yield _case(_with_format(test, str(name)), path, str(name))


def _with_format(value: Any, name: str) -> Any:
    if type(value) is str:
        return value.replace(_PLACE, name)
    match value:
        case list():
            return [_with_format(item, name) for item in value]
        case dict():
            return {_with_format(key, name): _with_format(item, name) for key, item in value.items()}
        case _:
            return value


def _case(test: Mapping[str, Any], path: Path, format_name: str | None) -> Case:
    name = str(test.get("name", ""))
    try:
        return Case(
            name=name if format_name is None else f"{name} - {format_name}",
            statements=tuple(str(each) for each in test.get("statements") or ()),
            file=path.name,
            properties={str(key): _text(value) for key, value in (test.get("properties") or {}).items()},
            topics=tuple(_topic(each) for each in test.get("topics") or ()),
            inputs=tuple(read_record(each) for each in test.get("inputs") or ()),
            outputs=tuple(read_record(each) for each in test.get("outputs") or ()),
            expected=_expected(test.get("expectedException")),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Case(name, (), path.name, problem=f"The test is not in the form: {error!r}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else jackson_text(value)


def _topic(each: Any) -> CaseTopic:
    if isinstance(each, str):
        return CaseTopic(each)
    value_schema = each.get("valueSchema", each.get("schema"))
    return CaseTopic(
        name=each["name"],
        partitions=int(each.get("partitions") or each.get("numPartitions") or 1),
        key_format=each.get("keyFormat"),
        value_format=each.get("valueFormat", each.get("format")),
        key_schema=_schema(each.get("keySchema")),
        value_schema=_schema(value_schema),
        key_schema_id=each.get("keySchemaId"),
        value_schema_id=each.get("valueSchemaId"),
    )


def _schema(value: Any) -> str | None:
    return None if value is None else _text(value)


def read_record(each: Mapping[str, Any]) -> CaseRecord:
    window = each.get("window")
    timestamp = each.get("timestamp")
    return CaseRecord(
        topic=each["topic"],
        key=each.get("key"),
        value=each.get("value"),
        timestamp=None if timestamp is None else int(timestamp),
        window=None if window is None else _window(window),
        headers=_headers(each.get("headers")),
    )


def _window(window: Mapping[str, Any]) -> CaseWindow:
    end = window.get("end")
    return CaseWindow(int(window["start"]), None if end is None else int(end), str(window.get("type", "time")))


def _headers(listed: Any) -> tuple[tuple[str, bytes | None], ...] | None:
    if listed is None:
        return None
    found = []
    for each in listed:
        named = {key.upper(): value for key, value in each.items()}
        value = named.get("VALUE")
        found.append((str(named["KEY"]), None if value is None else _bytes(value)))
    return tuple(found)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return text.encode()


def _expected(value: Any) -> ExpectedError | None:
    if value is None:
        return None
    message = value.get("message") if isinstance(value, dict) else value
    return ExpectedError(None if message is None else str(message))
