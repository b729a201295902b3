from __future__ import annotations

import os
from pathlib import Path

from riacho.log.real_files import REAL_FILES


def test_a_new_file_is_data_and_no_program(tmp_path: Path) -> None:
    path = tmp_path / "log"
    before = os.umask(0)
    try:
        REAL_FILES.close(REAL_FILES.open(str(path), os.O_CREAT | os.O_WRONLY))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644
