"""The table of all transforms and predicates, by Kafka's class names and by their short ones, as Connect takes both."""

from __future__ import annotations

from riacho.pipelines.transforms.cast import CastKey, CastValue
from riacho.pipelines.transforms.drop_headers import DropHeaders
from riacho.pipelines.transforms.extract_field import ExtractFieldKey, ExtractFieldValue
from riacho.pipelines.transforms.filter import Filter
from riacho.pipelines.transforms.flatten import FlattenKey, FlattenValue
from riacho.pipelines.transforms.has_header_key import HasHeaderKey
from riacho.pipelines.transforms.header_from import HeaderFromKey, HeaderFromValue
from riacho.pipelines.transforms.hoist_field import HoistFieldKey, HoistFieldValue
from riacho.pipelines.transforms.insert_field import InsertFieldKey, InsertFieldValue
from riacho.pipelines.transforms.insert_header import InsertHeader
from riacho.pipelines.transforms.mask_field import MaskFieldKey, MaskFieldValue
from riacho.pipelines.transforms.predicate import Predicate
from riacho.pipelines.transforms.record_is_tombstone import RecordIsTombstone
from riacho.pipelines.transforms.regex_router import RegexRouter
from riacho.pipelines.transforms.replace_field import ReplaceFieldKey, ReplaceFieldValue
from riacho.pipelines.transforms.set_schema_metadata import SetSchemaMetadataKey, SetSchemaMetadataValue
from riacho.pipelines.transforms.timestamp_converter import TimestampConverterKey, TimestampConverterValue
from riacho.pipelines.transforms.timestamp_router import TimestampRouter
from riacho.pipelines.transforms.topic_name_matches import TopicNameMatches
from riacho.pipelines.transforms.transform import Transform
from riacho.pipelines.transforms.value_to_key import ValueToKey

_TRANSFORMS: tuple[type[Transform], ...] = (
    CastKey,
    CastValue,
    DropHeaders,
    ExtractFieldKey,
    ExtractFieldValue,
    Filter,
    FlattenKey,
    FlattenValue,
    HeaderFromKey,
    HeaderFromValue,
    HoistFieldKey,
    HoistFieldValue,
    InsertFieldKey,
    InsertFieldValue,
    InsertHeader,
    MaskFieldKey,
    MaskFieldValue,
    RegexRouter,
    ReplaceFieldKey,
    ReplaceFieldValue,
    SetSchemaMetadataKey,
    SetSchemaMetadataValue,
    TimestampConverterKey,
    TimestampConverterValue,
    TimestampRouter,
    ValueToKey,
)
_PREDICATES: tuple[type[Predicate], ...] = (HasHeaderKey, RecordIsTombstone, TopicNameMatches)

TRANSFORMS: dict[str, type[Transform]] = {each.CLASS: each for each in _TRANSFORMS}
PREDICATES: dict[str, type[Predicate]] = {each.CLASS: each for each in _PREDICATES}


def find_transform(name: str) -> type[Transform] | None:
    """By class name, or by what of it comes after the package."""
    return TRANSFORMS.get(name) or next((each for each in _TRANSFORMS if each.CLASS.endswith(f".{name}")), None)


def find_predicate(name: str) -> type[Predicate] | None:
    return PREDICATES.get(name) or next((each for each in _PREDICATES if each.CLASS.endswith(f".{name}")), None)


def forms_of(name: str) -> list[str]:
    """The `$Key` and `$Value` forms of a class that only exists as those."""
    return [
        each.CLASS
        for each in _TRANSFORMS
        if each.CLASS.rpartition("$")[0] in (name, f"org.apache.kafka.connect.transforms.{name}")
    ]
