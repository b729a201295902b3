"""Sines, their kin and their inverses."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Function

FUNCTIONS: tuple[Function, ...] = ()
