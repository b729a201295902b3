"""`riacho completion`: the lines that teach a shell to complete `riacho` and the names of topics and groups."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from riacho.cli.failures import PlainCommand

_SHELLS = ("bash", "zsh", "fish")
# A shell that waits for a name is worse than one that does not know it.
_TIMEOUT_MS = 500


@click.command("completion", cls=PlainCommand)
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> None:
    """Print what teaches SHELL to complete commands, options, topics and groups.

    \b
    riacho completion bash >> ~/.bashrc
    riacho completion zsh >> ~/.zshrc
    riacho completion fish > ~/.config/fish/completions/riacho.fish
    """
    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    # Not `source()`, which asks the installed bash for its version, and this one may write for another machine.
    made = found(click.get_current_context().find_root().command, {}, "riacho", "_RIACHO_COMPLETE")
    click.echo(made.source_template % made.source_vars())


def complete_topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _names(ctx, "topics") if name.startswith(incomplete)]


def complete_groups(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _names(ctx, "groups") if name.startswith(incomplete)]


def _names(ctx: click.Context, what: str) -> list[str]:
    """Of the cluster that the command would speak with; none where that cannot be asked at once."""
    try:
        return _asked(ctx.params, what)
    except Exception:
        # A traceback in the middle of a line that somebody types helps nobody.
        return []


def _asked(params: dict[str, Any], what: str) -> list[str]:
    from riacho.cli.pairs import parse_pairs
    from riacho.cli.target import find_target
    from riacho.client.cluster import Cluster
    from riacho.client.groups import list_groups
    from riacho.client.settings import client_settings

    given = parse_pairs(params.get("settings") or (), "-X")
    target = find_target(params.get("bootstrap"), params.get("command_config"), given, params.get("profile"))
    settings = client_settings(target.bootstrap, target.properties)._replace(
        connect_timeout_ms=_TIMEOUT_MS, request_timeout_ms=_TIMEOUT_MS, reach_timeout_ms=0, api_timeout_ms=_TIMEOUT_MS
    )
    with Cluster(settings) as cluster:
        if what == "groups":
            return sorted(group.group_id for group in list_groups(cluster))
        return sorted(topic.name or "" for topic in cluster.metadata().topics if not topic.is_internal)
