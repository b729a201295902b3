"""Compiles the hot modules when a wheel is built, where there is a C compiler; else the same source goes in as it is.

`RIACHO_COMPILE=0` makes a wheel that runs anywhere, `RIACHO_COMPILE=1` a compiled one or none; the compiler's level of
optimisation is 3, or what `RIACHO_COMPILE_LEVEL` says. Why, and which modules:
docs/adr/0017-compiled-hot-modules.md. By hand, into a copy of the package in a directory that is made for it:

    python hatch_build.py DIRECTORY

A wheel also tells of which commit it was built (`riacho --version`). A source distribution has no history, so it
carries that in a file; nothing of the clock or the machine is in either, so the same commit gives the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
SWITCH, LEVEL = "RIACHO_COMPILE", "RIACHO_COMPILE_LEVEL"
# What every record or every produce request goes through. A compiled module does not look its own names up again, so
# tests must not replace them; and a class in it has no base in another module that is not compiled (tests/tidy).
MODULES = (
    "riacho/broker/counters/client_counts.py",
    "riacho/broker/counters/topic_metrics.py",
    "riacho/broker/requests/later.py",
    "riacho/broker/produce/append_produced.py",
    "riacho/broker/produce/fast_path_epoch.py",
    "riacho/broker/produce/produce_fast_path.py",
    "riacho/partition/producers.py",
    "riacho/partition/record_checks.py",
    "riacho/partition/validation.py",
    "riacho/wire/batch.py",
    "riacho/wire/frame.py",
    "riacho/wire/lz4_frame.py",
    "riacho/wire/record_walk.py",
    "riacho/wire/record_windows.py",
    "riacho/wire/varint.py",
)
# Of which commit this is: in a source distribution beside pyproject.toml, in a wheel within the package.
COMMIT = "COMMIT"
_IN_WHEEL = f"riacho/{COMMIT}"
_HASH_DIGITS = 12
# What the others import is looked up at run time: the packages that this one needs are not there when it is built.
_OPTIONS = ("--follow-imports=skip", "--ignore-missing-imports", "--disable-error-code=import-untyped")


class CannotCompileError(Exception):
    """There is no compiler, or none of what it needs."""


def compile_modules(source: Path, target: Path) -> list[Path]:
    """Make the extension modules of the package in `source` and put them into `target`; their paths within it."""
    try:
        from mypyc.build import mypycify
        from setuptools import Distribution
    except ImportError as error:
        raise CannotCompileError(str(error)) from None
    with tempfile.TemporaryDirectory(prefix="riacho-compile-") as work:
        before = os.getcwd()
        # Names of modules are taken from paths, which are relative to here.
        shutil.copytree(source / "riacho", Path(work, "riacho"), ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        os.chdir(work)
        try:
            modules = mypycify(
                [*_OPTIONS, *MODULES], opt_level=os.environ.get(LEVEL, "3"), debug_level="0", group_name="riacho"
            )
            distribution = Distribution({"name": "riacho", "ext_modules": modules})
            command = distribution.get_command_obj("build_ext")
            command.build_lib, command.build_temp = str(target), "objects"
            command.ensure_finalized()
            command.run()
        except (Exception, SystemExit) as error:
            # Whatever a compiler may stumble over: the source runs without it.
            raise CannotCompileError(f"{type(error).__name__}: {error}") from None
        finally:
            os.chdir(before)
    return sorted(path.relative_to(target) for path in target.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"))


def copy_compiled(source: Path, target: Path) -> None:
    """The package of `source` with its compiled modules, in a directory to be put on a path."""
    shutil.copytree(source / "riacho", target / "riacho", ignore=shutil.ignore_patterns("__pycache__"))
    compile_modules(source, target)


def commit(root: Path) -> str:
    """That of a clone, `-changed` where it is not as committed; that of a source distribution; else nothing."""
    if (root / ".git").exists():
        try:
            described = _git(root, "rev-parse", f"--short={_HASH_DIGITS}", "HEAD")
            changed = _git(root, "status", "--porcelain", "--untracked-files=no")
        except (OSError, subprocess.CalledProcessError):
            return ""
        return f"{described}-changed" if changed else described
    carried = root / COMMIT
    return carried.read_text(encoding="utf-8").strip() if carried.is_file() else ""


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _hook() -> Any:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if version == "editable":
                return
            self._built = Path(tempfile.mkdtemp(prefix="riacho-build-"))
            self._tell_commit(build_data)
            if self.target_name == "wheel":
                self._compile(build_data)

        def _tell_commit(self, build_data: dict[str, Any]) -> None:
            found = commit(Path(self.root))
            # What a source distribution carries goes into the next one as it is.
            if not found or (self.target_name == "sdist" and Path(self.root, COMMIT).is_file()):
                return
            told = self._built / COMMIT
            told.write_text(f"{found}\n", encoding="utf-8")
            build_data["force_include"][str(told)] = _IN_WHEEL if self.target_name == "wheel" else COMMIT

        def _compile(self, build_data: dict[str, Any]) -> None:
            wanted = os.environ.get(SWITCH, "")
            if wanted == "0":
                return
            target = self._built / "compiled"
            try:
                made = compile_modules(Path(self.root, "src"), target)
            except CannotCompileError as error:
                if wanted == "1":
                    raise
                self.app.display_warning(f"not compiled, so slower: {error}")
                return
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            for path in made:
                build_data["force_include"][str(target / path)] = str(path)

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            built = getattr(self, "_built", None)
            if built is not None:
                shutil.rmtree(built, ignore_errors=True)

    return CompileHook


def get_build_hook() -> Any:
    return _hook()


if __name__ == "__main__":
    copy_compiled(ROOT / "src", Path(sys.argv[1]).resolve())
