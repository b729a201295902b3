"""`riacho completion`: the lines that teach a shell to complete `riacho`, Kafka's tools and what a cluster has."""

from __future__ import annotations

import click

from riacho.cli.failures import PlainCommand

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=PlainCommand)
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> None:
    """Print what teaches SHELL to complete commands, options, values, topics and groups.

    \b
    riacho completion bash >> ~/.bashrc
    riacho completion zsh >> ~/.zshrc
    riacho completion fish > ~/.config/fish/conf.d/riacho.fish

    It is for kafka-topics and Kafka's other tools too.
    """
    from riacho.cli.completion_scripts import script

    click.echo(script(shell), nl=False)
