"""Columns that a statement leaves to the schema registry."""

from __future__ import annotations

from typing import ClassVar, NoReturn

from riacho.pipelines.sql.analysis.settings import Infer, InferenceRequest, Inferred
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns


class NoRegistry(KsqlError):
    code: ClassVar[int] = 42801


def refuse_without_registry() -> NoReturn:
    raise NoRegistry(
        "KSQL is not configured to use a schema registry. To enable it, please set ksql.schema.registry.url"
    )


def inference(registry: RegistryAccess | None) -> Infer:
    """Asks the registry, and blocks: for threads."""

    def infer(request: InferenceRequest) -> Inferred:
        if registry is None:
            refuse_without_registry()
        form = request.format
        found = infer_columns(
            registry,
            SchemaQuestion(request.topic, form.name, request.is_key, form.wrap, form.properties, form.schema_id),
        )
        return Inferred(found.columns, found.is_single)

    return infer
