"""What deploy/grafana and deploy/prometheus ask Prometheus: queries, and the metrics in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARDS = sorted((DEPLOY / "grafana").glob("*.json"))
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
# Of Prometheus itself.
_OWN = {"up"}
_METRIC = re.compile(r"\b(?:riacho|kafka|process)_[a-z_]+")
_STRING = re.compile(r'"[^"]*"')


def panels(dashboard: Path) -> list[dict[str, Any]]:
    """Without the rows' headings."""
    found: list[dict[str, Any]] = json.loads(dashboard.read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def queries() -> Iterator[str]:
    for dashboard in DASHBOARDS:
        for panel in panels(dashboard):
            yield from (target["expr"] for target in panel["targets"])
    for group in yaml.safe_load(ALERTS.read_text())["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


def asked_for() -> set[str]:
    """Names of metrics. What stands in quotes is a label's value."""
    return {name for query in queries() for name in _METRIC.findall(_STRING.sub('""', query))} - _OWN
