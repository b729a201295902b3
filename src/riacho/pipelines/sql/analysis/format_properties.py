"""Properties of formats in a WITH clause: delimiters, names of schemas, how Protobuf says null."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.pipelines.sql.catalogue.sources import FormatInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.supported import FORMATS


def format_properties(texts: Mapping[str, str], side: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    delimiter = texts.get(f"{side}_DELIMITER")
    if delimiter is not None:
        found["delimiter"] = _delimiter(delimiter)
    name = texts.get(f"{side}_SCHEMA_FULL_NAME") or (
        texts.get("VALUE_AVRO_SCHEMA_FULL_NAME") if side == "VALUE" else None
    )
    if name is not None:
        if not name.strip():
            raise KsqlError("fullSchemaName cannot be empty. Format configuration: {fullSchemaName=}")
        found["fullSchemaName"] = name
    representation = texts.get(f"{side}_PROTOBUF_NULLABLE_REPRESENTATION")
    if representation is not None:
        if representation.upper() not in ("OPTIONAL", "WRAPPER"):
            raise KsqlError(
                f"Invalid value {representation} for configuration {side}_PROTOBUF_NULLABLE_REPRESENTATION: "
                "String must be one of: OPTIONAL, WRAPPER, null"
            )
        found["nullableRepresentation"] = representation.upper()
    return found


def _delimiter(text: str) -> str:
    if not text:
        raise KsqlError(
            "Delimiter cannot be empty, if you meant to have a tab or space for delimiter, please use the special "
            "values 'TAB' or 'SPACE'\nExample valid value: ';'"
        )
    if len(text) != 1 and text.upper() not in ("TAB", "SPACE"):
        raise KsqlError(f"Invalid delimiter value: '{text}'. Delimiter must be a single character or TAB,SPACE")
    return text


def format_info(
    name: str,
    properties: Mapping[str, str],
    schema_id: int | None,
    wrap: bool | None = None,
    inherited: FormatInfo | None = None,
    *,
    is_key: bool = False,
) -> FormatInfo:
    """A format with its properties; a delimiter is inherited from a source of the same format."""
    kept: dict[str, str] = {}
    if inherited is not None and inherited.name == name:
        kept = {key: value for key, value in inherited.properties.items() if key in _INHERITED}
    if schema_id is not None and "schemaId" not in FORMATS[name].properties:
        side = "KEY" if is_key else "VALUE"
        raise KsqlError(
            f"{side}_FORMAT should support schema inference when {side}_SCHEMA_ID is provided. "
            f"Current format is {name}."
        )
    info = FormatInfo(name, wrap, {**kept, **properties}, schema_id)
    _refuse_unsupported_properties(info)
    return info


_INHERITED = ("delimiter", "nullableRepresentation", "unwrapPrimitives")


def _refuse_unsupported_properties(info: FormatInfo) -> None:
    known = FORMATS[info.name].properties
    unknown = [name for name in info.properties if name not in known]
    if unknown:
        raise KsqlError(f"{info.name} does not support the following configs: [{', '.join(unknown)}]")
