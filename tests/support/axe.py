"""axe-core, which looks for what keeps people out: contrast, labels, roles, headings. From web-ui's packages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).parents[2] / "web-ui" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
_RUN = """rules => axe.run(document, {
  runOnly: {type: "tag", values: rules}, resultTypes: ["violations"],
}).then(found => found.violations)"""
_NODES_SHOWN = 3


def missing() -> str | None:
    """Why it cannot be asked, as the reason of a skip."""
    return None if SOURCE.exists() else "no axe-core here: tools/web_ui.sh installs it, where there is Node"


def violations(page: Page) -> list[str]:
    """Of WCAG 2.2 AA, a line each. The debugger hands axe to the page, past its content security policy."""
    page.evaluate(_source())
    found: list[dict[str, Any]] = page.evaluate(_RUN, [*RULES])
    return [_line(each) for each in found]


def _line(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    shown = "; ".join(f"{each['target'][-1]} {each['html'][:160]}: {_why(each)}" for each in nodes[:_NODES_SHOWN])
    return f"{violation['id']} ({len(nodes)} times): {shown}"


def _why(node: dict[str, Any]) -> str:
    return " ".join(str(node.get("failureSummary", "")).split())


@cache
def _source() -> str:
    return SOURCE.read_text()
