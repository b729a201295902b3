"""A task that cannot go on: the statement fails with this sentence."""

from __future__ import annotations


class TaskError(Exception):
    pass
