"""The guides of deployment show what tests cannot run: what they name is there, all the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GUIDES = [ROOT / "docs" / "operations" / f"{name}.md" for name in ("docker", "kubernetes", "systemd", "monitoring")]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_path_and_target_that_a_guide_names_is_there(guide: Path) -> None:
    text = guide.read_text()
    for path in re.findall(r"\b(?:deploy|tests)/[\w./*-]*[\w*]", text):
        assert list(ROOT.glob(path)), path
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= targets


def test_the_table_of_services_is_composes() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yaml").read_text())["services"]
    rows = re.findall(r"^\| `([\w-]+)` \| .* \| `healthy (\d+)` \|$", GUIDES[0].read_text(), re.MULTILINE)
    assert dict(rows) == {
        name: service["healthcheck"]["test"][2] for name, service in services.items() if name != "zookeeper"
    }


def test_the_users_of_the_kubernetes_guide_are_those_of_the_pods() -> None:
    shown = re.search(r"^\$ for user in ([\w -]+); do$", GUIDES[1].read_text(), re.MULTILINE)
    assert shown is not None
    keys = {
        key
        for file in (ROOT / "deploy" / "kubernetes").rglob("*.yaml")
        for key in re.findall(r"secretName: users, .*items: \[\{key: ([\w-]+),", file.read_text())
    }
    assert set(shown[1].split()) == keys


def test_every_unit_of_systemd_is_in_its_guide() -> None:
    text = GUIDES[2].read_text()
    for unit in (ROOT / "deploy" / "systemd").glob("*.service"):
        assert f"`{unit.stem.removesuffix('@')}" in text, unit.name
