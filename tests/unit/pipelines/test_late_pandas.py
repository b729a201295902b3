"""pandas is not loaded for pyarrow's sake, and is known to pyarrow when somebody loads it after all.

Each in a process of its own: in this one others have loaded it.
"""

from __future__ import annotations

import subprocess
import sys

TIMEOUT_S = 120
BEGIN = """
import sys
import pyarrow as pa
from riacho.pipelines.late_pandas import put_off_pandas
put_off_pandas()
put_off_pandas()
"""


def _run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + program], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_arrays_are_made_without_it() -> None:
    assert _run("print(pa.array([1, 2]).to_pylist(), 'pandas' in sys.modules)") == "[1, 2] False"


def test_who_wants_it_later_has_it_with_pyarrow() -> None:
    # pandas' text that is not there is NaN: only who knows pandas takes it for null.
    told = _run(
        "pa.array(['a'])\n"
        "import pandas as pd\n"
        "print(pa.array(pd.Series(['a', float('nan')])).to_pylist(), pa.table({'a': [1]}).to_pandas().a[0])\n"
        "print(pd.__spec__.loader is pd.__loader__, type(pd.__loader__).__module__, sys.meta_path[0])"
    )
    first, second = told.splitlines()
    assert first == "['a', None] 1"
    assert second.startswith("True ")
    assert "riacho" not in second


def test_pyarrow_fetches_it_by_itself_for_who_asks_for_its_tables() -> None:
    assert (
        _run("print(pa.table({'a': [1]}).to_pandas().a[0], pa.array(pa.lib._pandas_api.pd.Series([2])).to_pylist())")
        == "1 [2]"
    )
