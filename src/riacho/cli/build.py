"""What is installed, for `riacho --version`: release, commit it was built of, and whether hot modules run compiled.

The commit is in a file that `hatch_build.py` writes into a wheel, so that neither git nor its history is needed here. A
clone has none: what it runs is what is in its files now.
"""

from __future__ import annotations

from pathlib import Path

import riacho
from riacho import KAFKA_VERSION, __version__
from riacho.wire.code_form import code_form

_COMMIT = Path(riacho.__file__).with_name("COMMIT")


def version_line(commit: Path = _COMMIT) -> str:
    return f"riacho {__version__} (speaks Kafka {KAFKA_VERSION}; {_built_of(commit)}; {code_form()})"


def _built_of(commit: Path) -> str:
    if commit.is_file():
        return f"commit {commit.read_text(encoding='utf-8').strip()}"
    is_clone = (commit.parents[2] / "pyproject.toml").is_file()
    return "from a clone" if is_clone else "of no known commit"
