from __future__ import annotations

from pathlib import Path

import pytest

from support.release_environment import build_wheel


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled, as users get it: that takes half a minute, so it is made once."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))
