"""How the registry tells a difference: `{errorType:"...", description:"..."}`.

Programs look for these texts, so they are the registry's to the letter. Where it has no description for a kind that
refuses a schema, one of its other sentences that is true says it.
"""

from __future__ import annotations

from riacho.schemas.json_schema.difference import Difference, Kind

_KEYWORD = "The keyword at path '{path}' in the {reader} schema is not present in the {writer} schema"
_MORE = "The value at path '{path}' in the {reader} schema is more than its value in the {writer} schema"
_LESS = "The value at path '{path}' in the {reader} schema is less than its value in the {writer} schema"
_VALUE = "The value at path '{path}' is different between the {reader} and {writer} schema"
_FEWER_ELEMENTS = (
    "An array or combined type at path '{path}' has fewer elements in the {reader} schema than the {writer} schema"
)
_MORE_ELEMENTS = (
    "An array or combined type at path '{path}' has more elements in the {reader} schema than the {writer} schema"
)
_TYPE = "A type at path '{path}' is different between the {reader} schema and the {writer} schema"
_OPEN = (
    "The {reader} schema has an open content model and has a property or item at path '{path}' "
    "which is missing in the {writer} schema"
)
_REQUIRED = (
    "The {reader} schema has an unopen content model and has a required property at path '{path}' "
    "which is missing in the {writer} schema"
)
_CLOSED = (
    "The {reader} schema has a closed content model and is missing a property or item present "
    "at path '{path}' in the {writer} schema"
)
_REMOVED = (
    "A property or item is missing in the {reader} schema but present at path '{path}' in the {writer} schema "
    "and is not covered by its partially open content model"
)
_ADDED = (
    "The {reader} schema has a property or item at path '{path}' which is missing in the {writer} schema "
    "and is not covered by its partially open content model"
)

_SENTENCES: dict[str, str] = {
    _KEYWORD: """
        MAXIMUM_ADDED MINIMUM_ADDED EXCLUSIVE_MAXIMUM_ADDED EXCLUSIVE_MINIMUM_ADDED MULTIPLE_OF_ADDED
        MAX_LENGTH_ADDED MIN_LENGTH_ADDED PATTERN_ADDED REQUIRED_ATTRIBUTE_ADDED MAX_PROPERTIES_ADDED
        MIN_PROPERTIES_ADDED DEPENDENCY_ARRAY_ADDED DEPENDENCY_SCHEMA_ADDED MAX_ITEMS_ADDED MIN_ITEMS_ADDED
        MAX_CONTAINS_ADDED MIN_CONTAINS_ADDED UNIQUE_ITEMS_ADDED ADDITIONAL_ITEMS_REMOVED
        ADDITIONAL_PROPERTIES_REMOVED UNEVALUATED_PROPERTIES_REMOVED UNEVALUATED_ITEMS_REMOVED SCHEMA_ADDED""",
    _MORE: """
        MIN_LENGTH_INCREASED MINIMUM_INCREASED EXCLUSIVE_MINIMUM_INCREASED MIN_PROPERTIES_INCREASED
        MULTIPLE_OF_EXPANDED MIN_ITEMS_INCREASED MIN_CONTAINS_INCREASED""",
    _LESS: """
        MAX_LENGTH_DECREASED MAXIMUM_DECREASED MAX_ITEMS_DECREASED MAX_CONTAINS_DECREASED
        EXCLUSIVE_MAXIMUM_DECREASED MAX_PROPERTIES_DECREASED""",
    _VALUE: "PATTERN_CHANGED MULTIPLE_OF_CHANGED DEPENDENCY_ARRAY_CHANGED",
    _FEWER_ELEMENTS: """
        ADDITIONAL_ITEMS_NARROWED ENUM_ARRAY_NARROWED SUM_TYPE_NARROWED ADDITIONAL_PROPERTIES_NARROWED
        UNEVALUATED_PROPERTIES_NARROWED UNEVALUATED_ITEMS_NARROWED""",
    _MORE_ELEMENTS: "DEPENDENCY_ARRAY_EXTENDED PRODUCT_TYPE_EXTENDED SUM_TYPE_EXTENDED NOT_TYPE_EXTENDED",
    _TYPE: """
        TYPE_CHANGED TYPE_NARROWED COMBINED_TYPE_CHANGED COMBINED_TYPE_SUBSCHEMAS_CHANGED ENUM_ARRAY_CHANGED
        RECURSION_CHANGED""",
    _OPEN: """
        REQUIRED_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL REQUIRED_PROPERTY_WITH_DEFAULT_ADDED_TO_OPEN_CONTENT_MODEL
        OPTIONAL_PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL ITEM_ADDED_TO_OPEN_CONTENT_MODEL""",
    _REQUIRED: "REQUIRED_PROPERTY_ADDED_TO_UNOPEN_CONTENT_MODEL",
    _CLOSED: "PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL ITEM_REMOVED_FROM_CLOSED_CONTENT_MODEL",
    _REMOVED: """
        PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
        ITEM_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL""",
    _ADDED: """
        PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL
        ITEM_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL""",
}
SENTENCE_OF = {Kind[name]: sentence for sentence, names in _SENTENCES.items() for name in names.split()}


def difference_text(difference: Difference, reader_word: str = "new", writer_word: str = "old") -> str:
    kind = Kind.TYPE_CHANGED if difference.kind is Kind.RECURSION_CHANGED else difference.kind
    named = SENTENCE_OF.get(kind, "").replace("{reader}", reader_word).replace("{writer}", writer_word)
    description = named.replace("{path}", difference.pointer)
    return f'{{errorType:"{kind.name}", description:"{description}"}}'
