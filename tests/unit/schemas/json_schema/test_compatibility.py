"""Case by case, both ways: whether a reader with one schema reads what fits the other, and why not.

The cases stand in `cases/*.txt`. All that a draft does not say in words of its own must be the same in every draft.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

CASES = Path(__file__).parent / "cases"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019_09 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
BOTH = (DRAFT_7, DRAFT_2020_12)  # one of each family; the others are held against where it is cheap
DRAFTS = {
    "strings_and_enums": BOTH,
    "numbers": BOTH,
    "objects": (DRAFT_6, *BOTH, DRAFT_2019_09),
    "arrays": (DRAFT_6, *BOTH, DRAFT_2019_09),
    "references": BOTH,
    "combined": BOTH,
    "draft_4": (DRAFT_4,),
    "classic": (DRAFT_6, DRAFT_7),
    "modern": (DRAFT_2020_12,),
}
TOLD = re.compile(r"""\{errorType:"(\w+)", description:"[^"]*'(#/[^"]*)'[^"]*"\}""")


class Case(NamedTuple):
    name: str
    old: object
    new: object
    new_reads_old: str
    old_reads_new: str


def _cases(file: str) -> Iterator[Case]:
    blocks = (CASES / f"{file}.txt").read_text().split("\n\n")[1:]
    for block in blocks:
        name, *lines = block.strip().splitlines()
        said = [line.strip() for line in lines]
        assert [line.split(" ", 1)[0] for line in said] == ["old", "new", "new", "old"], block
        yield Case(
            name,
            json.loads(said[0].removeprefix("old ")),
            json.loads(said[1].removeprefix("new ")),
            said[2].removeprefix("new reads old: "),
            said[3].removeprefix("old reads new: "),
        )


ALL = [(file, case) for file in DRAFTS for case in _cases(file)]


@pytest.mark.parametrize(("file", "case"), ALL, ids=[f"{file}: {case.name}" for file, case in ALL])
def test_who_reads_whom(schema, file, case):
    for draft in DRAFTS[file]:
        old, new = schema(case.old, draft), schema(case.new, draft)
        assert _said(new.differences(old)) == case.new_reads_old, draft
        assert _said(old.differences(new)) == case.old_reads_new, draft


@pytest.mark.parametrize("file", DRAFTS)
def test_everybody_reads_himself(schema, file):
    for case in _cases(file):
        for side in (case.old, case.new):
            assert schema(side, DRAFTS[file][0]).differences(schema(side, DRAFTS[file][0])) == [], case.name


def _said(differences: list[str]) -> str:
    found = [TOLD.fullmatch(text) for text in differences]
    assert None not in found, differences
    return ", ".join(f"{match[1]} {match[2]}" for match in found if match) or "yes"


def test_there_are_enough_of_them():
    assert len(ALL) >= 300


def test_every_file_of_cases_is_used():
    assert {path.stem for path in CASES.iterdir()} == set(DRAFTS)
