"""`riacho ksql`: the command line of KSQL."""

from __future__ import annotations

from riacho.cli.ksql.main import command

__all__ = ["command"]
