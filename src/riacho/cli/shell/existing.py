"""Whether what a line would make is there already: asked of the cluster, worker or control center that it means."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.asked_names import addresses_for, addresses_for_tool
from riacho.cli.shell.completion.offers import NameKind
from riacho.cli.shell.completion.questions import questions_of
from riacho.cli.shell.danger.replaced import IsThere, Made
from riacho.cli.shell.given_cluster import find_subcommand, parsed
from riacho.cli.shell.process_state import kept_process_state
from riacho.cli.shell.programs import Program

_KINDS = {Made.USER: NameKind.USER, Made.PIPELINE: NameKind.CONNECTOR}


def what_is_there(program: Program, environment: Mapping[str, str]) -> IsThere:
    """For a program that was given its cluster, with the environment that it will run in."""

    def is_there(kind: Made, name: str) -> bool | None:
        with kept_process_state([program.name], environment):
            try:
                return name in (_rules(program) if kind is Made.RULE else _names(program, _KINDS[kind]))
            except Exception:
                # Whatever keeps it from being asked, the command itself will tell.
                return None

    return is_there


def _names(program: Program, kind: NameKind) -> Collection[str]:
    for questions in questions_of(_addresses(program)):
        if kind in questions.kinds:
            try:
                return {offer.text for offer in questions.ask(kind, "")}
            finally:
                questions.end()
    raise LookupError(kind)


def _addresses(program: Program) -> ClusterAddresses:
    tool = TOOLS.get(program.name)
    if tool is None:
        return addresses_for(_params(program))
    arguments = parsed(tool, program.words)
    if arguments is None or arguments.has("bootstrap-controller"):
        raise LookupError(program.name)
    return addresses_for_tool({name: [str(value) for value in values] for name, values in arguments.values.items()})


def _rules(program: Program) -> Collection[str]:
    from riacho.cli.console_client import ConsoleClient

    params = _params(program)
    if params["user"] is not None and not os.environ.get("RIACHO_PASSWORD"):
        # The command will ask for the password, and once is enough.
        raise LookupError(program.name)
    console = ConsoleClient(params["url"], params["cluster"], params["user"])
    return {str(rule["name"]) for rule in console.get("/alerts")["rules"]}


def _params(program: Program) -> dict[str, Any]:
    found = find_subcommand(program.words)
    if found is None:
        raise LookupError(program.name)
    return found.context.params
