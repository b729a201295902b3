"""Dashboards and alerts: current, complete, and PromQL where Prometheus' own tool is there to say so.

Whether brokers and services serve what they ask for is seen where all of them run: tests/e2e/test_systemd_units.py.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from support.dashboards import ALERTS, DASHBOARDS, DEPLOY, panels, queries

ROOT = Path(__file__).parents[2]
# Of the units that Grafana knows, those in use.
UNITS = {"short", "none", "s", "ms", "bytes", "Bps", "reqps", "ops", "wps", "rps", "percentunit"}


def test_the_dashboards_are_current() -> None:
    spec = importlib.util.spec_from_file_location("generate_dashboards", ROOT / "tools" / "generate_dashboards.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert {path.name: path.read_text() for path in DASHBOARDS} == generator.files(), "tools/generate_dashboards.py"


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_every_panel_has_a_unit_a_place_and_a_query_of_the_chosen_source(dashboard: Path) -> None:
    taken: set[tuple[int, int]] = set()
    found = panels(dashboard)
    assert len({panel["id"] for panel in found}) == len(found)
    for panel in found:
        assert panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["targets"], panel["title"]
        assert all(target["datasource"]["uid"] == "${source}" for target in panel["targets"]), panel["title"]
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert place["x"] + place["w"] <= 24, panel["title"]
        assert not cells & taken, f"{panel['title']} lies on another panel"
        taken |= cells


def test_an_alert_says_what_it_means_and_how_bad_it_is() -> None:
    rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["labels"]["severity"] in ("warning", "critical"), rule["alert"]
        assert rule["annotations"]["summary"], rule["alert"]


def test_prometheus_takes_the_queries_and_the_rules(tmp_path: Path) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("no promtool here")
    # Grafana fills these in before it asks.
    filled = [
        re.sub(r"\$\w+", lambda name: "5m" if name[0] == "$__rate_interval" else "x", query) for query in queries()
    ]
    rules = [{"record": f"dashboard:query:{number}", "expr": query} for number, query in enumerate(filled)]
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "dashboards", "rules": rules}]}))
    for words in (
        ["check", "rules", str(tmp_path / "queries.yml"), str(ALERTS)],
        ["check", "config", str(DEPLOY / "prometheus" / "prometheus.yml")],
    ):
        done = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
