"""Lines of a KSQL server as server-sent events: `header`, then `rows` (`lines` of a PRINT), in the end `done` or
`problem`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from riacho.console.events import encoded
from riacho.console.services.ksql_rows import Lines
from riacho.web.errors import ApiError

_STILL_HERE = b": still here\n\n"
_DEPTH_MAX = 64
# Beyond these JavaScript rounds.
_EXACT_MAX = (1 << 53) - 1


async def rows(lines: Lines) -> AsyncIterator[bytes]:
    """The first line is the columns, each after it a row; an object among them is the server's last word."""
    count = 0
    try:
        async for taken in lines:
            found_rows: list[Any] = []
            last: dict[str, Any] | None = None
            for line in taken:
                found = _decoded(line)
                if isinstance(found, list):
                    found_rows.append(found)
                elif isinstance(found, dict) and "columnNames" in found:
                    yield _event("header", _header(found))
                elif isinstance(found, dict):
                    last = found
            count += len(found_rows)
            if found_rows:
                yield _event("rows", {"rows": _exact(found_rows)})
            if last is not None and _problem(last) is not None:
                yield _event("problem", {"message": _problem(last)})
                return
            if not taken:
                yield _STILL_HERE
        yield _event("done", {"rows": count})
    except ApiError as error:
        yield _event("problem", {"message": error.message})
    finally:
        await lines.aclose()


async def printed(lines: Lines) -> AsyncIterator[bytes]:
    count = 0
    try:
        async for taken in lines:
            count += len(taken)
            if taken:
                yield _event("lines", {"lines": [line.decode("utf-8", "replace").rstrip("\r\n") for line in taken]})
            else:
                yield _STILL_HERE
        yield _event("done", {"rows": count})
    except ApiError as error:
        yield _event("problem", {"message": error.message})
    finally:
        await lines.aclose()


def _event(name: str, data: Any) -> bytes:
    return encoded(name, msgspec.json.encode(data))


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise ApiError(502, 50210, "KSQL answered a row that is no JSON.") from None


def _header(found: dict[str, Any]) -> dict[str, Any]:
    names, types = found.get("columnNames") or [], found.get("columnTypes") or []
    columns = [{"name": str(name), "type": str(kind)} for name, kind in zip(names, types, strict=False)]
    return {"query_id": found.get("queryId"), "columns": columns}


def _problem(found: dict[str, Any]) -> str | None:
    if "error_code" in found or found.get("status") == "error":
        return str(found.get("message") or "KSQL gave no reason.")
    return None


def _exact(value: Any, depth: int = 0) -> Any:
    """Integers that a browser would round become texts."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -_EXACT_MAX <= value <= _EXACT_MAX else str(value)
    if depth < _DEPTH_MAX and isinstance(value, list):
        return [_exact(each, depth + 1) for each in value]
    if depth < _DEPTH_MAX and isinstance(value, dict):
        return {name: _exact(each, depth + 1) for name, each in value.items()}
    return value
