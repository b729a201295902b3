"""Functions of maps."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Function

FUNCTIONS: tuple[Function, ...] = ()
