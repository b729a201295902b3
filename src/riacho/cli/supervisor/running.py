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
from riacho.cli.supervisor.run_state import RunState, read_state, write_whole


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
    return next(reversed(_candidates()), None)


def _candidates() -> list[RunState]:
    """What a command without --data-dir may be about, oldest first.

    Where RIACHO_DATA_DIR names a directory, other directories are none of its business. One that was started with
    --ephemeral is: it chose its directory by itself, so no variable could name it.
    """
    states = all_running()
    if not os.environ.get("RIACHO_DATA_DIR"):
        return states
    named = str(default_data_dir())
    own = [state for state in states if state.data_dir == named]
    return own or [state for state in states if state.is_ephemeral]


def the_running(data_dir: Path | None) -> RunState:
    """The one that `status` or `down` is about; one clear sentence when there is none, or more than one."""
    if data_dir is not None:
        state = read_state(DataDir(data_dir.absolute()))
        if state is None or not state.is_alive:
            raise click.ClickException(f"Riacho is not running on {data_dir}. Start it with `riacho up`.")
        return state
    states = _candidates()
    if not states:
        where = f" on {default_data_dir()}" if os.environ.get("RIACHO_DATA_DIR") else ""
        raise click.ClickException(f"Riacho is not running{where}. Start it with `riacho up`.")
    if len(states) > 1:
        places = ", ".join(state.data_dir for state in states)
        raise click.ClickException(f"Riacho runs on more than one data directory; choose with --data-dir: {places}.")
    return states[0]
