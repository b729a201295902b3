"""Which data directories are in use by this user's `riacho up`, so that `status` and `down` need no flags.

A small list of directories in the user's state directory. It is only a pointer: the truth about each one stands in its
own state file and in the processes named there, so entries that are out of date do no harm and are dropped on the way.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from riacho.cli.data_dir import DataDir, default_data_dir
from riacho.cli.run_state import RunState, read_state, write_whole


def _list_file(environment: Mapping[str, str] = os.environ) -> Path:
    home = environment.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "riacho" / "running.json"


def _listed() -> list[str]:
    try:
        return msgspec.json.decode(_list_file().read_bytes(), type=list[str])
    except (OSError, msgspec.MsgspecError):
        return []


def add_running(directory: DataDir) -> None:
    here = str(directory.path)
    others = [path for path in _listed() if path != here and _is_running(path)]
    _write([*others, here])


def remove_running(directory: DataDir) -> None:
    left = [path for path in _listed() if path != str(directory.path)]
    if left != _listed():
        _write(left)


def _is_running(path: str) -> bool:
    state = read_state(DataDir(Path(path)))
    return state is not None and state.is_alive


def _write(paths: list[str]) -> None:
    file = _list_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, msgspec.json.encode(paths))


def all_running() -> list[RunState]:
    """Oldest first."""
    paths = dict.fromkeys([str(default_data_dir()), *_listed()])
    states = [state for path in paths if (state := read_state(DataDir(Path(path)))) is not None and state.is_alive]
    return sorted(states, key=lambda state: state.started_ms)


def newest_running() -> RunState | None:
    if os.environ.get("RIACHO_DATA_DIR"):
        state = read_state(DataDir(default_data_dir()))
        return state if state is not None and state.is_alive else None
    return next(reversed(all_running()), None)


def the_running(data_dir: Path | None) -> RunState:
    """The one that `status` or `down` is about; one clear sentence when there is none, or more than one."""
    if data_dir is None and os.environ.get("RIACHO_DATA_DIR"):
        data_dir = default_data_dir()
    if data_dir is not None:
        state = read_state(DataDir(data_dir.absolute()))
        if state is None or not state.is_alive:
            raise click.ClickException(f"Riacho is not running on {data_dir}. Start it with `riacho up`.")
        return state
    states = all_running()
    if not states:
        raise click.ClickException("Riacho is not running. Start it with `riacho up`.")
    if len(states) > 1:
        places = ", ".join(state.data_dir for state in states)
        raise click.ClickException(f"Riacho runs on more than one data directory; choose with --data-dir: {places}.")
    return states[0]
