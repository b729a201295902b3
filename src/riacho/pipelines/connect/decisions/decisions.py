"""Decisions of the leader: from a state and a wish to the records that make it so. Nothing here changes the state."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from riacho.base.decision import Decision
from riacho.pipelines.connect import errors, records
from riacho.pipelines.connect.decisions.state import ConfigState
from riacho.pipelines.connect.records import Checkpoint, TargetState
from riacho.single_writer.record import Append

Records = Decision[Append, None]


class Written(NamedTuple):
    """What a connector is after a change: its config, and how many tasks it had before."""

    config: dict[str, str]
    tasks: int
    is_new: bool


def decide_create(
    state: ConfigState, name: str, config: Mapping[str, str], target_state: TargetState | None
) -> Decision[Append, Written]:
    if name in state.connectors:
        raise errors.connector_exists(name)
    # Before the connector, or a worker that reads in between would start it.
    first = [] if target_state is None else [records.target_state_record(name, target_state)]
    return Decision(Written(dict(config), 0, True), [*first, records.connector_record(name, config)])


def decide_config(state: ConfigState, name: str, config: Mapping[str, str]) -> Decision[Append, Written]:
    before = state.connectors.get(name)
    written = Written(dict(config), 0 if before is None else len(before.tasks), before is None)
    return Decision(written, [records.connector_record(name, config)])


def patched(state: ConfigState, name: str, patch: Mapping[str, str | None]) -> dict[str, str]:
    """The config with the patch in it: a null takes a setting away (KIP-477)."""
    before = state.connectors.get(name)
    if before is None:
        raise errors.connector_not_found(name)
    whole = {**before.config, **patch}
    return {setting: value for setting, value in whole.items() if value is not None}


def decide_patch(
    state: ConfigState, name: str, patch: Mapping[str, str | None], validated: Mapping[str, str]
) -> Decision[Append, Written | None]:
    """None where the config is no longer what it was when the patched one was validated."""
    if {**patched(state, name, patch), "name": name} != validated:
        return Decision(None)
    decision = decide_config(state, name, validated)
    return Decision(decision.reply, decision.records)


def decide_delete(state: ConfigState, name: str) -> Records:
    if name not in state.connectors:
        raise errors.connector_not_found(name)
    return Decision(None, records.deletion_records(name))


def decide_target_state(state: ConfigState, name: str, target_state: TargetState) -> Records:
    wanted = state.connectors.get(name)
    if wanted is None:
        raise errors.unknown_connector(name)
    if wanted.target_state is target_state:
        return Decision(None)
    # A connector that is stopped has no tasks.
    tasks = records.task_records(name, []) if target_state is TargetState.STOPPED and wanted.tasks else []
    return Decision(None, [*tasks, records.target_state_record(name, target_state)])


def decide_tasks(state: ConfigState, name: str, configs: Sequence[Mapping[str, str]]) -> Records:
    """What the runner found that there is to do. Nothing where it is known, or the connector is gone meanwhile."""
    wanted = state.connectors.get(name)
    if wanted is None or wanted.target_state is TargetState.STOPPED or wanted.tasks == list(configs):
        return Decision(None)
    return Decision(None, records.task_records(name, configs))


def decide_restart(state: ConfigState, name: str, include_tasks: bool, only_failed: bool) -> Records:
    if name not in state.connectors:
        raise errors.unknown_connector(name, colon=True)
    return Decision(None, [records.restart_record(name, include_tasks, only_failed)])


def decide_checkpoint(state: ConfigState, name: str, before: Checkpoint | None) -> Decision[Append, Checkpoint]:
    """A new one after `before`; the one that is there already where somebody was faster."""
    known = state.checkpoint(name)
    if known is not None and known != before:
        return Decision(known)
    fresh = Checkpoint(1 if known is None else known.generation + 1, secrets.token_hex(4))
    return Decision(fresh, [records.checkpoint_record(name, fresh)])


def decide_offsets_changed(state: ConfigState, name: str) -> Decision[Append, Checkpoint]:
    """Somebody moved the offsets by hand: what the checkpoint says no longer counts."""
    check_stopped(state, name)
    return decide_checkpoint(state, name, state.checkpoint(name))


def check_stopped(state: ConfigState, name: str) -> None:
    wanted = state.connectors.get(name)
    if wanted is None:
        raise errors.connector_not_found(name)
    if wanted.target_state is not TargetState.STOPPED:
        raise errors.not_stopped(name)


def decide_logger(logger: str, level: str) -> Records:
    return Decision(None, [records.logger_record(logger, level)])
