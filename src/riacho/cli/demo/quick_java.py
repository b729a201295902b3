"""JVMs for a demo: quick to start, with little to do.

Its three Sparks have a few hundred records a second. Java's second compiler, which makes the code of a long run, takes
a third of their processor time in the first minute and would never earn it back; nor would a collector with threads of
its own. Pipelines that are to work through a backlog need both, so this is the demo's alone.
"""

from __future__ import annotations

from collections.abc import Mapping

VARIABLE = "JDK_JAVA_OPTIONS"
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def with_quick_java(environment: Mapping[str, str]) -> dict[str, str]:
    """What somebody has set himself stays as it is."""
    return {VARIABLE: _OPTIONS, **environment}
