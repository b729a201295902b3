"""Columns that a statement leaves out: asked of the schema registry, where the server has one."""

from __future__ import annotations

from riacho.pipelines.sql.analysis.settings import Infer, InferenceRequest, Inferred
from riacho.pipelines.sql.formats.registry_access import RegistryAccess
from riacho.pipelines.sql.formats.schema_inference import SchemaQuestion, infer_columns


def inference(registry: RegistryAccess | None) -> Infer | None:
    if registry is None:
        return None

    def infer(request: InferenceRequest) -> Inferred:
        asked = request.format
        question = SchemaQuestion(
            request.topic, asked.name, request.is_key, asked.wrap, asked.properties, asked.schema_id
        )
        found = infer_columns(registry, question)
        return Inferred(found.columns, found.is_single)

    return infer
