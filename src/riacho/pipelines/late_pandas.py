"""pandas, left alone in Spark's Python processes until somebody there wants it.

The first array that pyarrow makes of a Python list has it import pandas, where that is installed, to see whether the
list is one of pandas' own things. That takes a quarter of a second of processor time and 30 MB of every process that
Spark starts, for pipelines that have no pandas in them.

So the first array of all is made while pandas cannot be found: pyarrow takes it for absent from then on. Functions of
users may bring pandas' things all the same. An import of it later enables pyarrow's use of it, at the end of that
import.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"


class _Absent(MetaPathFinder):
    """Says to one thread that there is no pandas."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == _PANDAS and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("pandas is left for later", name=_PANDAS)


class _Telling(MetaPathFinder):
    """Finds pandas as ever, once, and has pyarrow look for it again when it is there."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _PANDAS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, usual: Loader) -> None:
        self._usual = usual

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._usual.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._usual
        module.__loader__ = self._usual
        self._usual.exec_module(module)
        _look_again()


def put_off_pandas() -> None:
    """At the beginning of what a worker does; of no consequence where pandas is loaded already."""
    if _PANDAS in sys.modules or any(isinstance(finder, _Telling) for finder in sys.meta_path):
        return
    import pyarrow as pa

    # Without it pyarrow's use could not be enabled later.
    if not hasattr(pa.lib, "_pandas_api"):
        return
    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(absent)
    sys.meta_path.insert(0, _Telling())


def _look_again() -> None:
    import pyarrow as pa

    # Asked for the module itself, it tries the import again.
    _ = pa.lib._pandas_api.pd
