"""Strings into lists and maps of their parts, and back."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Function

FUNCTIONS: tuple[Function, ...] = ()
