"""MASK and its kin: strings whose letters and digits are hidden."""

from __future__ import annotations

from riacho.pipelines.sql.functions.function import Function

FUNCTIONS: tuple[Function, ...] = ()
