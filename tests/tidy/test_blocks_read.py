"""Settings, rules and expressions that pages show are taken by who reads them: names are known, nothing is refused."""

from __future__ import annotations

import json
import logging

import pytest
import yaml

from riacho.base.config import parse_properties
from support.block_readers import PROPERTIES, READ
from support.code_blocks import PAGES, ROOT, blocks


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_are_known(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    found = [block for block in blocks(ROOT / name) if block.language == "properties"]
    assert found
    for block in found:
        PROPERTIES[name](parse_properties(block.text))
    assert [record.getMessage() for record in caplog.records] == []


@pytest.mark.parametrize(("name", "subject"), READ)
def test_texts_are_taken(name: str, subject: str) -> None:
    found = [block.text for block in blocks(ROOT / name) if block.subject == subject]
    assert found
    for text in found:
        READ[name, subject](text)


def test_the_rest_can_be_parsed() -> None:
    for page in PAGES:
        for block in blocks(page):
            if block.language == "json":
                assert json.loads(block.text)
            elif block.language == "yaml":
                assert yaml.safe_load(block.text)
            elif block.language == "python":
                compile(block.text, block.name, "exec")
